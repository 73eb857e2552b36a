/**
 * Hints: named rules for how a delay follows what the server asked for.
 *
 * Hints come from outside, so every rule has a bound, and the caller chooses what happens beyond it.
 */
import type * as Duration from "effect/Duration"
import * as Argument from "../accept/Argument.ts"
import * as Bounds from "./Bounds.ts"

/**
 * What to do with a hint above `atMost`: wait `atMost` (`clamp`), stop at once (`giveUp`), or use the back-off's delay
 * (`ignore`).
 */
type Otherwise = "clamp" | "giveUp" | "ignore"

/** What a hint of zero, such as a date in the past, means: no hint, or a retry at once. */
type Zero = "none" | "atOnce"

/**
 * A rule for hints. With `startsOver` the back-off starts over after a followed hint.
 *
 * @category models
 */
export type Hint =
  | { readonly _tag: "Ignore" }
  | {
      readonly _tag: "Override"
      readonly atMostMillis: number
      readonly otherwise: Otherwise
      readonly startsOver: boolean
      readonly zero?: Zero
    }
  | {
      readonly _tag: "Floor"
      readonly jitterRatio: number
      readonly atMostMillis: number
      readonly otherwise: Otherwise
      readonly startsOver: boolean
    }
  | { readonly _tag: "Within"; readonly aboveMillis: number; readonly startsOver: boolean }

/**
 * Uses the back-off's delay, whatever the server asked for.
 *
 * @category constructors
 */
export const ignore: Hint = { _tag: "Ignore" }

/**
 * Waits for the time that the server asked for, instead of the back-off's delay. A hint of zero, such as a date in the past,
 * leaves the back-off's delay, unless `zero` says otherwise.
 *
 * @category constructors
 */
export const override = (options: {
  readonly atMost: Duration.DurationInput
  readonly otherwise: Otherwise
  /** Whether the back-off starts over after a hint, as in gRPC (proposal A6). @default false */
  readonly startsOver?: boolean
  /** `"atOnce"` retries at once after a hint of zero, as gRPC does after a pushback of 0. @default "none" */
  readonly zero?: Zero
}): Hint => ({
  _tag: "Override",
  ...limits("Hint.override", options, { zero: false }),
  ...(options.zero !== undefined && { zero: Argument.oneOf("Hint.override", "zero", options.zero, ["none", "atOnce"]) })
})

/**
 * Waits at least as long as the server asked, with jitter only upward.
 *
 * Formula: `max(delay, hint + u * min(hint * jitterRatio, atMost - hint))`: near `atMost` the interval of the jitter
 * shrinks, so that no draw exceeds `atMost` and none cluster at it. Hints that are clamped to `atMost` are spread below
 * it: `atMost * (1 + u * jitterRatio) / (1 + jitterRatio)`. A hint up to `atMost` is never undercut, and the back-off's
 * cap does not bound it.
 *
 * @category constructors
 */
export const floor = (options: {
  /** In [0, 1]. @default 0 */
  readonly jitterRatio?: number
  readonly atMost: Duration.DurationInput
  readonly otherwise: Otherwise
  /** Whether the back-off starts over after a hint. @default false */
  readonly startsOver?: boolean
}): Hint => {
  const checked = limits("Hint.floor", options, { jitterRatio: false })
  const jitterRatio = Argument.number("Hint.floor", "jitterRatio", options.jitterRatio ?? 0, Bounds.hintRatio)
  return { _tag: "Floor", jitterRatio, ...checked }
}

/**
 * Follows the server within a window above the back-off's delay, as the AWS SDKs do with 5 seconds.
 *
 * Formula: `max(delay, min(hint, delay + above))`.
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20.
 *
 * @category constructors
 */
export const within = (options: {
  readonly above: Duration.DurationInput
  /** Whether the back-off starts over after a hint. @default false */
  readonly startsOver?: boolean
}): Hint => {
  const given = Argument.options("Hint.within", '{ above: "5 seconds" }', options, { above: true, startsOver: false })
  return {
    _tag: "Within",
    aboveMillis: Argument.millis("Hint.within", "above", given.above, Bounds.delay),
    startsOver: given.startsOver ?? false
  }
}

/**
 * The default rule of a policy: a floor of at most one minute with a jitter ratio of one half; a longer hint stops the
 * operation.
 *
 * Source of the minute: https://github.com/openai/openai-node, whose client follows `retry-after` up to 60 seconds.
 * Source of the jitter: https://github.com/envoyproxy/envoy, `JitteredLowerBoundBackOffStrategy`, which waits 1 to 1.5
 * times as long as the server asked.
 *
 * @category constructors
 */
export const standard: Hint = {
  _tag: "Floor",
  jitterRatio: 0.5,
  atMostMillis: 60_000,
  otherwise: "giveUp",
  startsOver: false
}

/** The options of every rule with a limit. */
interface Limits {
  readonly atMost: Duration.DurationInput
  readonly otherwise: Otherwise
  readonly startsOver?: boolean
}

const limits = (owner: string, options: Limits, own: { readonly [name: string]: false }) => {
  const example = '{ atMost: "1 minute", otherwise: "giveUp" }'
  const known = { atMost: true, otherwise: true, startsOver: false, ...own }
  const given = Argument.options(owner, example, options, known)
  return {
    atMostMillis: Argument.millis(owner, "atMost", given.atMost, Bounds.delay),
    otherwise: Argument.oneOf(owner, "otherwise", given.otherwise, ["clamp", "giveUp", "ignore"]),
    startsOver: given.startsOver ?? false
  }
}
