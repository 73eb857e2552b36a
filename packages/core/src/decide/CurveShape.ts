/**
 * What a leaf of a back-off needs from its curve.
 */
import * as Predicate from "effect/Predicate"

/**
 * Marks curves whose delays lie inside the declared interval: the built-in ones, and those that `Curve.fromFunction` and
 * `Curve.make` check.
 */
const TypeId: unique symbol = Symbol.for("@effect-retry/core/Curve")

/**
 * The parts of a curve; all times in milliseconds. Retry 1 is the first one.
 *
 * @category models
 */
export interface Definition<S> {
  readonly name: string
  /** Whether `delayMillis` uses `u`. Such a curve draws by itself and takes no jitter. */
  readonly draws: boolean
  /**
   * Whether the sum of all delays so far rises with each of their draws, even if a single delay does not. A plan then bounds
   * sums by those of the lowest and the highest draws, not by the sums of the intervals.
   */
  readonly risingSums?: boolean
  /** The state before retry 1. */
  readonly initial: S
  /**
   * The delay before retry `n`, or `undefined` if the curve has ended.
   *
   * `capMillis` is `Infinity` without a cap, and `u` is the draw of this retry in [0, 1). Without `draws` the result is
   * the bound to which cap and jitter are applied, and `capMillis` and `u` can be ignored.
   */
  delayMillis(n: number, state: S, capMillis: number, u: number): number | undefined
  /** The state after retry `n`, whose delay was `delayMillis`. */
  next(delayMillis: number, n: number, state: S, capMillis: number, u: number): S
  /** The shortest and the longest delay that retry `n` can have under the cap, over all draws up to it. */
  intervalMillis(n: number, capMillis: number): readonly [least: number, greatest: number]
}

/**
 * The parts of a curve whose delays do not depend on earlier ones; all times in milliseconds. Retry 1 is the first one.
 *
 * @category models
 */
export interface Formula {
  readonly name: string
  /** Whether `delayMillis` uses `u`. Such a curve draws by itself and takes no jitter. @default true */
  readonly draws?: boolean
  /** As in `Definition`. */
  delayMillis(n: number, capMillis: number, u: number): number | undefined
  /** As in `Definition`. */
  intervalMillis(n: number, capMillis: number): readonly [least: number, greatest: number]
}

/**
 * A curve whose state is `S`.
 *
 * @category models
 */
export interface Curve<S = unknown> extends Definition<S> {
  readonly [TypeId]: typeof TypeId
  /** `delayMillis` without the check: under a cap, the state may be one that is impossible without a cap. */
  readonly uncheckedMillis: Definition<S>["delayMillis"]
}

/** Whether a value is a curve of this package: a built-in one, or one made with `Curve.make` or `Curve.fromFunction`. */
export const isCurve = (u: unknown): u is Curve => Predicate.hasProperty(u, TypeId)

/** A curve that needs no checks, because its delays are known to lie in its interval. */
export const known = <S>(
  definition: Definition<S>,
  uncheckedMillis: Definition<S>["delayMillis"] = definition.delayMillis
): Curve<S> => ({ ...definition, [TypeId]: TypeId, uncheckedMillis })

/** A definition without a state. */
export const stateless = ({ name, draws = true, ...formula }: Formula): Definition<undefined> => ({
  name,
  draws,
  initial: undefined,
  delayMillis: (n, _, capMillis, u) => formula.delayMillis(n, capMillis, u),
  next: () => undefined,
  intervalMillis: (n, capMillis) => formula.intervalMillis(n, capMillis)
})

/** A curve of bounds that depend only on the number of the retry. */
export const bounds = (name: string, delayMillis: (n: number) => number | undefined): Curve<undefined> =>
  known({
    name,
    draws: false,
    initial: undefined,
    delayMillis,
    next: () => undefined,
    intervalMillis: (n) => {
      const bound = delayMillis(n) ?? 0
      return [bound, bound]
    }
  })
