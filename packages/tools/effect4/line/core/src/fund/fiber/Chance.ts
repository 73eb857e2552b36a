/**
 * Chance where there is no fiber: Effect's own `Random`.
 */
import * as Context from "effect/Context"
import * as Random from "effect/Random"

/** A random number in [0, 1). */
export const draw = (): number => Context.get(Context.empty(), Random.Random).nextDoubleUnsafe()
