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

export interface Attempt {
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

/** The outage begins when a quarter of the operations have begun. */
export const outageOf = ({ outage }: Settings, count: number): Outage => {
  const from = (count / 4) * pauseMillis
  return { from, until: from + outage }
}

/** From the start of one operation to that of the next. */
export const pauseMillis = 250

/** The same client and settings give the same operations. */
export const run = (
  { hedge = identity, policy, ...makes }: Client,
  settings: Settings,
  count: number
): Effect.Effect<ReadonlyArray<Operation>> =>
  Effect.gen(function* () {
    const bucket = makes.bucket === undefined ? {} : { bucket: yield* makes.bucket }
    const rateLimiter = makes.rateLimiter === undefined ? {} : { rateLimiter: yield* makes.rateLimiter }
    const whole = { ...policy, classifier, ...bucket, ...rateLimiter }
    return yield* Effect.forEach(
      Array.from({ length: count }, (_, i) => i * pauseMillis),
      (startMillis) => operation(settings, count, startMillis, (call) => Retry.orStopped(hedge(call), whole)),
      { concurrency: "unbounded" }
    )
  }).pipe(Effect.provide(SeededRandom.layer(settings.seed)), VirtualClock.run)

type Virtual<A, E = never> = Effect.Effect<A, E, VirtualClock.VirtualClock>

type Retried = (call: Virtual<void, Failed>) => Virtual<void, Retry.RetryStopped<unknown>>

const operation = (settings: Settings, count: number, startMillis: number, retried: Retried): Virtual<Operation> =>
  Effect.gen(function* () {
    yield* Effect.sleep(Duration.millis(startMillis))
    const attempts: Array<Attempt> = []
    const call = Effect.gen(function* () {
      const start = yield* nowMillis
      const ended = (succeeded: boolean) =>
        Effect.map(nowMillis, (end) => void attempts.push({ startMillis: start, endMillis: end, succeeded }))
      yield* served(settings, outageOf(settings, count)).pipe(Effect.onExit((exit) => ended(exit._tag === "Success")))
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

export const summary = (operations: ReadonlyArray<Operation>): Summary => {
  const took = operations.map(({ endMillis }, i) => endMillis - i * pauseMillis).toSorted((a, b) => a - b)
  const quantile = (q: number) => took[Math.min(took.length - 1, Math.floor(q * took.length))] ?? 0
  return {
    succeeded: operations.filter(({ stopped }) => stopped === undefined).length / operations.length,
    attemptsPerOperation: operations.reduce((sum, { attempts }) => sum + attempts.length, 0) / operations.length,
    p50Millis: quantile(0.5),
    p99Millis: quantile(0.99)
  }
}
