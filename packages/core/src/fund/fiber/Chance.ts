/**
 * Chance where there is no fiber: the generator of Effect's own `Random`, which can only be drawn from by an effect.
 */
import { PCGRandom } from "effect/Utils"

const generator = /*#__PURE__*/ new PCGRandom()

/** A random number in [0, 1). */
export const draw = (): number => generator.number()
