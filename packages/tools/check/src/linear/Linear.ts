/** Whether steps grow with the length of a text and no faster: twice the text, at most 2.5 times the steps. */
import { matcherOf } from "./Backtracking.ts"
import { hostileTo, textOf } from "./Hostile.ts"

/** The lengths of the texts, each twice the one before. */
export const lengths: ReadonlyArray<number> = [256, 512, 1024]

/** The cost of short texts beside their length. */
const constant = 64

/** The most steps for the shortest of them: those of a pattern that goes back twice over the text at each character. */
const mostAtFirst = 1_000_000

/** The most steps for a text that is twice as long as one of so many steps. */
export const most = (steps: number): number => 2.5 * steps + constant

export const isLinear = (steps: ReadonlyArray<number>): boolean =>
  steps.every((each, i) => i === 0 || each <= most(steps[i - 1]!))

/** The hostile texts for which a pattern takes too many steps, as texts to read. */
export const notLinear = (pattern: RegExp): ReadonlyArray<string> => {
  const matcher = matcherOf(pattern)
  return hostileTo(pattern).flatMap((hostile) => {
    const steps: Array<number> = []
    for (const length of lengths) {
      const limit = 1 + (steps.length === 0 ? mostAtFirst : most(steps.at(-1)!))
      steps.push(matcher(textOf(hostile, length), { limit }).steps)
      if (steps[0]! > mostAtFirst || !isLinear(steps))
        return [`${pattern} ${JSON.stringify(hostile)}: ${steps.join(", ")}`]
    }
    return []
  })
}
