/**
 * What a leaf of a back-off asks of its curve.
 */
import * as Predicate from "effect/Predicate"

/**
 * Marks curves with answers inside their declared interval: those built in, and those that `Curve.fromFunction` and `Curve.make` check.
 */
export const TypeId: unique symbol = Symbol.for("@effect-retry/core/Curve")

/**
 * What a curve is made of; all times in milliseconds. Retry 1 is the first one.
 *
 * @category models
 */
export interface Definition<S> {
  readonly name: string
  /** Whether `delayMillis` looks at `u`. Such a curve draws by itself and takes no jitter. */
  readonly draws: boolean
  /**
   * Whether the sum of all delays so far rises with each of their draws, also where a single delay does not. A plan then
   * bounds sums by those of the least and of the greatest draws, and not by the sums of the intervals.
   */
  readonly risingSums?: boolean
  /** The state before retry 1. */
  readonly initial: S
  /**
   * The delay before retry `n`, or `undefined` where the curve has ended.
   *
   * `capMillis` is `Infinity` without a cap, `u` the draw of this retry in [0, 1). Without `draws` the answer is the
   * bound that cap and jitter are applied to, and neither `capMillis` nor `u` need be looked at.
   */
  delayMillis(n: number, state: S, capMillis: number, u: number): number | undefined
  /** The state after retry `n`, whose delay was `delayMillis`. */
  next(delayMillis: number, n: number, state: S, capMillis: number, u: number): S
  /** The least and the greatest delay that retry `n` can have under the cap, over all earlier and present draws. */
  intervalMillis(n: number, capMillis: number): readonly [least: number, greatest: number]
}

/**
 * A curve whose state is `S`.
 *
 * @category models
 */
export interface Curve<S = unknown> extends Definition<S> {
  readonly [TypeId]: typeof TypeId
  /** `delayMillis` without a check: under a cap the state may be one that no interval without a cap allows for. */
  readonly uncheckedMillis: Definition<S>["delayMillis"]
}

/** Whether something is a curve of this package: one built in, or made with `Curve.make` or `Curve.fromFunction`. */
export const isCurve = (u: unknown): u is Curve => Predicate.hasProperty(u, TypeId)

/** A curve that is taken without checks, since its answers are known to lie in its interval. */
export const known = <S>(
  definition: Definition<S>,
  uncheckedMillis: Definition<S>["delayMillis"] = definition.delayMillis
): Curve<S> => ({ ...definition, [TypeId]: TypeId, uncheckedMillis })

/** A curve of bounds that depend on the number of the retry alone. */
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
