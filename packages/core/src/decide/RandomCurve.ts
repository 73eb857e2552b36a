/**
 * Curves that draw by definition: the walk of the decorrelated jitters and the formulas of vendors and textbooks.
 *
 * Each takes the cap as part of its formula and one number `u` in [0, 1). Where the source clamps after its draw
 * (`Truncated`) so does ours; all others cap what the draw can reach, so no probability gathers on the cap.
 */
import { times } from "./Curve.ts"

/**
 * A curve with chance inside; all times in milliseconds but where the name says otherwise.
 *
 * @category models
 */
export type RandomCurve =
  | { readonly _tag: "Decorrelated"; readonly baseMillis: number }
  | { readonly _tag: "DecorrelatedSmooth"; readonly baseMillis: number }
  | { readonly _tag: "Ethernet"; readonly slotMillis: number }
  | {
      readonly _tag: "Celery"
      readonly factorSeconds: number
      readonly maximumMillis: number
      readonly jitter: boolean
    }
  | {
      readonly _tag: "Truncated"
      readonly baseMillis: number
      readonly factor: number
      readonly maximumMillis: number
      readonly randomMillis: number
    }

/**
 * A drawn delay, and what the next draw needs to know of it.
 *
 * @category models
 */
export interface Drawn {
  readonly millis: number
  readonly previous: number
}

/**
 * Draws the delay before retry `n`, or answers `undefined` where the curve has ended.
 *
 * `previous` is what the last draw left behind, 0 before the first.
 *
 * @category destructors
 */
export const draw = (
  curve: RandomCurve,
  n: number,
  previous: number,
  capMillis: number,
  u: number
): Drawn | undefined => {
  switch (curve._tag) {
    case "Decorrelated":
      return decorrelated(curve.baseMillis, previous, capMillis, u)
    case "DecorrelatedSmooth":
      return decorrelatedSmooth(curve.baseMillis, n, previous, capMillis, u)
    case "Ethernet":
      return n >= 16 ? undefined : { millis: ethernetMillis(curve.slotMillis, n, capMillis, u), previous: 0 }
    case "Celery": {
      const seconds = Math.floor(
        Math.min(times(curve.factorSeconds, 2 ** (n - 1)), Math.min(curve.maximumMillis, capMillis) / 1000)
      )
      return { millis: (curve.jitter ? wholeBelow(seconds + 1, u) : seconds) * 1000, previous: 0 }
    }
    case "Truncated": {
      const raw = times(curve.baseMillis, curve.factor ** (n - 1)) + u * curve.randomMillis
      return { millis: Math.min(raw, curve.maximumMillis, capMillis), previous: 0 }
    }
  }
}

/**
 * Whether a draw looks at `u`: Celery's curve without jitter and a truncated one without addition do not.
 *
 * @category guards
 */
export const draws = (curve: RandomCurve): boolean =>
  curve._tag === "Celery" ? curve.jitter : curve._tag !== "Truncated" || curve.randomMillis > 0

const wholeBelow = (count: number, u: number): number => Math.min(Math.floor(u * count), count - 1)

const decorrelated = (base: number, previous: number, cap: number, u: number): Drawn => {
  // A cap that leaves less than half of the first interval takes from its lower end, so that no jitter is lost.
  const low = Math.max(0, Math.min(times(base, 1), cap - base))
  const high = Math.min(times(Math.max(previous, base), 3), cap)
  const millis = low + u * (high - low)
  return { millis, previous: millis }
}

const ethernetMillis = (slot: number, n: number, cap: number, u: number): number =>
  slot * wholeBelow(Math.min(2 ** Math.min(n, 10), Math.floor(cap / slot) + 1), u)

/**
 * The formula's path `f(t) = 2^t * tanh(sqrt(4t))`, of which a delay is the increment.
 */
const smoothPath = (t: number): number => 2 ** t * Math.tanh(Math.sqrt(4 * t))

const smoothScale = 1.4

const decorrelatedSmooth = (base: number, n: number, previous: number, cap: number, u: number): Drawn => {
  // Past 2^1000 the path only doubles, so it is held there; the bound has long reached its cap.
  const i = Math.min(n - 1, 1000)
  const path = smoothPath(i + u)
  const longest = smoothPath(i + 1) - (n === 1 ? 0 : smoothPath(i - 1))
  const bound = Math.min(times(base / smoothScale, longest), cap)
  const last = n - 1 > i ? previous / 2 : previous
  return { millis: bound * Math.min(1, (path - last) / longest), previous: path }
}
