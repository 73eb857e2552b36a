/**
 * Programs of policies by chance, as the page writes them: the checks compile them against the packages. Pure.
 */
import { type Dialect, write } from "./Code.ts"
import { randomSettings } from "./RandomSettings.ts"

/** Many enough that each choice of each control is in several of them. */
const count = 40

export interface Program {
  /** Of a file that can stand beside all others, such as `playground.fetch.9.ts`. */
  readonly name: string
  readonly code: string
}

export const randomPrograms = (dialects: ReadonlyArray<Dialect>): ReadonlyArray<Program> =>
  dialects.flatMap((dialect) =>
    randomSettings(count).map((settings, i) => ({
      name: `playground.${dialect}.${i}.ts`,
      code: write(dialect, settings)
    }))
  )
