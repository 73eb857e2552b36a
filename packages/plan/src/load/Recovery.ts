/**
 * Recovery from an overload: a server for 100 requests per second stands still for ten seconds; how long until nearly
 * every request succeeds again?
 *
 * Ten clients send Poisson traffic and wait one second for each answer. It is the shipped loop with the shipped buckets
 * that runs, on a virtual clock.
 */
import type { Policy } from "@effect-retry/core"
import { Classifier, Retry, TokenBucket } from "@effect-retry/core"
import * as SeededRandom from "../SeededRandom.ts"
import * as VirtualClock from "../VirtualClock.ts"
import type { Scope } from "effect"
import { Clock, Context, Duration, Effect, Option, Random } from "effect"
import * as Server from "./Server.ts"

/**
 * What a client does: its policy, and a bucket and a rate limiter of its own.
 *
 * @category models
 */
export interface Client {
  readonly name: string
  readonly policy: Policy.Preset
  readonly bucket?: Effect.Effect<TokenBucket.TokenBucket>
  readonly rateLimiter?: Effect.Effect<TokenBucket.TokenBucket>
  /** Whether the server throws away what has waited longer than its clients do. */
  readonly serverDrops?: boolean
}

/**
 * @category models
 */
export interface Scenario {
  /** Share of the server's capacity that is asked for, without retries. */
  readonly load: number
  readonly seed: number
  /** How long after the stall to wait for recovery. */
  readonly patienceSeconds: number
}

/**
 * @category models
 */
export interface Outcome {
  /** Seconds after the stall until 99 % of the requests of ten seconds succeed; `None` for never. */
  readonly recoveredAfterSeconds: Option.Option<number>
  /** Requests that failed from the stall to the end of the run. */
  readonly lost: number
  readonly requests: number
  readonly attempts: number
}

const clients = 10
const capacityPerSecond = 100
const timeoutMillis = 1000
const stall = { fromMillis: 60_000, toMillis: 70_000 }
const windowSeconds = 10
/** A request is decided after so many seconds, whatever its retries. */
const settledAfterSeconds = 10

class Bucket extends Context.Tag("storms/Bucket")<Bucket, TokenBucket.TokenBucket>() {}
class Rate extends Context.Tag("storms/Rate")<Rate, TokenBucket.TokenBucket>() {}

interface Second {
  arrived: number
  succeeded: number
}

/**
 * One run. The same scenario gives the same outcome.
 *
 * @category running
 */
export const run = (client: Client, scenario: Scenario): Effect.Effect<Outcome> =>
  VirtualClock.run(Effect.scoped(simulate(client, scenario))).pipe(Effect.provide(SeededRandom.layer(scenario.seed)))

const simulate = (client: Client, { load, patienceSeconds }: Scenario): Effect.Effect<Outcome, never, Scope.Scope> =>
  Effect.gen(function* () {
    const seconds = new Map<number, Second>()
    const counts = { attempts: 0 }
    const server = Server.make({
      serviceMillis: 1000 / capacityPerSecond,
      stall,
      dropAfterMillis: client.serverDrops === true ? timeoutMillis : Infinity
    })
    const attempt = Effect.flatMap(nowMillis, (now) => {
      counts.attempts += 1
      const answer = server.arrive(now)
      return answer <= timeoutMillis
        ? Effect.sleep(Duration.millis(answer))
        : Effect.zipRight(Effect.sleep(Duration.millis(timeoutMillis)), Effect.fail("timed out" as const))
    })
    const policy = { ...client.policy, classifier: Classifier.always, bucket: Bucket, rateLimiter: Rate }
    const request = Effect.flatMap(nowMillis, (now) => {
      const second = secondOf(seconds, Math.floor(now / 1000))
      second.arrived += 1
      return Effect.match(Retry.retry(attempt, policy), {
        onFailure: () => undefined,
        onSuccess: () => {
          second.succeeded += 1
        }
      })
    })
    const scope = yield* Effect.scope
    const traffic = Effect.forever(
      Effect.flatMap(Random.next, (u) =>
        Effect.zipRight(
          Effect.sleep(Duration.millis((-Math.log(1 - u) * 1000 * clients) / (load * capacityPerSecond))),
          Effect.forkIn(request, scope)
        )
      )
    )
    for (let i = 0; i < clients; i++) {
      const services = Context.make(Bucket, yield* client.bucket ?? Effect.succeed(TokenBucket.unlimited)).pipe(
        Context.add(Rate, yield* client.rateLimiter ?? Effect.succeed(TokenBucket.unlimited))
      )
      yield* Effect.forkIn(Effect.provide(traffic, services), scope)
    }
    const recoveredAfterSeconds = yield* watch(seconds, patienceSeconds)
    return { recoveredAfterSeconds, attempts: counts.attempts, ...totals(seconds) }
  })

const nowMillis = Clock.clockWith((clock) => Effect.sync(() => Number(clock.unsafeCurrentTimeNanos()) / 1e6))

const secondOf = (seconds: Map<number, Second>, at: number): Second => {
  const second = seconds.get(at) ?? { arrived: 0, succeeded: 0 }
  seconds.set(at, second)
  return second
}

/** Looks every second at the ten seconds that are decided by then. */
const watch = (seconds: Map<number, Second>, patienceSeconds: number): Effect.Effect<Option.Option<number>> =>
  Effect.gen(function* () {
    const stallEnds = stall.toMillis / 1000
    yield* Effect.sleep(Duration.seconds(stallEnds + windowSeconds + settledAfterSeconds))
    for (let after = 0; after <= patienceSeconds; after++) {
      if (isHealthy(seconds, stallEnds + after)) return Option.some(after)
      yield* Effect.sleep("1 second")
    }
    return Option.none()
  })

const isHealthy = (seconds: Map<number, Second>, from: number): boolean => {
  let arrived = 0
  let succeeded = 0
  for (let at = from; at < from + windowSeconds; at++) {
    arrived += seconds.get(at)?.arrived ?? 0
    succeeded += seconds.get(at)?.succeeded ?? 0
  }
  return succeeded >= 0.99 * arrived
}

const totals = (seconds: Map<number, Second>): Pick<Outcome, "lost" | "requests"> => {
  let lost = 0
  let requests = 0
  for (const [at, { arrived, succeeded }] of seconds) {
    requests += arrived
    if (at >= stall.fromMillis / 1000) lost += arrived - succeeded
  }
  return { lost, requests }
}
