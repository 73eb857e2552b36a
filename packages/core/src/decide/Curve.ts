/**
 * Curves: how delays grow from retry to retry. A curve is a pure function of the retry's number and the curve's own state.
 *
 * `Backoff.fromCurve` makes a back-off from a curve. Most curves give a bound without randomness; cap and jitter are applied
 * afterwards. Curves that draw by definition take the cap and the draw as part of their formula. `fromFunction`,
 * `fromDraw` and `make` are for your own curves, which work wherever the built-in ones do.
 */
import type * as Duration from "effect/Duration"
import * as Argument from "../accept/Argument.ts"
import * as Bounds from "./Bounds.ts"
import type { Curve, Definition, Formula } from "./CurveShape.ts"
import { bounds, known, stateless } from "./CurveShape.ts"
import { longestMillis, times } from "./Millis.ts"

export type { Curve, Definition, Formula } from "./CurveShape.ts"

/**
 * Makes your own curve, with a state, with randomness, or both.
 *
 * Every delay is checked, a few of them at construction: one that is not a number, is negative or lies outside the declared
 * interval throws an `InvalidArgument` that names the curve; one above `Millis.longestMillis` is lowered to it.
 *
 * ```text
 * Curve.make({
 *   name: "clamped walk", draws: true, initial: 100,
 *   delayMillis: (_, last, cap, u) => Math.min(100 + u * (3 * last - 100), cap),
 *   next: (delay) => delay,
 *   intervalMillis: (n, cap) => [Math.min(100, cap), Math.min(100 * 3 ** n, cap)]
 * })
 * ```
 *
 * @category constructors
 */
export const make = <S>(definition: Definition<S>): Curve<S> => {
  const owner = `Curve.${definition.name}`
  const intervalMillis = (n: number, capMillis: number) => interval(owner, definition.intervalMillis(n, capMillis))
  const uncheckedMillis = (n: number, state: S, capMillis: number, u: number) =>
    definition.delayMillis(n, state, capMillis, u)
  const checked: Definition<S> = {
    name: definition.name,
    draws: definition.draws,
    risingSums: definition.risingSums === true,
    initial: definition.initial,
    delayMillis: (n, state, capMillis, u) => {
      const millis = uncheckedMillis(n, state, capMillis, u)
      return millis === undefined ? undefined : inside(owner, intervalMillis(n, capMillis), millis)
    },
    next: (delayMillis, n, state, capMillis, u) => definition.next(delayMillis, n, state, capMillis, u),
    intervalMillis
  }
  const curve = known(checked, uncheckedMillis)
  tryOut(curve)
  return curve
}

/**
 * Makes a curve without randomness that depends only on the number of the retry. It ends when `millis` returns `undefined`.
 *
 * A bound that is negative or not a number throws an `InvalidArgument` that names the curve; one above
 * `Millis.longestMillis` is lowered to it.
 *
 * ```text
 * Curve.fromFunction("gaxios", (n) => (100 * (2 ** n - 1)) / 2)
 * ```
 *
 * @category constructors
 */
export const fromFunction = (name: string, millis: (n: number) => number | undefined): Curve<undefined> => {
  const curve = bounds(name, (n) => {
    const bound = millis(n)
    return bound === undefined ? undefined : finite(`Curve.${name}`, "delay", bound)
  })
  tryOut(curve)
  return curve
}

/**
 * Makes a curve that depends on the number of the retry, the cap and one draw, and on no earlier delay. It is checked like
 * one of `Curve.make`.
 *
 * ```text
 * Curve.fromDraw({
 *   name: "whole seconds",
 *   delayMillis: (n, cap, u) => Math.min(1000 * Math.floor(u * 2 ** n), cap),
 *   intervalMillis: (n, cap) => [0, Math.min(1000 * (2 ** n - 1), cap)]
 * })
 * ```
 *
 * @category constructors
 */
export const fromDraw = (formula: Formula): Curve<undefined> => make(stateless(formula))

/**
 * Grows by a constant step. Formula, for retry `n`: `base + step * (n - 1)`.
 *
 * @category constructors
 */
export const linear = (options: {
  readonly base: Duration.DurationInput
  readonly step: Duration.DurationInput
}): Curve<undefined> => {
  const given = Argument.options("Curve.linear", '{ base: "1 second", step: "1 second" }', options, {
    base: true,
    step: true
  })
  const base = Argument.millis("Curve.linear", "base", given.base, Bounds.delay)
  const step = Argument.millis("Curve.linear", "step", given.step, Bounds.delay)
  return bounds("linear", (n) => Math.min(base + times(step, n - 1), longestMillis))
}

/**
 * Grows with a power of the retry's number. Formula, for retry `n`: `base * n^degree`.
 *
 * @category constructors
 */
export const polynomial = (options: {
  readonly base: Duration.DurationInput
  /** Above 0; 2 for a quadratic curve. */
  readonly degree: number
}): Curve<undefined> => {
  const given = Argument.options("Curve.polynomial", '{ base: "1 second", degree: 2 }', options, {
    base: true,
    degree: true
  })
  const base = Argument.millis("Curve.polynomial", "base", given.base, Bounds.delay)
  const degree = Argument.number("Curve.polynomial", "degree", given.degree, Bounds.degree)
  return bounds("polynomial", (n) => times(base, n ** degree))
}

/**
 * Grows like the Fibonacci numbers. Formula, for retry `n`: `base * F(n)`, `F` = 1, 1, 2, 3, 5, 8, ...
 *
 * @category constructors
 */
