/**
 * How often a fleet asks its store: fifty buckets of one name, as fifty processes have them. Their demand follows Zipf's law.
 */
import type { TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import type * as RedisClient from "@effect-retry/fleet/RedisClient"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import { Effect, Option, Random, type Scope } from "effect"
import { Redis } from "ioredis"
import { aligned, grouped } from "../Table.ts"
import { request } from "./OutOfLease.ts"

const processes = 50
const rate = 1000
const burst = 200
const warmUpSeconds = 10
const seconds = 10
const tickMillis = 5

/** What one process does when its turn comes; whether the bucket granted something. */
type Act = Effect.Effect<boolean, unknown>

interface Row {
  readonly name: string
  readonly perSecond: number
  readonly make: Effect.Effect<Act, never, RedisStore.RedisStore | Scope.Scope>
  /** Most store calls per grant. */
  readonly target: number | undefined
}

const attempts: Row["make"] = Effect.map(
  RedisBucket.fixed({ name: "fleet", rate, burst, maxWait: "500 millis" }),
  (bucket) => Effect.map(bucket.acquire(request), Option.isSome)
)

const noTokens: TokenBucket.Grant = { tokens: 0, refund: Effect.void }

/** One operation in a hundred fails once. */
const operations: Row["make"] = Effect.map(
  RedisBucket.successRatio({ name: "healthy", ratio: 0.1, capacity: 100, floorPerSecond: 1 }),
  (bucket) =>
    Effect.flatMap(Random.next, (draw) => {
      const succeed = (granted: TokenBucket.Grant, attempt: number) =>
        bucket.record({ _tag: "Succeeded", attempt, granted })
      if (draw > 0.01) return Effect.as(succeed(noTokens, 1), false)
      return Effect.flatMap(
        bucket.acquire({ ...request, attempt: 2 }),
        Option.match({ onNone: () => Effect.succeed(false), onSome: (grant) => Effect.as(succeed(grant, 2), true) })
      )
    })
)

const rows: ReadonlyArray<Row> = [
  { name: "fixed rate, 80 % load", perSecond: 0.8 * rate, make: attempts, target: 0.06 },
  { name: "fixed rate, 200 % load", perSecond: 2 * rate, make: attempts, target: undefined },
  { name: "success ratio, healthy", perSecond: 5 * rate, make: operations, target: 0 }
]

/** The process whose turn it is: the n-th has a share of `1 / n`. */
const zipf: Effect.Effect<number> = (() => {
  const weights = Array.from({ length: processes }, (_, at) => 1 / (at + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return Effect.map(Random.next, (draw) => {
    let left = draw * total
    const at = weights.findIndex((weight) => (left -= weight) <= 0)
    return at === -1 ? processes - 1 : at
  })
})()

/** Lets the processes act so often per second, for so long. A machine that cannot do so loses what is late by a tenth of a second. */
const drive = (acts: ReadonlyArray<Act>, perSecond: number, seconds: number, onGrant: () => void) =>
  Effect.gen(function* () {
    const act = Effect.flatMap(zipf, (at) =>
      Effect.forkScoped(Effect.map(acts[at] ?? Effect.succeed(false), (isGranted) => isGranted && onGrant()))
    )
    const startedAt = performance.now()
    for (let done = 0; done < seconds * perSecond;) {
      yield* Effect.sleep(tickMillis)
      const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond) - done
      done += due
      yield* Effect.replicateEffect(act, Math.min(due, perSecond / 10), { discard: true })
    }
  })

interface Measured {
  readonly calls: number
  readonly grants: number
}

const measure = (port: number, { make, perSecond }: Row): Effect.Effect<Measured> =>
  Effect.scoped(
    Effect.gen(function* () {
      const redis = yield* Effect.acquireRelease(
        Effect.sync(() => new Redis({ port }).on("error", () => {})),
        (redis) => Effect.sync(() => redis.disconnect())
      )
      yield* Effect.promise(() => redis.ping())
      let calls = 0
      let grants = 0
      const client = IoRedis.fromClient(redis)
      const counted: RedisClient.RedisClient = {
        evalsha: (sha, key, args) => {
          calls += 1
          return client.evalsha(sha, key, args)
        },
        eval: client.eval
      }
      const acts = yield* Effect.provide(
        Effect.all(Array.from({ length: processes }, () => make)),
        RedisStore.layer(counted)
      )
      yield* drive(acts, perSecond, warmUpSeconds, () => {})
      calls = 0
      yield* drive(acts, perSecond, seconds, () => {
        grants += 1
      })
      return { calls, grants }
    })
  )

export interface PerGrant {
  readonly section: string
  readonly failures: ReadonlyArray<string>
}

const title = "Store calls per grant"

export const callsPerGrant = (port: number): Effect.Effect<PerGrant> =>
  Effect.map(
    Effect.forEach(rows, (row) => Effect.map(measure(port, row), (measured) => ({ row, ...measured }))),
    (all) => {
      const cells = all.map(({ calls, grants, row: { name, target } }) => [
        name,
        grouped(grants / seconds),
        grouped(calls / seconds),
        (calls / grants).toFixed(3),
        target === undefined ? "" : `<= ${target}`,
        target === undefined ? "" : calls / grants <= target ? "yes" : "no"
      ])
      const table = aligned([
        ["", "grants per second", "calls per second", "calls per grant", "target", "met"],
        ...cells
      ])
      const about = [
        `${processes} buckets of one name, as ${processes} processes have them; the n-th has a share of \`1 / n\` of the demand.`,
        `The rate is ${rate} per second and the burst ${burst}, so a lease has at most ${burst / 10} tokens; attempts wait at most half a second.`,
        "The success ratio grants one retry for ten successes; one operation in a hundred fails once and is retried."
      ]
      return {
        section: [`### ${title}`, "", ...about, "", ...table].join("\n"),
        failures: all
          .filter(({ calls, grants, row: { target } }) => target !== undefined && calls / grants > target)
          .map(({ row }) => `${title}: ${row.name}`)
      }
    }
  )
