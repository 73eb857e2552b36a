/**
 * Samples a policy: shows not the worst case, but what usually happens.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type { Kind } from "@effect-retry/core/Verdict"
import * as Verdict from "@effect-retry/core/Verdict"
import { check } from "../explain/Inputs.ts"
import * as Pcg from "../chance/Pcg.ts"
import * as RandomLine from "../chance/RandomLine.ts"
import type { Scheduled } from "../explain/PlanRecord.ts"
import type { Run } from "./Simulation.ts"
import { run } from "./Simulation.ts"

/**
 * The outcomes of many operations.
 *
 * @category models
 */
export interface Sample {
  /** The ratio of operations that succeeded in the end. */
  readonly succeeded: number
  /** Mean calls per operation. */
  readonly loadFactor: number
  readonly attempts: Quantiles<number>
  /** The total of an operation's delays. */
  readonly waited: Quantiles<Duration.Duration>
}

/** The median, the 90th and 99th percentile, and the maximum. */
export interface Quantiles<out A> {
  readonly p50: A
  readonly p90: A
  readonly p99: A
  readonly max: A
}

/**
 * The conditions under which a policy is sampled.
 *
 * @category models
 */
export interface SampleOptions {
  readonly seed: number | string
  /** The number of operations, from 1. */
  readonly samples: number
  /** The probability that an attempt fails, independently of all others: 0..1. */
  readonly failureProbability: number
  /** How long every attempt takes; one that takes longer than its timeout fails. @default zero */
  readonly attemptTakes?: Duration.DurationInput
  /** The kind of every failure. @default "Transient" */
  readonly kind?: Kind
}

/** An operation is given up after this many attempts, so that every sample ends. */
const mostAttempts = 1_000

/**
 * Runs operations in virtual time and summarises them. The same seed gives the same sample.
 *
 * All failures are retryable and carry no hint; buckets and rate limiters grant everything. Since attempts are
 * independent, `loadFactor` is near `(1 - p^n) / (1 - p)` for `n` attempts. An operation is given up after 1000
 * attempts.
 *
 * @category running
 */
export const sample = <R>(policy: Scheduled<R>, options: SampleOptions): Effect.Effect<Sample, never, R> => {
  const owner = "Plan.sample"
  const samples = Argument.number(owner, "samples", options.samples, { min: 1, integer: true })
  const probability = Argument.number(owner, "failureProbability", options.failureProbability, { min: 0, max: 1 })
  const takesMillis = Argument.millis(owner, "attemptTakes", options.attemptTakes ?? 0, { min: 0 })
  const verdict = Verdict.retryable(Argument.oneOf(owner, "kind", options.kind ?? "Transient", Verdict.kinds))
  const { prepared } = check(owner, policy, undefined)
  // An operation that always fails makes the same draws as in the loop.
  const fails = probability === 1 ? Effect.succeed(true) : Effect.map(Random.next, (u) => u < probability)
  const runs = Effect.replicateEffect(run<R>({ prepared, fails, verdict, takesMillis, mostAttempts }), samples)
  return Effect.suspend(() => Effect.map(RandomLine.withDraws(runs, Pcg.make(options.seed)), summary))
}

const summary = (runs: ReadonlyArray<Run>): Sample => {
  const waited = runs.map((run) => run.waited).toSorted((a, b) => a - b)
  const attempts = runs.map((run) => run.attempts.length).toSorted((a, b) => a - b)
  return {
    succeeded: runs.filter((run) => run.end === "Succeeded").length / runs.length,
    loadFactor: attempts.reduce((sum, n) => sum + n, 0) / runs.length,
    attempts: quantiles(attempts, (n) => n),
    waited: quantiles(waited, Duration.millis)
  }
}

/** The quantiles of sorted numbers. */
export const quantiles = <A>(sorted: ReadonlyArray<number>, of: (value: number) => A): Quantiles<A> => {
  const at = (ratio: number) => of(sorted[Math.max(0, Math.ceil(sorted.length * ratio) - 1)] ?? 0)
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
}