export const fibonacci = (options: { readonly base: Duration.DurationInput }): Curve<undefined> => {
  const given = Argument.options("Curve.fibonacci", '{ base: "1 second" }', options, { base: true })
  const base = Argument.millis("Curve.fibonacci", "base", given.base, Bounds.delay)
  return bounds("fibonacci", (n) => times(base, fibonacciNumber(n)))
}

/**
 * Draws each delay between the base and three times the last delay. Formula: `base + u * (3 * last - base)`, starting with
 * `last = base`; means 2, 3.5, 5.75, 9.125 ... times the base. A cap limits `3 * last`; a cap below twice the base
 * lowers the base to `cap - base`, or to 0, so that no jitter is lost at the cap.
 *
 * Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/, "Decorrelated Jitter".
 *
 * @category constructors
 */
export const decorrelated = (options: { readonly base: Duration.DurationInput }): Curve<number> => {
  const given = Argument.options("Curve.decorrelated", '{ base: "1 second" }', options, { base: true })
  const base = Argument.millis("Curve.decorrelated", "base", given.base, Bounds.width)
  // A cap that leaves less than half of the first interval lowers the lower end, so that no jitter is lost.
  const least = (capMillis: number) => Math.max(0, Math.min(times(base, 1), capMillis - base))
  return known({
    name: "decorrelated",
    draws: true,
    initial: base,
    delayMillis: (_, last, capMillis, u) => {
      const low = least(capMillis)
      return low + u * (Math.min(times(Math.max(last, base), 3), capMillis) - low)
    },
    next: (delayMillis) => delayMillis,
    intervalMillis: (n, capMillis) => [least(capMillis), Math.min(times(base, 3 ** n), capMillis)]
  })
}

/**
 * Draws delays that vary individually while their sum hardly varies.
 *
 * Formula, for retry `n`: `(f(t) - f(last t)) * base / 1.4` with `f(t) = 2^t * tanh(sqrt(4t))`, `t = n - 1 + u`;
 * medians 0.9, 1.1, 2.0, 4.0, 8.0, 16 times the base. A cap limits the longest delay that the formula can reach.
 * Source: Polly.Contrib.WaitAndRetry, `DecorrelatedJitterBackoffV2`,
 * https://github.com/Polly-Contrib/Polly.Contrib.WaitAndRetry.
 *
 * @category constructors
 */
export const decorrelatedSmooth = (options: { readonly base: Duration.DurationInput }): Curve<number> => {
  const given = Argument.options("Curve.decorrelatedSmooth", '{ base: "1 second" }', options, { base: true })
  const base = Argument.millis("Curve.decorrelatedSmooth", "base", given.base, Bounds.width)
  const boundMillis = (n: number, capMillis: number) => Math.min(times(base / smoothScale, longestStep(n)), capMillis)
  return known({
    name: "decorrelatedSmooth",
    draws: true,
    risingSums: true,
    initial: 0,
    delayMillis: (n, path, capMillis, u) => {
      const last = n - 1 > farthest ? path / 2 : path
      return boundMillis(n, capMillis) * Math.min(1, (pathAt(n, u) - last) / longestStep(n))
    },
    next: (_, n, _path, _cap, u) => pathAt(n, u),
    intervalMillis: (n, capMillis) => [0, boundMillis(n, capMillis)]
  })
}

/** The Fibonacci number with which the smallest base, a nanosecond, reaches the longest bound. */
const greatestFibonacci = longestMillis * 1e6

const fibonacciNumber = (n: number): number => {
  let current = 1
  let next = 1
  for (let i = 1; i < n && current < greatestFibonacci; i++) {
    const sum = current + next
    current = next
    next = sum
  }
  return current
}

const smoothScale = 1.4

/** The path is held at 2^1000, because it only doubles from there and the bound has long reached its cap. */
const farthest = 1000

/** The path of the formula; a delay is an increment of it. */
const smoothPath = (t: number): number => 2 ** t * Math.tanh(Math.sqrt(4 * t))

const pathAt = (n: number, u: number): number => smoothPath(Math.min(n - 1, farthest) + u)

const longestStep = (n: number): number => pathAt(n, 1) - (n === 1 ? 0 : pathAt(n, -1))

const finite = (owner: string, field: string, millis: number): number =>
  millis >= 0 ? Math.min(millis, longestMillis) : Argument.refuse(owner, field, "a number >= 0", millis)

const interval = (owner: string, [least, greatest]: readonly [number, number]): readonly [number, number] => [
  finite(owner, "intervalMillis", least),
  greatest >= least
    ? Math.min(greatest, longestMillis)
    : Argument.refuse(owner, "intervalMillis", "[least, greatest]", [least, greatest])
]

const inside = (owner: string, [least, greatest]: readonly [number, number], millis: number): number => {
  const delay = finite(owner, "delay", millis)
  const tolerance = greatest * 1e-9
  return delay >= least - tolerance && delay <= greatest + tolerance
    ? Math.min(Math.max(delay, least), greatest)
    : Argument.refuse(owner, "delay", `within its interval [${least}, ${greatest}]`, millis)
}

/** Tries a few retries under a few caps and draws, so that a curve with a wrong start is refused at construction. */
const tryOut = <S>(curve: Curve<S>): void => {
  for (const capMillis of [Infinity, 1_000, 1]) {
    for (const u of curve.draws ? [0, 0.5, 1 - Number.EPSILON / 2] : [0]) {
      let state = curve.initial
      for (let n = 1; n <= 4; n++) {
        const millis = curve.delayMillis(n, state, capMillis, u)
        if (millis === undefined) break
        state = curve.next(millis, n, state, capMillis, u)
      }
    }
  }
}
