/** What tests use of Effect 3's `Random` that Effect 4 has in another shape. */
import type * as Context from "effect/Context"
import type * as Random from "effect/Random"
import { hash, PCGRandom } from "./Utils3.ts"

type Service = Context.Service.Shape<typeof Random.Random>

const of = (next: () => number): Service => ({
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
