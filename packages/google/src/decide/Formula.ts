/**
 * What the formulas of `GoogleBackoff` share.
 */
import { Backoff, Curve } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type * as Duration from "effect/Duration"
import * as Options from "../accept/Options.ts"

/** The range of a delay that may be zero. */
export const nonNegative = { min: 0 } satisfies Argument.Range

/** The range of a maximum: below one millisecond no delay would be left. */
export const positive = { min: 1 } satisfies Argument.Range

/** The range of a factor. */
export const factor = { min: 1 } satisfies Argument.Range

/** `min(bound + extra, maximum)`, with `extra` from nothing to `most`. */
export const added = (formula: {
  readonly name: string
  readonly bound: (n: number) => number
  readonly extra: (u: number) => number
  readonly most: number
  readonly maximum: number
}): Backoff.Backoff => {
  const { bound, extra, maximum, most, name } = formula
  return Backoff.fromCurve(
    Curve.fromDraw({
      name,
      delayMillis: (n, capMillis, u) => Math.min(bound(n) + extra(u), maximum, capMillis),
      intervalMillis: (n, capMillis) => [
        Math.min(bound(n), maximum, capMillis),
        Math.min(bound(n) + most, maximum, capMillis)
      ]
    })
  )
}

/** The settings of `@google-cloud/storage` that shape a delay, by their names there. */
export interface Node {
  /** At least 1. @default 2 */
  readonly retryDelayMultiplier?: number
  /** @default 64 seconds */
  readonly maxRetryDelay?: Duration.DurationInput
}

/** Checks settings and returns them with defaults. */
export const checkNode = (owner: string, options: Node): { readonly multiplier: number; readonly maximum: number } => {
  Options.check(owner, options)
  return {
    multiplier: Argument.number(owner, "retryDelayMultiplier", options.retryDelayMultiplier ?? 2, factor),
    maximum: Argument.millis(owner, "maxRetryDelay", options.maxRetryDelay ?? "64 seconds", positive)
  }
}
