/**
 * Settings by chance, for tests and compilers. Pure.
 */
import * as Random from "effect/Random"
import * as Effect from "effect/Effect"
import { type Control, controls } from "./Controls.ts"
import { fromValues, type Key, keys, relevant, type Settings } from "./Settings.ts"

const drawn = (control: Control): Effect.Effect<string | number | undefined> =>
  control._tag === "Choice"
    ? Effect.map(Random.shuffle(Object.keys(control.choices)), ([first]) => first)
    : Effect.map(Random.next, (u) => {
        const steps = Math.floor(
          (Math.min(control.most, 1000 * control.step + control.least) - control.least) / control.step
        )
        return Number((control.least + Math.floor(u * (steps + 1)) * control.step).toFixed(6))
      })

/** Settings whose controls that do not matter have their initial values; the same seed gives the same settings. */
const one: Effect.Effect<Settings> = Effect.map(
  Effect.forEach(keys, (key) => Effect.map(drawn(controls[key]), (value) => [key, value] as const)),
  (entries) => {
    const values: Partial<Record<Key, unknown>> = Object.fromEntries(entries)
    return relevant(fromValues((key) => values[key]))
  }
)

export const randomSettings = (count: number): ReadonlyArray<Settings> =>
  Effect.runSync(Effect.withRandom(Effect.replicateEffect(one, count), Random.make(20_261_124)))
