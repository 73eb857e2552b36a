/**
 * The table of docs/circuit-breakers.md: circuit breakers beside buckets and limits of concurrency, in an outage of a server
 * and of one shard of it.
 */
import { CircuitBreaker, Hint, RateLimiter, TokenBucket } from "@effect-retry/core"
import { Load } from "@effect-retry/plan"
import { Duration, Effect, Option } from "effect"
import { immediately, recovery } from "./Clients.ts"
import type { Row } from "./Clients.ts"
import * as Tables from "./Tables.ts"

const policy = immediately(3)

const acceptRatio: Row = {
  name: "accept ratio (K 2, 5 s) and bucket",
  policy,
  bucket: recovery.successRatio.bucket,
  rateLimiter: RateLimiter.acceptRatio({
    K: 2,
    window: "5 seconds",
    failures: "rejected",
    maxRejectionProbability: 0.9
  })
}

const breaker: Row = {
  name: "breaker, 5 failures in a row, 10 s",
  policy,
  rateLimiter: CircuitBreaker.make({ opensAt: { consecutive: 5 }, openFor: "10 seconds" })
}

const aimd: Row = {
  name: "adaptive concurrency, aimd, at least 1",
  policy,
  rateLimiter: RateLimiter.adaptiveConcurrency({ rule: "aimd", least: 1, whenShort: "refuse" })
}

const ofWhole: Row = {
  name: "breaker, 10 of 100, 5 s",
  policy,
  rateLimiter: CircuitBreaker.make({ opensAt: { ratio: 0.1, last: 100 }, openFor: "5 seconds" })
}

const ofShard: Row = {
  name: "breaker of each shard, 5 failures in a row, 10 s",
  policy,
  rateLimiter: TokenBucket.keyed({
    bucket: CircuitBreaker.make({ opensAt: { consecutive: 5 }, openFor: "10 seconds" }),
    maxKeys: 100,
    idleTimeToLive: "10 minutes"
  })
}

/** The rows of the table, in its order. */
export const rows: ReadonlyArray<Row> = [
  recovery.none,
  recovery.attempts,
  recovery.successRatio,
  { name: "quota", policy, bucket: TokenBucket.quota() },
  acceptRatio,
  {
    name: "adaptive concurrency, gradient",
    policy,
    rateLimiter: RateLimiter.adaptiveConcurrency({ whenShort: "refuse" })
  },
  aimd,
  breaker,
  {
    name: "breaker, half of 5 s, at least 20, 5 s",
    policy,
    rateLimiter: CircuitBreaker.make({
      opensAt: { ratio: 0.5, window: "5 seconds", atLeast: 20 },
      openFor: "5 seconds"
    })
  },
  ofWhole,
  ofShard,
  {
    name: "breaker, 50 of 100, 60 s",
    policy,
    rateLimiter: CircuitBreaker.make({ opensAt: { ratio: 0.5, last: 100 }, openFor: "60 seconds" })
  }
]

const outage = {
  load: 0.3,
  seed: 2,
  clients: 3,
  outage: "20 seconds",
  patience: "30 seconds"
} as const satisfies Load.RecoveryOptions

const server = { capacityPerSecond: 50, serviceTimes: "constant" } as const

/** A client makes five requests a second. */
const fixed: Load.Client = { policy, rateLimiter: RateLimiter.fixed({ rate: 6, burst: 6, whenShort: "refuse" }) }

const concurrency: Load.Client = {
  policy,
  rateLimiter: RateLimiter.concurrencyLimit({ limit: 3, whenShort: "refuse" })
}

const keyed = { maxKeys: 100, idleTimeToLive: "10 minutes" } as const

const aimdOfShard: Load.Client = {
  policy,
  rateLimiter: TokenBucket.keyed({
    bucket: RateLimiter.adaptiveConcurrency({ rule: "aimd", least: 1, whenShort: "refuse" }),
    ...keyed
  })
}

/** Spreads what it held back over as long a time as the pause. */
const pause: Load.Client = {
  policy,
  bucket: recovery.successRatio.bucket,
  rateLimiter: RateLimiter.serverPause({ atMost: "1 minute", jitterRatio: 1 })
}

/** Clients for the pictures of docs/guards.md: an outage of the whole server, of a part of it, and one with hints. */
export const guards = {
  whole: { none: recovery.attempts, bucket: recovery.successRatio, fixed, concurrency, aimd, acceptRatio, breaker },
  part: { none: recovery.attempts, ofWhole, ofShard, aimdOfShard },
  hinted: {
    ignored: { policy: { ...policy, hint: Hint.ignore } },
    hint: { policy },
    hintAndBudget: recovery.successRatio,
    pause
  }
}

/** The outage of the first two columns, which begins after a minute. */
export const whole = (client: Load.Client): Effect.Effect<Load.Recovery> => Load.recovery(client, { ...outage, server })

/** The same for a server that refuses at once, and tells when the outage will be over. */
export const hinted = (client: Load.Client): Effect.Effect<Load.Recovery> =>
  Load.recovery(client, { ...outage, server: { ...server, inOutage: "refuse" } })

/** That of the last two columns, and what comes after it. */
export const part = (client: Load.Client, patience: Duration.DurationInput = 0): Effect.Effect<Load.Recovery> =>
  Load.recovery(client, { ...outage, patience, stalled: 1, server: { ...server, shards: 10 } })

/** What a client makes of the outage of the server, and of one of its ten shards. */
const outcomes = (client: Load.Client) =>
  Effect.gen(function* () {
    const recovered = yield* whole(client)
    const shard = yield* part(client)
    return {
      sent: during(recovered, "attempts") / during(recovered, "requests"),
      recoveredAfter: Option.map(recovered.recoveredAfter, Duration.toSeconds),
      partlySent: during(shard, "attempts") / during(shard, "requests"),
      partlySucceeded: during(shard, "succeeded") / during(shard, "requests")
    }
  })

/** The seconds of the outage. */
const during = ({ seconds }: Load.Recovery, count: keyof Load.Second): number =>
  seconds.slice(60, 80).reduce((sum, second) => sum + second[count], 0)

/** The cells of a client. */
export const rowOf = (row: Row): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(outcomes(row), ({ partlySent, partlySucceeded, recoveredAfter, sent }) => [
    row.name,
    sent.toFixed(2),
    Option.match(recoveredAfter, { onNone: () => "never", onSome: (seconds) => `${seconds}` }),
    partlySent.toFixed(2),
    `${(partlySucceeded * 100).toFixed(0)} %`
  ])

export const table: Effect.Effect<string> = Effect.map(Effect.forEach(rows, rowOf), (cells) =>
  Tables.table(
    [
      "client",
      "outage: attempts per request",
      "recovers after",
      "one shard: attempts per request",
      "one shard: requests that succeed"
    ],
    cells
  )
)
