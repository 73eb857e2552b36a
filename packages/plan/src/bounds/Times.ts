/**
 * The ends that a back-off has by time: which parts `within` a time may have ended at a failure whose time is not known
 * exactly.
 */
import type { Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import type { Extremes, Input } from "./Extremes.ts"
import * as Ends from "./Extremes.ts"
import { shapeOf } from "./TreeKey.ts"

/** A way in which the parts can stand after a step: stepped with this input, they stand that way in all histories. */
export interface Case {
  readonly input: Input
  /** The next attempt starts before, or it would be another case. */
  readonly untilMillis: number
}

/**
 * The cases that are possible, at most two; `undefined` where there may be more.
 *
 * Longer delays and later failures only end more parts, so whatever is possible lies between the step at the early end
 * and the step at the late end.
 */
export const casesOf = (self: Extremes, input: Input): ReadonlyArray<Case> | undefined => {
  const certain = [{ input, untilMillis: Infinity }]
  if (!Ends.hasWithin(self.leasts)) return certain
  const [lowest, highest] = [Ends.low(self, input), Ends.high(self, input)]
  if (shapeOf(lowest?.rest) === shapeOf(highest?.rest)) return certain
  if (startsTimeOver(self.leasts, input.ranMillis)) return undefined
  const open = at(input, -Infinity)
  const ended = at(input, Infinity)
  const [mostOpen, mostEnded] = [Ends.low(self, open)?.rest, Ends.high(self, ended)?.rest]
  const extreme = shapeOf(lowest?.rest) === shapeOf(mostOpen) && shapeOf(highest?.rest) === shapeOf(mostEnded)
  return extreme && countWithin(mostOpen) - countWithin(mostEnded) === 1
    ? [
        { input: open, untilMillis: untilMillis(self.greatests, open) },
        { input: ended, untilMillis: Infinity }
      ]
    : undefined
}

const at = (input: Input, millis: number): Input => ({ ...input, earlyMillis: millis, lateMillis: millis })

/** A time that starts over counts from this failure, so this failure needs its true time. */
const startsTimeOver = (tree: Tree, ranMillis: number): boolean =>
  BackoffTree.some(
    tree,
    (part) => part._tag === "ResetAfter" && ranMillis >= part.afterMillis && Ends.hasWithin(part.initial)
  )

/** How many parts end by time and have not ended; those that a part would start over with do not count. */
const countWithin = (tree: Tree | undefined): number => {
  switch (tree?._tag) {
    case undefined:
    case "Leaf":
      return 0
    case "Max":
    case "Min":
      return countWithin(tree.left) + countWithin(tree.right)
    case "AndThen":
      return countWithin(tree.first) + countWithin(tree.second)
    case "ByKind":
      return [...Object.values(tree.cases), tree.orElse].reduce((sum, part) => sum + countWithin(part), 0)
    case "ResetAfter":
    case "Take":
      return countWithin(tree.self)
    case "Within":
      return 1 + countWithin(tree.self)
  }
}

/** The time before which the next attempt starts as long as no part has ended, where every answer keeps to it. */
const untilMillis = (tree: Tree, input: Input): number => {
  switch (tree._tag) {
    case "Leaf":
    case "Max":
      return Infinity
    case "Min":
      return Math.min(untilMillis(tree.left, input), untilMillis(tree.right, input))
    case "AndThen": {
      const { kind, lateMillis, ranMillis } = input
      const first = BackoffTree.step(tree.first, { u: 0, kind, ranMillis, elapsedMillis: lateMillis })
      return untilMillis(first === undefined ? tree.second : tree.first, input)
    }
    case "ByKind":
      return untilMillis(tree.cases[input.kind] ?? tree.orElse, input)
    case "ResetAfter":
      // One that this failure starts over keeps no time, see `startsTimeOver`.
      return tree.sinceMillis + untilMillis(tree.self, input)
    case "Within":
      return Math.min(tree.withinMillis, untilMillis(tree.self, input))
    case "Take":
      return untilMillis(tree.self, input)
  }
}

/** The time before which every attempt starts, whatever the failures. */
export const withinMillis = (tree: Tree): number => {
  switch (tree._tag) {
    case "Leaf":
    case "ResetAfter":
      return Infinity
    case "Max":
      return Math.min(withinMillis(tree.left), withinMillis(tree.right))
    case "Min":
      return Math.max(withinMillis(tree.left), withinMillis(tree.right))
    case "AndThen":
      return Math.max(withinMillis(tree.first), withinMillis(tree.second))
    case "ByKind":
      return Math.max(...[...Object.values(tree.cases), tree.orElse].map(withinMillis))
    case "Within":
      return Math.min(tree.withinMillis, withinMillis(tree.self))
    case "Take":
      return withinMillis(tree.self)
  }
}
