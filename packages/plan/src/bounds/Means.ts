/**
 * Computes mean delays, by stepping core's interpreter with evenly spread draws.
 */
import type { Input, Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { remembers } from "./Extremes.ts"

/** The population for a mean: the trees after several histories, in the order of their last delay. */
export type Histories = ReadonlyArray<Tree>

const population = 256

/** One history is enough if nothing remembers a draw. */
export const histories = (tree: Tree): Histories =>
  remembers(tree) ? Array.from({ length: population }, () => tree) : [tree]

/** The mean delay before retry `n` over at most `mostDraws` draws, and the histories after it. */
export const mean = (
  self: Histories,
  n: number,
  input: Omit<Input, "u">,
  mostDraws: number
): { readonly millis: number; readonly rest: Histories } | undefined => {
  const [only, another] = self
  if (only === undefined || another === undefined) return only && alone(only, input, mostDraws)
  const steps = thinned(self, mostDraws).flatMap(
    (tree, i) => BackoffTree.step(tree, { ...input, u: scattered(i, n) }) ?? []
  )
  if (steps.length === 0) return undefined
  return {
    millis: steps.reduce((sum, { delayMillis }) => sum + delayMillis, 0) / steps.length,
    rest: steps.toSorted((a, b) => a.delayMillis - b.delayMillis).map(({ rest }) => rest)
  }
}

/** The mean over the midpoints of equal parts of [0, 1); one part if nothing draws. */
const alone = (tree: Tree, input: Omit<Input, "u">, mostDraws: number): ReturnType<typeof mean> => {
  const draws = BackoffTree.draws(tree) ? mostDraws : 1
  let rest: Tree | undefined
  let sum = 0
  let answered = 0
  for (let i = 0; i < draws; i++) {
    const stepped = BackoffTree.step(tree, { ...input, u: (i + 0.5) / draws })
    if (stepped === undefined) continue
    rest ??= stepped.rest
    sum += stepped.delayMillis
    answered += 1
  }
  return rest && { millis: sum / answered, rest: [rest] }
}

/** A selection of the histories, evenly spread over the order of their delays. */
const thinned = (self: Histories, most: number): Histories =>
  self.length <= most
    ? self
    : Array.from({ length: most }, (_, i) => self[Math.floor(((i + 0.5) / most) * self.length)]).filter(
        (tree) => tree !== undefined
      )

const golden = (Math.sqrt(5) - 1) / 2

/**
 * Neighbours, which have similar histories, draw far apart from each other (van der Corput's sequence), so that every
 * part of the population sees all draws and a small population is enough. From retry to retry the draws shift by the
 * golden ratio.
 */
const scattered = (i: number, n: number): number => {
  let u = 0.5 / population
  for (let rest = i, part = 0.5; rest > 0; rest >>= 1, part /= 2) u += (rest & 1) * part
  return (u + n * golden) % 1
}
