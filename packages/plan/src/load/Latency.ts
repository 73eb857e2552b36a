/**
 * The slowest answers of many servers, and the effect of hedges on them.
 */
import { Classifier, Hedge, type TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import { below } from "../chance/Pcg.ts"
import * as SeededRandom from "../chance/SeededRandom.ts"
import { runScoped } from "../clock/Timekeeper.ts"
import * as Client from "./Client.ts"

/**
 * How requests are hedged; not at all without a `hedge`.
 *
 * @category models
 */
export interface HedgingClient {
  readonly hedge?: {
    readonly maxAttempts: number
    readonly maxInFlight?: number
    readonly delay: Hedge.Delay | Effect.Effect<Hedge.Percentile>
  }
  /** Pays for hedges. @default TokenBucket.unlimited */
  readonly bucket?: Effect.Effect<TokenBucket.TokenBucket>
}

/**
 * @category models
 */
export interface LatencyOptions {
  /** The load without hedges, as a ratio of the capacity of all servers. */
  readonly load: number
  readonly seed: number | string
  /** The number of requests; the first tenth of them is not measured. @default 20_000 */
  readonly requests?: number
  /** The number of servers, each with its own queue, first come, first served. A hedge goes to another server. @default 20 */
  readonly servers?: number
  /** The mean time to serve a request; times are exponential. @default 10 millis */
  readonly serviceTime?: Duration.DurationInput
  /** The share of requests that take ten times as long. @default 0.02 */
  readonly slow?: number
  /** What a server does with a queued request whose client has gone. @default "drop" */
  readonly abandoned?: "drop" | "serve"
}

/**
 * @category models
 */
export interface Latency {
  readonly p50: Duration.Duration
  readonly p95: Duration.Duration
  readonly p99: Duration.Duration
  readonly p999: Duration.Duration
  /** Further attempts per request. */
  readonly hedges: number
  /** The work of the servers relative to their work without hedges. */
  readonly work: number
}

interface Setting {
  readonly client: HedgingClient
  readonly requests: number
  readonly servers: number
  readonly serviceMillis: number
  readonly slow: number
  readonly drops: boolean
  readonly gapMillis: number
}

const owner = "Load.latency"

/** How much longer slow requests take. */
const slowFactor = 10

/**
 * Measures how long the requests of clients take, with Poisson traffic. The same seed gives the same outcome.
 *
 * @category running
 */
export const latency = (client: HedgingClient, options: LatencyOptions): Effect.Effect<Latency> => {
  const setting = settingOf(client, options)
  return simulate(setting).pipe(runScoped, Effect.provide(SeededRandom.layer(options.seed)))
}

const settingOf = (client: HedgingClient, options: LatencyOptions): Setting => {
  const { abandoned = "drop", requests = 20_000, serviceTime = "10 millis", servers = 20, slow = 0.02 } = options
  const load = Argument.number(owner, "load", options.load, { min: 0, exclusive: true })
  const ratio = Argument.number(owner, "slow", slow, { min: 0, max: 1 })
  const serviceMillis = Argument.millis(owner, "serviceTime", serviceTime, { min: 0, exclusive: true })
  const count = Argument.number(owner, "servers", servers, { min: 2, integer: true })
  return {
    client,
    requests: Argument.number(owner, "requests", requests, { min: 10, integer: true }),
    servers: count,
    serviceMillis,
    slow: ratio,
    drops: Argument.oneOf(owner, "abandoned", abandoned, ["drop", "serve"]) === "drop",
    gapMillis: (serviceMillis * (1 + (slowFactor - 1) * ratio)) / (load * count)
  }
}

/** A request in the queue of a server. */
interface Job {
  readonly millis: number
  readonly answered: Deferred.Deferred<void>
  readonly isMeasured: boolean
  isGone: boolean
}

const sleepMillis = (millis: number): Effect.Effect<void> => Effect.sleep(Duration.millis(millis))

const simulate = (setting: Setting) =>
  Effect.gen(function* () {
    const { drops, gapMillis, requests, serviceMillis, servers, slow } = setting
    const counts = { attempts: 0, workedMillis: 0, neededMillis: 0 }
    const queues = yield* Effect.replicateEffect(Queue.unbounded<Job>(), servers)
    for (const queue of queues) {
      const serve = Effect.flatMap(Queue.take(queue), (job) => {
        if (job.isGone && drops) return Effect.void
        if (job.isMeasured) counts.workedMillis += job.millis
        return Effect.zipRight(sleepMillis(job.millis), Deferred.succeed(job.answered, undefined))
      })
      yield* Effect.forkScoped(Effect.forever(serve))
    }
    const exponential = (meanMillis: number) => Effect.map(Random.next, (u) => -Math.log(1 - u) * meanMillis)
    const serviceTime = Effect.flatMap(Random.next, (u) => exponential(serviceMillis * (u < slow ? slowFactor : 1)))
    const hedged = yield* hedging(setting.client)
    const tookMillis: Array<number> = []
    const request = (isMeasured: boolean) =>
      Effect.gen(function* () {
        const first = yield* below(servers)
        let sent = 0
        const attempt = Effect.gen(function* () {
          const millis = yield* serviceTime
          const isFirst = sent++ === 0
          if (isMeasured) counts.attempts += 1
          if (isMeasured && isFirst) counts.neededMillis += millis
          const step = isFirst ? 0 : 1 + (yield* below(servers - 1))
          const job: Job = { millis, answered: yield* Deferred.make<void>(), isMeasured, isGone: false }
          yield* Queue.offer(queues[(first + step) % servers]!, job)
          yield* Effect.onInterrupt(Deferred.await(job.answered), () =>
            Effect.sync(() => {
              job.isGone = true
            })
          )
        })
        const beganMillis = yield* Client.nowMillis
        yield* hedged(attempt)
        if (isMeasured) tookMillis.push((yield* Client.nowMillis) - beganMillis)
      })
    const fibers: Array<Fiber.RuntimeFiber<void>> = []
    const warmUp = Math.floor(requests / 10)
    for (let index = 0; index < requests; index += 1) {
      yield* Effect.flatMap(exponential(gapMillis), sleepMillis)
      fibers.push(yield* Effect.forkScoped(request(index >= warmUp)))
    }
    yield* Fiber.joinAll(fibers)
    return latencyOf(tookMillis, counts, requests - warmUp)
  })

const latencyOf = (
  tookMillis: Array<number>,
  counts: { readonly attempts: number; readonly workedMillis: number; readonly neededMillis: number },
  requests: number
): Latency => {
  const sorted = tookMillis.toSorted((one, other) => one - other)
  const at = (share: number) => Duration.millis(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!)
  return {
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    p999: at(0.999),
    hedges: counts.attempts / requests - 1,
    work: counts.workedMillis / counts.neededMillis
  }
}

const hedging = ({ bucket: makeBucket, hedge }: HedgingClient) =>
  Effect.gen(function* () {
    if (hedge === undefined) return (attempt: Effect.Effect<void>) => attempt
    const { delay, ...limits } = hedge
    const bucket = makeBucket === undefined ? undefined : yield* makeBucket
    const made = Effect.isEffect(delay) ? yield* delay : delay
    return Hedge.hedge({ ...limits, classifier: Classifier.never, delay: made, bucket })
  })
