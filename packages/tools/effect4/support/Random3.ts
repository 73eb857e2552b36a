/** What tests use of Effect 3's `Random` that Effect 4 has in another shape. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Random from "effect/Random"
import { hash, PCGRandom } from "./Utils3.ts"

/** A service of Effect 4 that also draws as that of Effect 3. */
export interface Service extends Context.Service.Shape<typeof Random.Random> {
  readonly next: Effect.Effect<number>
}

const of = (next: () => number): Service => ({
  next: Effect.sync(next),
  nextDoubleUnsafe: next,
  nextIntUnsafe: () => Math.floor(next() * Number.MAX_SAFE_INTEGER)
})

export const make = (seed: number | string): Service => {
  const generator = new PCGRandom(hash(seed))
  return of(() => generator.number())
}

/** The given values, again and again. */
export const fixed = (values: ReadonlyArray<number>): Service => {
  let at = 0
  return of(() => values[at++ % values.length]!)
}
