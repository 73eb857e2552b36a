/**
 * Random numbers without a fiber, from the generator behind Effect's own `Random`, whose service only an effect can
 * draw from.
 */
import { PCGRandom } from "effect/Utils"

const generator = /*#__PURE__*/ new PCGRandom()

/** A random number in [0, 1). */
export const draw = (): number => generator.number()
