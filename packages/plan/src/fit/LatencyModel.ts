/**
 * The distribution of attempt durations, as its quantile function.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"

/**
 * What is known about the latency of a server: a constant; the median and the 99th percentile, for a log-normal
 * distribution; or measured times, all equally likely.
 */
export type Latencies =
  | Duration.DurationInput
  | { readonly p50: Duration.DurationInput; readonly p99: Duration.DurationInput }
  | { readonly measured: ReadonlyArray<Duration.DurationInput> }

export interface LatencyModel {
  /** The quantile for a ratio below 1. */
  readonly quantileMillis: (ratio: number) => number
}

const mostMeasured = 100_000

export const make = (owner: string, field: string, given: Latencies): LatencyModel => {
  if (Predicate.hasProperty(given, "measured")) return measured(owner, `${field}.measured`, given.measured)
  if (Predicate.hasProperty(given, "p50")) {
    const p50 = Argument.millis(owner, `${field}.p50`, given.p50 as Duration.DurationInput, { min: 0, exclusive: true })
    const p99 = Argument.millis(owner, `${field}.p99`, given.p99 as Duration.DurationInput, { min: p50 })
    const spread = Math.log(p99 / p50) / normalQuantile(0.99)
    return { quantileMillis: (ratio) => p50 * Math.exp(spread * normalQuantile(ratio)) }
  }
  const millis = Argument.millis(owner, field, given as Duration.DurationInput, { min: 0 })
  return { quantileMillis: () => millis }
}

const measured = (owner: string, field: string, given: unknown): LatencyModel => {
  if (!Array.isArray(given) || given.length === 0 || given.length > mostMeasured) {
    return Argument.refuse(owner, field, `an array of 1 to ${mostMeasured} durations`, given)
  }
  const sorted = given
    .map((time: Duration.DurationInput, i) => Argument.millis(owner, `${field}[${i}]`, time, { min: 0 }))
    .toSorted((a, b) => a - b)
  const last = sorted.length - 1
  return {
    quantileMillis: (ratio) => sorted[Math.min(last, Math.floor(ratio * sorted.length))] ?? 0
  }
}

/**
 * The inverse of the standard normal distribution, to 4.5e-4.
 *
 * Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23.
 */
const normalQuantile = (ratio: number): number => {
  if (ratio > 0.5) return -normalQuantile(1 - ratio)
  const t = Math.sqrt(-2 * Math.log(Math.max(ratio, Number.MIN_VALUE)))
  const numerator = 2.515517 + t * (0.802853 + t * 0.010328)
  const denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
  return numerator / denominator - t
}
