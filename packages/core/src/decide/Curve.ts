/**
 * Curves: how the bound of a delay grows with the number of the retry. Pure data and one pure function.
 *
 * A curve knows no chance: the draw comes after the cap, see `BackoffTree.step`. Curves that draw by definition are in
 * `RandomCurve`.
 */

/**
 * A deterministic curve; all times in milliseconds.
 *
 * @category models
 */
export type Curve =
  | { readonly _tag: "Constant"; readonly delayMillis: number }
  | { readonly _tag: "Linear"; readonly baseMillis: number; readonly stepMillis: number }
  | { readonly _tag: "Polynomial"; readonly baseMillis: number; readonly degree: number }
  | { readonly _tag: "Exponential"; readonly baseMillis: number; readonly factor: number }
  | { readonly _tag: "Fibonacci"; readonly baseMillis: number }
  | { readonly _tag: "Delays"; readonly delaysMillis: ReadonlyArray<number> }
  | { readonly _tag: "ConnectRetry"; readonly maximumMillis: number }

/**
 * The longest bound of any curve: 2^63 - 1 nanoseconds, 292 years. Growth saturates here instead of overflowing.
 *
 * @category constructors
 */
export const longestMillis = 9_223_372_036_854

/**
 * The bound before retry `n`, counted from 1, or `undefined` where the curve has ended.
 *
 * Finite and not negative for every `n`; non-decreasing but for `Delays`.
 *
 * @category destructors
 */
export const boundMillis = (curve: Curve, n: number): number | undefined => {
  switch (curve._tag) {
    case "Constant":
      return times(curve.delayMillis, 1)
    case "Linear":
      return Math.min(curve.baseMillis + times(curve.stepMillis, n - 1), longestMillis)
    case "Polynomial":
      return times(curve.baseMillis, n ** curve.degree)
    case "Exponential":
      return times(curve.baseMillis, curve.factor ** (n - 1))
    case "Fibonacci":
      return times(curve.baseMillis, fibonacci(n))
    case "Delays": {
      const delay = curve.delaysMillis[n - 1]
      return delay === undefined ? undefined : times(delay, 1)
    }
    case "ConnectRetry": {
      const delay = times(1000, 2 ** (n - 1))
      return delay <= curve.maximumMillis / 2 ? delay : undefined
    }
  }
}

/**
 * `millis * multiplier` without overflow: `0 * Infinity` is 0, everything else stops at `longestMillis`.
 *
 * @category constructors
 */
export const times = (millis: number, multiplier: number): number =>
  millis === 0 ? 0 : Math.min(millis * multiplier, longestMillis)

/** The number with which the least base, a nanosecond, reaches the longest bound. */
const greatestFibonacci = longestMillis * 1e6

const fibonacci = (n: number): number => {
  let current = 1
  let next = 1
  for (let i = 1; i < n && current < greatestFibonacci; i++) {
    const sum = current + next
    current = next
    next = sum
  }
  return current
}
