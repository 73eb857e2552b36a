/**
 * Operations of one client, run by the shipped loop in virtual time against the server of the settings.
 */
import { Retry, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/plan"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Random from "effect/Random"
import type { Client } from "./Client.ts"
import type { Settings } from "./Settings.ts"

/** Times are milliseconds since the start of the first operation. */
export interface Operation {
  readonly attempts: ReadonlyArray<Attempt>
  readonly endMillis: number
  /** Why it stopped; `undefined` where it succeeded. */
  readonly stopped: Retry.StopReason["_tag"] | undefined
}

interface Attempt {
  readonly startMillis: number
  readonly endMillis: number
  readonly succeeded: boolean
}

class Failed extends Data.TaggedError("Failed")<{ readonly hintMillis: number }> {}

const classifier = (error: unknown): Verdict.Verdict =>
  error instanceof Failed && error.hintMillis > 0
    ? Verdict.retryable("Throttling", { hint: Duration.millis(error.hintMillis) })
    : Verdict.transient

/** In milliseconds since the start of the first operation. */
export interface Outage {
  readonly from: number
  readonly until: number
}

/** When operations begin, and when the server is away. */
interface Traffic {
  readonly startsMillis: ReadonlyArray<number>
  readonly outage: Outage
  /** Whether all operations have one bucket and one rate limiter, or each has its own. */
  readonly shared: boolean
}

/** From the start of one operation to that of the next. */
const pauseMillis = 250

/** One operation after the other, of one client; the outage begins when a quarter of them have begun. */
export const steady = ({ outage }: Settings, count: number): Traffic => {
  const from = (count / 4) * pauseMillis
  return {
    startsMillis: Array.from({ length: count }, (_, i) => i * pauseMillis),
    outage: { from, until: from + outage },
    shared: true
  }
}

/** Operations of one process, often: for as long before and after the outage, and 5 seconds at least. */
export const busy = ({ outage }: Settings): Traffic => {
  const around = Math.max(5000, outage / 2)
  const count = Math.min(mostBusy, Math.ceil(((2 * around + outage) / 1000) * busyPerSecond))
  const everyMillis = (2 * around + outage) / count
  return {
    startsMillis: Array.from({ length: count }, (_, i) => Math.round(i * everyMillis)),
    outage: { from: around, until: around + outage },
    shared: true
  }
}

const busyPerSecond = 20
const mostBusy = 1000

/** Clients with an operation each, all of which begin with the outage. */
export const together = ({ clients, outage }: Settings): Traffic => ({
  startsMillis: Array.from({ length: clients }, () => 0),
  outage: { from: 0, until: outage },
  shared: false
})

/** The same client, settings and traffic give the same operations. */
export const run = (
  { hedge = identity, policy, ...makes }: Client,
  settings: Settings,
  { outage, shared, startsMillis }: Traffic
): Effect.Effect<ReadonlyArray<Operation>> =>
  Effect.gen(function* () {
    const make = Effect.gen(function* () {
      const bucket = makes.bucket === undefined ? {} : { bucket: yield* makes.bucket }
      const rateLimiter = makes.rateLimiter === undefined ? {} : { rateLimiter: yield* makes.rateLimiter }
      return { ...policy, classifier, ...bucket, ...rateLimiter }
    })
    const one = shared ? Effect.succeed(yield* make) : make
    return yield* Effect.forEach(
      startsMillis,
      (startMillis) =>
        Effect.flatMap(one, (whole) =>
          operation(settings, outage, startMillis, (call) => Retry.orStopped(hedge(call), whole))
        ),
      { concurrency: "unbounded" }
    )
  }).pipe(Effect.provide(SeededRandom.layer(settings.seed)), VirtualClock.run)

type Virtual<A, E = never> = Effect.Effect<A, E, VirtualClock.VirtualClock>

type Retried = (call: Virtual<void, Failed>) => Virtual<void, Retry.RetryStopped<unknown>>

const operation = (settings: Settings, outage: Outage, startMillis: number, retried: Retried): Virtual<Operation> =>
  Effect.gen(function* () {
    yield* Effect.sleep(Duration.millis(startMillis))
    const attempts: Array<Attempt> = []
    const call = Effect.gen(function* () {
      const start = yield* nowMillis
      const ended = (succeeded: boolean) =>
        Effect.map(nowMillis, (end) => void attempts.push({ startMillis: start, endMillis: end, succeeded }))
      yield* served(settings, outage).pipe(Effect.onExit((exit) => ended(exit._tag === "Success")))
    })
    const result = yield* Effect.either(retried(call))
    const endMillis = yield* nowMillis
    return { attempts, endMillis, stopped: Either.isRight(result) ? undefined : result.left.reason._tag }
  })

/** An answer of the server: late by an exponential distribution, and a failure by chance or in the outage. */
const served = ({ failureRatio, latency, serverHint }: Settings, outage: Outage): Virtual<void, Failed> =>
  Effect.gen(function* () {
    const [late, fails] = [yield* Random.next, yield* Random.next]
    const start = yield* nowMillis
    yield* Effect.sleep(Duration.millis(Math.round(-Math.log(1 - late) * latency)))
    const isOut = start >= outage.from && start < outage.until
    if (isOut || fails < failureRatio) return yield* new Failed({ hintMillis: serverHint })
  })

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** What came of operations. */
export interface Summary {
  readonly succeeded: number
  readonly attemptsPerOperation: number
  readonly p50Millis: number
  readonly p99Millis: number
}

export const summary = (operations: ReadonlyArray<Operation>, { startsMillis }: Traffic): Summary => {
  const took = operations.map(({ endMillis }, i) => endMillis - (startsMillis[i] ?? 0)).toSorted((a, b) => a - b)
  const quantile = (q: number) => took[Math.min(took.length - 1, Math.floor(q * took.length))] ?? 0
  return {
    succeeded: operations.filter(({ stopped }) => stopped === undefined).length / operations.length,
    attemptsPerOperation: operations.reduce((sum, { attempts }) => sum + attempts.length, 0) / operations.length,
    p50Millis: quantile(0.5),
    p99Millis: quantile(0.99)
  }
}
