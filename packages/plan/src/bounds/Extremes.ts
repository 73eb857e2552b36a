/**
 * Finds the shortest and the longest delay of a step, by stepping core's interpreter with the extreme draws.
 *
 * Every delay rises with the draw of its own step, so the draws 0 and "just below 1" give its interval. Two trees hold
 * what a curve remembers of earlier draws: one has seen only the lowest draws, the other only the highest.
 */
import type { Kind } from "@effect-retry/core/Verdict"
import type { Leaf, Step, Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import * as Jitter from "@effect-retry/core/Jitter"
import { evenly } from "./Declared.ts"

/**
 * The same back-off after two histories: one with the lowest draws and early failures, one with the highest draws and
 * late failures.
 */
export interface Extremes {
  readonly leasts: Tree
  readonly greatests: Tree
  /** Whether the histories matter: if not, both trees are the same. */
  readonly parted: boolean
}

/** What a step may depend on, besides the draw. */
export interface Input {
  readonly kind: Kind
  readonly ranMillis: number
  /** The earliest and the latest possible time of the failure. */
  readonly earlyMillis: number
  readonly lateMillis: number
}

/** A step of all histories at once, in milliseconds. */
export interface Range {
  /** The bounds of this single delay. */
  readonly least: number
  readonly most: number
  /** The bounds of what it adds to the sum of all delays; less if a long delay follows a short one. */
  readonly addsLeast: number
  readonly addsMost: number
  readonly rest: Extremes
}

/** The highest draw: the last number below 1. */
const greatest = 1 - Number.EPSILON / 2

export const make = (tree: Tree): Extremes => {
  const prepared = evenly(tree)
  return { leasts: prepared, greatests: prepared, parted: remembers(prepared) || restartsTimes(prepared) }
}

/** A step at the extreme where everything is short and early; `undefined` if the back-off has ended. */
export const low = ({ leasts }: Extremes, { earlyMillis, kind, ranMillis }: Input): Step | undefined =>
  BackoffTree.step(leasts, { u: 0, kind, ranMillis, elapsedMillis: earlyMillis })

/** A step at the other extreme, where everything is long and late. */
export const high = ({ greatests }: Extremes, { kind, lateMillis, ranMillis }: Input): Step | undefined =>
  BackoffTree.step(greatests, { u: greatest, kind, ranMillis, elapsedMillis: lateMillis })

/** A step of all histories; `undefined` if the back-off has ended in all of them. */
export const step = (self: Extremes, input: Input): Range | undefined => {
  const [lowest, highest] = [low(self, input), high(self, input)]
  // A custom curve may end at random, and then continues in only one history.
  const first = lowest ?? highest
  if (first === undefined) return undefined
  const last = highest ?? first
  const rest = { leasts: first.rest, greatests: self.parted ? last.rest : first.rest, parted: self.parted }
  const [shortest, longest] = [first.delayMillis, last.delayMillis]
  if (!self.parted) return { least: shortest, most: longest, addsLeast: shortest, addsMost: longest, rest }
  const { kind, ranMillis } = input
  const lowAfterHigh = low({ ...self, leasts: self.greatests }, { kind, ranMillis, ...late(input) }) ?? first
  const highAfterLow = high({ ...self, greatests: self.leasts }, { kind, ranMillis, ...early(input) }) ?? last
  const least = Math.min(shortest, lowAfterHigh.delayMillis)
  const most = Math.max(longest, highAfterLow.delayMillis)
  // The sums of a smooth curve lie between those of the two histories, apart from the rounding of each delay.
  return { least, most, addsLeast: Math.max(least, shortest - 2), addsMost: Math.min(most, longest + 1), rest }
}

const early = ({ earlyMillis }: Input) => ({ earlyMillis, lateMillis: earlyMillis })

const late = ({ lateMillis }: Input) => ({ earlyMillis: lateMillis, lateMillis })

/** The longest delay of a step before jitter. */
export const boundMillis = (self: Extremes, input: Input): number => {
  const bound = (tree: Tree) => high({ ...self, greatests: withoutJitter(tree) }, input)?.delayMillis ?? 0
  return self.parted ? Math.max(bound(self.leasts), bound(self.greatests)) : bound(self.leasts)
}

const withoutJitter = (tree: Tree): Tree => BackoffTree.mapLeaves(tree, (leaf) => ({ ...leaf, jitter: Jitter.none }))

/** Whether a step of this tree depends on the draws before it. */
export const remembers = (tree: Tree): boolean =>
  BackoffTree.some(tree, (part) => part._tag === "Leaf" && drawsFromState(part))

const drawsFromState = ({ curve }: Leaf): boolean => curve.draws && curve.initial !== undefined

/** Whether a time inside counts from a failure instead of from the beginning of the operation. */
const restartsTimes = (tree: Tree): boolean =>
  BackoffTree.some(tree, (part) => part._tag === "ResetAfter" && hasWithin(part.initial))

export const hasWithin = (tree: Tree): boolean => BackoffTree.some(tree, (part) => part._tag === "Within")
