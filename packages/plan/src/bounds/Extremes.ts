/**
 * The least and the greatest delay of a step, by stepping the interpreter of core at the ends of its draw.
 *
 * Every delay rises with the draw of its own step, so the draws 0 and "just below 1" give its interval. What a curve
 * remembers of earlier draws is held by two trees: one that has seen only least draws, and one only greatest.
 */
import type { Kind } from "@effect-retry/core/Verdict"
import type { Leaf, Step, Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import * as Jitter from "@effect-retry/core/Jitter"
import { evenly } from "./Declared.ts"

/**
 * The same back-off after two histories: only least draws and early failures, and only greatest draws and late failures.
 */
export interface Extremes {
  readonly leasts: Tree
  readonly greatests: Tree
  /** Whether the histories matter: if not, both trees are the same. */
  readonly parted: boolean
}

/** What a step may depend on, beside the draw. */
export interface Input {
  readonly kind: Kind
  readonly ranMillis: number
  /** The time of the failure, as early and as late as it can be. */
  readonly earlyMillis: number
  readonly lateMillis: number
}

/** A step of all histories at once, in milliseconds. */
export interface Range {
  /** What this one delay is at least and at most. */
  readonly least: number
  readonly most: number
  /** What it adds to the sum of all delays at least and at most: where a long delay follows a short one, less. */
  readonly addsLeast: number
  readonly addsMost: number
  readonly rest: Extremes
}

/** The greatest draw: the last number below 1. */
const greatest = 1 - Number.EPSILON / 2

export const make = (tree: Tree): Extremes => {
  const prepared = evenly(tree)
  return { leasts: prepared, greatests: prepared, parted: remembers(prepared) || restartsTimes(prepared) }
}

/** A step at the end where everything is short and early: `undefined` where the back-off has ended. */
export const low = ({ leasts }: Extremes, { earlyMillis, kind, ranMillis }: Input): Step | undefined =>
  BackoffTree.step(leasts, { u: 0, kind, ranMillis, elapsedMillis: earlyMillis })

/** A step at the other end, where everything is long and late. */
export const high = ({ greatests }: Extremes, { kind, lateMillis, ranMillis }: Input): Step | undefined =>
  BackoffTree.step(greatests, { u: greatest, kind, ranMillis, elapsedMillis: lateMillis })

/** A step of all histories; `undefined` where the back-off has ended in all of them. */
export const step = (self: Extremes, input: Input): Range | undefined => {
  const [lowest, highest] = [low(self, input), high(self, input)]
  // A curve of one's own may end by chance: then it goes on in one history only.
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
  // The sums of a smooth curve lie between those of the two histories but for what rounding up adds to every delay.
  return { least, most, addsLeast: Math.max(least, shortest - 2), addsMost: Math.min(most, longest + 1), rest }
}

const early = ({ earlyMillis }: Input) => ({ earlyMillis, lateMillis: earlyMillis })

const late = ({ lateMillis }: Input) => ({ earlyMillis: lateMillis, lateMillis })

/** The greatest delay of a step before its jitter. */
export const boundMillis = (self: Extremes, input: Input): number => {
  const bound = (tree: Tree) => high({ ...self, greatests: withoutJitter(tree) }, input)?.delayMillis ?? 0
  return self.parted ? Math.max(bound(self.leasts), bound(self.greatests)) : bound(self.leasts)
}

const withoutJitter = (tree: Tree): Tree => BackoffTree.mapLeaves(tree, (leaf) => ({ ...leaf, jitter: Jitter.none }))

/** Whether a step of this tree depends on the draws before it. */
export const remembers = (tree: Tree): boolean =>
  BackoffTree.some(tree, (part) => part._tag === "Leaf" && drawsFromState(part))

const drawsFromState = ({ curve }: Leaf): boolean => curve.draws && curve.initial !== undefined

/** Whether a time inside counts from a failure, and not from the beginning of the operation. */
const restartsTimes = (tree: Tree): boolean =>
  BackoffTree.some(tree, (part) => part._tag === "ResetAfter" && hasWithin(part.initial))

export const hasWithin = (tree: Tree): boolean => BackoffTree.some(tree, (part) => part._tag === "Within")
