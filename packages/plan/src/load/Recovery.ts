/**
 * Recovery from an overload: a server stalls for a while; measures the time until nearly every request succeeds again.
 */
import { TokenBucket, Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import { below } from "../chance/Pcg.ts"
import * as SeededRandom from "../chance/SeededRandom.ts"
import { runScoped } from "../clock/Timekeeper.ts"
import * as Client from "./Client.ts"
import * as Server from "./Server.ts"

/**
 * A server with one queue, first come, first served.
 *
 * @category models
 */
export interface ServerOptions {
  /** How many requests it can serve per second. @default 100 */
  readonly capacityPerSecond?: number
  /** The distribution of service times, whose mean follows from the capacity. @default "exponential" */
  readonly serviceTimes?: "constant" | "exponential"
  /** What it does with requests that have waited longer than their clients wait. @default "serve" */
  readonly expired?: "serve" | "drop"
  /**
   * Shards that divide the capacity between them, each with its own queue. A request goes, with all its attempts, to a
   * random one; its `TokenBucket.Key` is that shard. @default 1
   */
  readonly shards?: number
  /**
   * What it does with requests in an outage: it stalls, or it refuses them at once and asks to come back when the outage is
   * over. @default "stall"
   */
  readonly inOutage?: "stall" | "refuse"
}

/**
 * @category models
 */
export interface RecoveryOptions {
  /** The load without retries, as a ratio of the server's capacity. */
  readonly load: number
  readonly seed: number | string
  readonly server?: ServerOptions
  /** Clients that share the load, with Poisson traffic. @default 10 */
  readonly clients?: number
  /** How long a client waits for an answer. @default 1 second */
  readonly attemptTimeout?: Duration.DurationInput
  /** How long the server stalls, after a minute of normal traffic. @default 10 seconds */
  readonly outage?: Duration.DurationInput
  /** How many of the server's shards stall. @default all of them */
  readonly stalled?: number
  /** How long after the outage to wait for the recovery. @default 330 seconds */
  readonly patience?: Duration.DurationInput
}

/**
 * A second of a simulation.
 *
 * @category models
 */
export interface Second {
  /** Requests that began in this second. */
  readonly requests: number
  /** How many of them succeeded in the end. */
  readonly succeeded: number
  /** Attempts that the server received in this second, of any request. */
  readonly attempts: number
}

/**
 * @category models
 */
export interface Recovery {
  /** From the end of the outage until 99 % of the requests of ten seconds succeed; `None` if patience ends before. */
  readonly recoveredAfter: Option.Option<Duration.Duration>
  /** Requests since the beginning of the outage that did not succeed, including those under way at the end of the run. */
  readonly failed: number
  readonly requests: number
  readonly attempts: number
  /** The single seconds, from the first of the normal traffic; the outage begins at index 60. */
  readonly seconds: ReadonlyArray<Second>
}

/** The options without defaults, in milliseconds. */
interface Setting {
  readonly client: Client.Client
  readonly clients: number
  readonly requestsPerMilli: number
  readonly serviceMillis: number
  readonly exponential: boolean
  readonly drops: boolean
  readonly timeoutMillis: number
  readonly shards: number
  readonly stalled: number
  readonly refuses: boolean
  readonly outage: { readonly fromMillis: number; readonly toMillis: number }
  readonly patienceSeconds: number
}

/**
 * Simulates clients of a server through an outage, and waits for the recovery. The same seed gives the same outcome.
 *
 * Every attempt that is not answered in time fails as a retryable `Timeout`; the server does not know that its client
 * has gone. One that is refused fails as a retryable `Server` with a hint.
 *
 * @category running
 */
export const recovery = (client: Client.Client, options: RecoveryOptions): Effect.Effect<Recovery> => {
  const setting = settingOf(client, options)
  return runScoped(simulate(setting)).pipe(Effect.provide(SeededRandom.layer(options.seed)))
}

const settingOf = (client: Client.Client, options: RecoveryOptions): Setting => {
  const owner = "Load.recovery"
  Client.check(owner, client)
  const {
    capacityPerSecond = 100,
    expired = "serve",
    inOutage = "stall",
    serviceTimes = "exponential"
  } = options.server ?? {}
  const shards = Argument.number(owner, "server.shards", options.server?.shards ?? 1, { min: 1, integer: true })
  const capacity = Argument.number(owner, "server.capacityPerSecond", capacityPerSecond, { min: 0, exclusive: true })
  const outageMillis = Argument.millis(owner, "outage", options.outage ?? "10 seconds", { min: 0 })
  const patienceMillis = Argument.millis(owner, "patience", options.patience ?? "330 seconds", { min: 0 })
  return {
    client,
    clients: Argument.number(owner, "clients", options.clients ?? 10, { min: 1, integer: true }),
    requestsPerMilli: (Argument.number(owner, "load", options.load, { min: 0, exclusive: true }) * capacity) / 1000,
    serviceMillis: (1000 * shards) / capacity,
    shards,
    stalled: Argument.number(owner, "stalled", options.stalled ?? shards, { min: 0, max: shards, integer: true }),
    exponential:
      Argument.oneOf(owner, "server.serviceTimes", serviceTimes, ["constant", "exponential"]) === "exponential",
    refuses: Argument.oneOf(owner, "server.inOutage", inOutage, ["stall", "refuse"]) === "refuse",
    drops: Argument.oneOf(owner, "server.expired", expired, ["serve", "drop"]) === "drop",
    timeoutMillis: Argument.millis(owner, "attemptTimeout", options.attemptTimeout ?? "1 second", {
      min: 0,
      exclusive: true
    }),
    outage: { fromMillis: 60_000, toMillis: 60_000 + outageMillis },
    patienceSeconds: Math.ceil(patienceMillis / 1000)
  }
}

const windowSeconds = 10
/** A request is decided after this many seconds, whatever its retries. */
const settledAfterSeconds = 10

type Counts = { -readonly [K in keyof Second]: Second[K] }

type Seconds = Array<Counts>

const simulate = (setting: Setting): Effect.Effect<Recovery, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const seconds: Seconds = []
    const drawn = requestOf(setting, seconds)
    const pause = exponential(setting.clients / setting.requestsPerMilli)
    for (let i = 0; i < setting.clients; i++) {
      const retried = yield* Client.make(setting.client, verdictOf)
      const request = Effect.flatMap(drawn, ({ attempt, shard }) =>
        Effect.flatMap(currentSecond(seconds), (second) => {
          second.requests += 1
          const retrying = Effect.provideService(retried(attempt), TokenBucket.Key, `shard ${shard}`)
          return Effect.map(retrying, (succeeded) => {
            if (succeeded) second.succeeded += 1
          })
        })
      )
      const arrival = Effect.zipRight(Effect.flatMap(pause, sleepMillis), Effect.forkIn(request, scope))
      yield* Effect.forkIn(Effect.forever(arrival), scope)
    }
    const recoveredAfter = yield* watch(setting, seconds)
    return { recoveredAfter, ...totals(setting, seconds), seconds: Array.from(seconds, (second) => second ?? quiet()) }
  })

