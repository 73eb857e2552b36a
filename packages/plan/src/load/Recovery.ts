/**
 * Recovery from an overload: a server stands still for a while; the time until nearly every request succeeds again.
 */
import * as Argument from "@effect-retry/core/Argument"
import type { Scope } from "effect"
import { Duration, Effect, Option, Random } from "effect"
import * as SeededRandom from "../SeededRandom.ts"
import { install } from "../Timekeeper.ts"
import * as Client from "./Client.ts"
import * as Server from "./Server.ts"

/**
 * A server with one queue, first come, first served.
 *
 * @category models
 */
export interface ServerOptions {
  /** Requests that it can serve in a second. @default 100 */
  readonly capacityPerSecond?: number
  /** How the times to serve a request are distributed; their mean is that of the capacity. @default "exponential" */
  readonly serviceTimes?: "constant" | "exponential"
  /** What it does with requests that have waited longer than their clients do. @default "serve" */
  readonly expired?: "serve" | "drop"
}

/**
 * @category models
 */
export interface RecoveryOptions {
  /** What is asked for without retries, as a ratio of the server's capacity. */
  readonly load: number
  readonly seed: number | string
  readonly server?: ServerOptions
  /** Clients that share the load, with Poisson traffic. @default 10 */
  readonly clients?: number
  /** How long a client waits for an answer. @default 1 second */
  readonly attemptTimeout?: Duration.DurationInput
  /** How long the server stands still, after a minute of normal traffic. @default 10 seconds */
  readonly outage?: Duration.DurationInput
  /** How long after the outage to wait for the recovery. @default 330 seconds */
  readonly patience?: Duration.DurationInput
}

/**
 * @category models
 */
export interface Recovery {
  /** From the end of the outage until 99 % of the requests of ten seconds succeed; `None` where patience ends before. */
  readonly recoveredAfter: Option.Option<Duration.Duration>
  /** Requests since the beginning of the outage without a success, those under way at the end of the run included. */
  readonly failed: number
  readonly requests: number
  readonly attempts: number
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
  readonly outage: { readonly fromMillis: number; readonly toMillis: number }
  readonly patienceSeconds: number
}

/**
 * Simulates clients of a server through an outage, and waits for the recovery. The same seed gives the same outcome.
 *
 * Every attempt that is not answered in time fails and is retryable; the server does not know that its client has gone.
 *
 * @category running
 */
export const recovery = (client: Client.Client, options: RecoveryOptions): Effect.Effect<Recovery> => {
  const setting = settingOf(client, options)
  return Effect.scoped(simulate(setting)).pipe(Effect.provide(SeededRandom.layer(options.seed)))
}

const settingOf = (client: Client.Client, options: RecoveryOptions): Setting => {
  const owner = "Load.recovery"
  Client.check(owner, client)
  const { capacityPerSecond = 100, expired = "serve", serviceTimes = "exponential" } = options.server ?? {}
  const capacity = Argument.number(owner, "server.capacityPerSecond", capacityPerSecond, { min: 0, exclusive: true })
  const outageMillis = Argument.millis(owner, "outage", options.outage ?? "10 seconds", { min: 0 })
  const patienceMillis = Argument.millis(owner, "patience", options.patience ?? "330 seconds", { min: 0 })
  return {
    client,
    clients: Argument.number(owner, "clients", options.clients ?? 10, { min: 1, integer: true }),
    requestsPerMilli: (Argument.number(owner, "load", options.load, { min: 0, exclusive: true }) * capacity) / 1000,
    serviceMillis: 1000 / capacity,
    exponential:
      Argument.oneOf(owner, "server.serviceTimes", serviceTimes, ["constant", "exponential"]) === "exponential",
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
/** A request is decided after so many seconds, whatever its retries. */
const settledAfterSeconds = 10

interface Second {
  arrived: number
  succeeded: number
}

type Seconds = Map<number, Second>

const simulate = (setting: Setting): Effect.Effect<Recovery, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* install(0)
    const scope = yield* Effect.scope
    const seconds: Seconds = new Map()
    const counts = { attempts: 0 }
    const attempt = attemptOf(setting, counts)
    const pause = exponential(setting.clients / setting.requestsPerMilli)
    for (let i = 0; i < setting.clients; i++) {
      const retried = yield* Client.make(setting.client)
      const request = Effect.flatMap(Client.nowMillis, (now) => {
        const second = secondOf(seconds, Math.floor(now / 1000))
        second.arrived += 1
        return Effect.map(retried(attempt), (succeeded) => {
          if (succeeded) second.succeeded += 1
        })
      })
      const arrival = Effect.zipRight(Effect.flatMap(pause, sleepMillis), Effect.forkIn(request, scope))
      yield* Effect.forkIn(Effect.forever(arrival), scope)
    }
    const recoveredAfter = yield* watch(setting, seconds)
    return { recoveredAfter, attempts: counts.attempts, ...totals(setting, seconds) }
  })

const attemptOf = (setting: Setting, counts: { attempts: number }): Effect.Effect<void, "timed out"> => {
  const { drops, outage, serviceMillis, timeoutMillis } = setting
  const server = Server.make({ outage, dropAfterMillis: drops ? timeoutMillis : Infinity })
  const served = setting.exponential ? exponential(serviceMillis) : Effect.succeed(serviceMillis)
  return Effect.flatMap(Effect.zip(Client.nowMillis, served), ([now, serviceMillis]) => {
    counts.attempts += 1
    const answer = server.arrive(now, serviceMillis)
    return answer <= timeoutMillis
      ? sleepMillis(answer)
      : Effect.zipRight(sleepMillis(timeoutMillis), Effect.fail("timed out" as const))
  })
}

const sleepMillis = (millis: number): Effect.Effect<void> => Effect.sleep(Duration.millis(millis))

/** Draws a time of an exponential distribution. */
const exponential = (meanMillis: number): Effect.Effect<number> =>
  Effect.map(Random.next, (u) => -Math.log(1 - u) * meanMillis)

const secondOf = (seconds: Seconds, at: number): Second => {
  const second = seconds.get(at) ?? { arrived: 0, succeeded: 0 }
  seconds.set(at, second)
  return second
}

/** Looks every second at the ten seconds that are decided by then. */
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
  let arrived = 0
  let succeeded = 0
  for (let at = from; at < from + windowSeconds; at++) {
    arrived += seconds.get(at)?.arrived ?? 0
    succeeded += seconds.get(at)?.succeeded ?? 0
  }
  return succeeded >= 0.99 * arrived
}

const totals = ({ outage }: Setting, seconds: Seconds): Pick<Recovery, "failed" | "requests"> => {
  let failed = 0
  let requests = 0
  for (const [at, { arrived, succeeded }] of seconds) {
    requests += arrived
    if (at >= outage.fromMillis / 1000) failed += arrived - succeeded
  }
  return { failed, requests }
}
