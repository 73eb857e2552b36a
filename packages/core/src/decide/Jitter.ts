/**
 * Jitter: how a delay is drawn from its bound. A jitter has a name and a declared interval, and is applied last.
 *
 * A jitter is a function of the bound (in milliseconds) and one number `u` in [0, 1). It knows no cap: if its interval
 * reaches above the cap, the back-off keeps the draw below the cap without clustering delays at the cap itself.
 */
import type * as Duration from "effect/Duration"
import * as Argument from "../accept/Argument.ts"
import * as Bounds from "./Bounds.ts"

/**
 * A named distribution of delays around a bound.
 *
 * @category models
 */
export interface Jitter {
  readonly name: string
  /** Whether `draw` uses `u`; if not, no random number is drawn. */
  readonly draws: boolean
  /** The shortest and the longest delay that `draw` can return, in milliseconds. */
  readonly interval: (boundMillis: number) => readonly [low: number, high: number]
  /** The delay in milliseconds. */
  readonly draw: (boundMillis: number, u: number) => number
}

/**
 * Makes your own jitter. Every draw is checked against the declared interval, a few of them at construction: a draw
 * outside it throws an `InvalidArgument` that names the jitter. `draw` never receives a bound above the cap.
 *
 * ```text
 * Jitter.make({ name: "half", interval: (b) => [b / 2, b], draw: (b, u) => b - (u * b) / 2 })
 * ```
 *
 * @category constructors
 */
export const make = (options: {
  readonly name: string
  readonly interval: (boundMillis: number) => readonly [low: number, high: number]
  readonly draw: (boundMillis: number, u: number) => number
}): Jitter => {
  const draw = (boundMillis: number, u: number) =>
    inside(options.name, options.interval(boundMillis), options.draw(boundMillis, u))
  for (const boundMillis of [0, 1, 100, 12_345, 86_400_000]) {
    for (const u of [0, 0.25, 0.5, 0.75, 1 - Number.EPSILON]) draw(boundMillis, u)
  }
  return { name: options.name, draws: true, interval: options.interval, draw }
}

/**
 * The bound itself. Formula: `bound`.
 *
 * @category constructors
 */
export const none: Jitter = { name: "none", draws: false, interval: (bound) => [bound, bound], draw: (bound) => bound }

/**
 * Draws anywhere below the bound. Formula: `u * bound`; mean `bound / 2`.
 *
 * Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/, "Full Jitter".
 *
 * @category constructors
 */
export const full: Jitter = /*#__PURE__*/ uniform("full", (bound) => [0, bound])

/**
 * Keeps half of the bound and draws the other half. Formula: `bound / 2 + u * bound / 2`; mean `3 / 4 * bound`.
 *
 * Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/, "Equal Jitter".
 *
 * @category constructors
 */
export const equal: Jitter = /*#__PURE__*/ uniform("equal", (bound) => [bound / 2, bound])

/**
 * Draws around the bound. Formula: `bound * (1 - ratio + 2 * u * ratio)`; mean `bound`.
 *
 * gRPC uses a ratio of 0.2. The cap limits the upper end.
 *
 * @category constructors
 */
export const proportional = (options: {
  /** In (0, 1]. */
  readonly ratio: number
}): Jitter => {
  const given = Argument.options("Jitter.proportional", "{ ratio: 0.2 }", options, { ratio: true })
  const ratio = Argument.number("Jitter.proportional", "ratio", given.ratio, Bounds.jitterRatio)
  return uniform(`proportional(${ratio})`, (bound) => [bound * (1 - ratio), bound * (1 + ratio)])
}

/**
 * Adds up to `max` to the bound. Formula: `bound + u * max`; mean `bound + max / 2`.
 *
 * The cap limits the upper end.
 *
 * @category constructors
 */
export const additive = (options: { readonly max: Duration.DurationInput }): Jitter => {
  const given = Argument.options("Jitter.additive", '{ max: "1 second" }', options, { max: true })
  const max = Argument.millis("Jitter.additive", "max", given.max, Bounds.width)
  return uniform(`additive(${max}ms)`, (bound) => [bound, bound + max])
}

function uniform(name: string, interval: Jitter["interval"]): Jitter {
  return {
    name,
    draws: true,
    interval,
    draw: (bound, u) => {
      const [low, high] = interval(bound)
      return low + u * (high - low)
    }
  }
}

const inside = (name: string, [low, high]: readonly [number, number], drawn: number): number => {
  const tolerance = high * 1e-9
  return low >= 0 && Number.isFinite(high) && drawn >= low - tolerance && drawn <= high + tolerance
    ? Math.min(Math.max(drawn, low), high)
    : Argument.refuse(`Jitter.${name}`, "draw", `within its interval [${low}, ${high}], finite and not negative`, drawn)
}
