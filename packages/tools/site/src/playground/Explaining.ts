/**
 * The plan of a policy, as the page shows it. Pure.
 */
import { Plan } from "@effect-retry/plan"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { type Band, mostBands, table } from "./Figures.ts"
import { explainable } from "./Policy.ts"
import type { Settings } from "./Settings.ts"

interface Explanation {
  readonly text: string
  readonly warnings: ReadonlyArray<string>
  readonly bands: ReadonlyArray<Band>
  readonly table: ReturnType<typeof table>
}

/** Throws the `InvalidArgument` of the package that refuses a value. */
export const explained = (settings: Settings): Explanation => {
  const plan = Plan.explain(explainable(settings))
  const text = Plan.toText(plan)
  return { text, warnings: plan.warnings.map(({ message }) => message), bands: bands(plan), table: table(text) }
}

export const bands = (plan: Plan.Plan): ReadonlyArray<Band> =>
  plan.attempts
    .flatMap(({ attempt, delay }) =>
      Option.match(delay, {
        onNone: () => [],
        onSome: ({ least, mean, most }) => [
          {
            attempt,
            leastMillis: Duration.toMillis(least),
            meanMillis: Duration.toMillis(mean),
            mostMillis: Duration.toMillis(most)
          }
        ]
      })
    )
    .slice(0, mostBands)
