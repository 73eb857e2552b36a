/**
 * Hints: what becomes of a delay when the server has said how long to wait. A rule, chosen by name.
 *
 * Hints come from outside. Every rule has a bound, and the caller chooses what happens beyond it.
 */
import type { Duration } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import { wholeMillis } from "./BackoffTree.ts"

/**
 * What to do with a hint above `atMost`: wait `atMost`, or stop at once.
 *
 * @category models
 */
export type Otherwise = "clamp" | "giveUp"

/**
 * A rule for hints.
 *
 * @category models
 */
export type Hint =
  | { readonly _tag: "Ignore" }
  | { readonly _tag: "Override"; readonly atMostMillis: number; readonly otherwise: Otherwise }
  | {
      readonly _tag: "Floor"
      readonly jitterRatio: number
      readonly atMostMillis: number
      readonly otherwise: Otherwise
    }
  | { readonly _tag: "Within"; readonly aboveMillis: number }

/**
 * Waits as the back-off says, whatever the server asked for.
 *
 * @category constructors
 */
export const ignore: Hint = { _tag: "Ignore" }

/**
 * Waits what the server asked for, in place of the back-off's delay.
 *
 * @category constructors
 */
export const override = (options: {
  readonly atMost: Duration.DurationInput
  readonly otherwise: Otherwise
}): Hint => ({
  _tag: "Override",
  atMostMillis: Argument.millis("Hint.override", "atMost", options.atMost, { min: 0 }),
  otherwise: Argument.oneOf("Hint.override", "otherwise", options.otherwise, ["clamp", "giveUp"])
})

/**
 * Waits at least what the server asked for, with jitter only upward.
 *
 * Formula: `max(delay, hint * (1 + u * jitterRatio))`, the jittered hint at most `atMost`.
 * A hint up to `atMost` is never undercut, and the back-off's cap does not bound it.
 *
 * @category constructors
 */
export const floor = (options: {
  /** In [0, 1]. @default 0 */
  readonly jitterRatio?: number
  readonly atMost: Duration.DurationInput
  readonly otherwise: Otherwise
}): Hint => ({
  _tag: "Floor",
  jitterRatio: Argument.number("Hint.floor", "jitterRatio", options.jitterRatio ?? 0, { min: 0, max: 1 }),
  atMostMillis: Argument.millis("Hint.floor", "atMost", options.atMost, { min: 0 }),
  otherwise: Argument.oneOf("Hint.floor", "otherwise", options.otherwise, ["clamp", "giveUp"])
})

/**
 * Follows the server inside a window above the back-off's delay, as the AWS SDKs do with 5 seconds.
 *
 * Formula: `max(delay, min(hint, delay + above))`.
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20.
 *
 * @category constructors
 */
export const within = (options: { readonly above: Duration.DurationInput }): Hint => ({
  _tag: "Within",
  aboveMillis: Argument.millis("Hint.within", "above", options.above, { min: 0 })
})

/**
 * What a policy does that names no rule: a floor of at most one minute, beyond which it stops.
 *
 * Source of the minute: https://github.com/openai/openai-node, whose client follows `retry-after` up to 60 seconds.
 *
 * @category constructors
 */
export const standard: Hint = /*#__PURE__*/ floor({ atMost: "1 minute", otherwise: "giveUp" })

/**
 * Whether the rule needs a random number.
 *
 * @category guards
 */
export const draws = (self: Hint): boolean => self._tag === "Floor" && self.jitterRatio > 0

/**
 * The delay as the rule bends it, in whole milliseconds, or `undefined` for a hint to give up on.
 *
 * @category destructors
 */
export const bend = (self: Hint, delayMillis: number, hintMillis: number, u: number): number | undefined => {
  switch (self._tag) {
    case "Ignore":
      return delayMillis
    case "Within":
      return Math.max(delayMillis, wholeMillis(Math.min(hintMillis, delayMillis + self.aboveMillis), Infinity))
    case "Override":
    case "Floor": {
      if (hintMillis > self.atMostMillis && self.otherwise === "giveUp") return undefined
      const hint = Math.min(hintMillis, self.atMostMillis)
      if (self._tag === "Override") return wholeMillis(hint, Infinity)
      return Math.max(
        delayMillis,
        wholeMillis(Math.min(hint * (1 + u * self.jitterRatio), self.atMostMillis), Infinity)
      )
    }
  }
}
