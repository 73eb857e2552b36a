/**
 * Reproducible random numbers for tests: the same seed, or the same script, gives the same draws.
 *
 * Each layer replaces Effect's `Random` and starts anew whenever it is built. The test environment has no seeded
 * `Random`, so without such a layer jitter differs from run to run.
 *
 * All fibers draw from one generator, so the draws depend on the order in which fibers run; on `VirtualClock` that
 * order is reproducible.
 */
import type * as Layer from "effect/Layer"
import * as Pcg from "./Pcg.ts"
import * as RandomLine from "./RandomLine.ts"

/**
 * Draws from a generator that starts at `seed`.
 *
 * A number must be finite.
 *
 * @category layers
 */
export const layer = (seed: number | string): Layer.Layer<never> => {
  if (typeof seed === "number" && !Number.isFinite(seed)) {
    throw new RangeError(`SeededRandom.layer: seed must be finite, got ${seed}`)
  }
  return RandomLine.layer(() => Pcg.make(seed))
}

/**
 * Draws the given values, each once and in this order; the draw after the last one dies.
 *
 * All kinds of draws (integers, booleans, a shuffle) are computed from these values. Without values, nothing may be drawn.
 * Each value must be in `[0, 1)`, as for every draw of `Random.next`.
 *
 * @category layers
 */
export const layerFixed = (values: ReadonlyArray<number>): Layer.Layer<never> => {
  values.forEach((value, index) => requireDraw("layerFixed", `values[${index}]`, value))
  return RandomLine.layer(() => {
    let drawn = 0
    return () => {
      const value = values[drawn++]
      if (value !== undefined) return value
      throw new RangeError(`SeededRandom.layerFixed: draw ${drawn} is one too many, values holds ${values.length}`)
    }
  })
}

/**
 * Draws `u` every time.
 *
 * `u` must be in `[0, 1)`: 0 gives a jitter its shortest delay, 0.5 its middle.
 *
 * @category layers
 */
export const layerConstant = (u: number): Layer.Layer<never> => {
  requireDraw("layerConstant", "u", u)
  return RandomLine.layer(() => () => u)
}

const requireDraw = (name: string, field: string, value: number): void => {
  if (value >= 0 && value < 1) return
  throw new RangeError(`SeededRandom.${name}: ${field} must be >= 0 and < 1, got ${value}`)
}
