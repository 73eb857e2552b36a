/**
 * Time limits of a back-off: which parts `within` a time may have ended at a failure whose time is not known exactly.
 */
import type { Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import type { Extremes, Input } from "./Extremes.ts"
import * as Ends from "./Extremes.ts"
import { shapeOf } from "./TreeKey.ts"

/** One way in which the parts can go on: with this input, every history in it ends the same parts. */
export interface Case {
  readonly input: Input
  /** In this case the next attempt starts before this time. */
  readonly untilMillis: number
}

/**
 * The possible cases, at most two; `undefined` if there may be more.
 *
 * Longer delays and later failures only end more parts, so all possibilities lie between the earliest and the latest step.
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

/** Whether this failure starts a time limit over: the exact time of the failure is then needed. */
const startsTimeOver = (tree: Tree, ranMillis: number): boolean =>
  BackoffTree.some(
    tree,
    (part) => part._tag === "ResetAfter" && ranMillis >= part.afterMillis && Ends.hasWithin(part.initial)
  )

/** How many parts with a time limit have not ended. The first states of parts that may start over do not count. */
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

/** The time before which the next attempt starts if no part has ended and every delay keeps the limits. */
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
      // A part that this failure starts over has no time limit, see `startsTimeOver`.
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