/** A request, whose attempts all go to the same shard. */
interface Request {
  readonly attempt: Effect.Effect<void, Failure>
  readonly shard: number
}

type Failure =
  | { readonly _tag: "TimedOut" }
  /** The server asks to come back after this. */
  | { readonly _tag: "Refused"; readonly hintMillis: number }

const timedOut: Failure = { _tag: "TimedOut" }

const verdictOf = (failure: Failure): Verdict.Verdict =>
  failure._tag === "TimedOut"
    ? Verdict.timeout
    : Verdict.retryable("Server", { hint: Duration.millis(failure.hintMillis) })

/** Draws the shard of a request. */
const requestOf = (setting: Setting, seconds: Seconds): Effect.Effect<Request> => {
  const { drops, outage, refuses, serviceMillis, shards, stalled, timeoutMillis } = setting
  const running = { fromMillis: Infinity, toMillis: Infinity }
  const servers = Array.from({ length: shards }, (_, shard) =>
    Server.make({
      outage: shard < stalled && !refuses ? outage : running,
      dropAfterMillis: drops ? timeoutMillis : Infinity
    })
  )
  const served = setting.exponential ? exponential(serviceMillis) : Effect.succeed(serviceMillis)
  const refusedUntil = (shard: number, now: number): number =>
    refuses && shard < stalled && now >= outage.fromMillis ? outage.toMillis : -Infinity
  const attempts = servers.map((server, shard) =>
    Effect.flatMap(
      Effect.zip(Effect.zip(Client.nowMillis, currentSecond(seconds)), served),
      ([[now, second], serviceMillis]) => {
        second.attempts += 1
        const hintMillis = refusedUntil(shard, now) - now
        if (hintMillis > 0) return Effect.fail<Failure>({ _tag: "Refused", hintMillis })
        const answer = server.arrive(now, serviceMillis)
        return answer <= timeoutMillis
          ? sleepMillis(answer)
          : Effect.zipRight(sleepMillis(timeoutMillis), Effect.fail(timedOut))
      }
    )
  )
  const ofShard = (shard: number): Request => ({ attempt: attempts[shard] ?? Effect.void, shard })
  return shards === 1 ? Effect.succeed(ofShard(0)) : Effect.map(below(shards), ofShard)
}

const sleepMillis = (millis: number): Effect.Effect<void> => Effect.sleep(Duration.millis(millis))

/** Draws a time of an exponential distribution. */
const exponential = (meanMillis: number): Effect.Effect<number> =>
  Effect.map(Random.next, (u) => -Math.log(1 - u) * meanMillis)

const quiet = (): Counts => ({ requests: 0, succeeded: 0, attempts: 0 })

const currentSecond = (seconds: Seconds): Effect.Effect<Counts> =>
  Effect.map(Client.nowMillis, (now) => (seconds[Math.floor(now / 1000)] ??= quiet()))

/** Checks every second the ten seconds that are decided by then. */
const watch = (
  { outage, patienceSeconds }: Setting,
  seconds: Seconds
): Effect.Effect<Option.Option<Duration.Duration>> =>
  Effect.gen(function* () {
    const ends = Math.ceil(outage.toMillis / 1000)
    yield* Effect.sleep(Duration.seconds(ends + windowSeconds + settledAfterSeconds))
    for (let after = 0; after <= patienceSeconds; after++) {
      if (isHealthy(seconds, ends + after)) return Option.some(Duration.seconds(after))
      yield* Effect.sleep("1 second")
    }
    return Option.none()
  })

const isHealthy = (seconds: Seconds, from: number): boolean => {
  const decided = seconds.slice(from, from + windowSeconds)
  return sumOf(decided, "succeeded") >= 0.99 * sumOf(decided, "requests")
}

const sumOf = (seconds: Seconds, count: keyof Second): number => seconds.reduce((sum, second) => sum + second[count], 0)

const totals = ({ outage }: Setting, seconds: Seconds): Pick<Recovery, "attempts" | "failed" | "requests"> => {
  const since = seconds.slice(Math.ceil(outage.fromMillis / 1000))
  return {
    attempts: sumOf(seconds, "attempts"),
    failed: sumOf(since, "requests") - sumOf(since, "succeeded"),
    requests: sumOf(seconds, "requests")
  }
}
