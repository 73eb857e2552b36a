/**
 * The least, the greatest and the mean delay of a step, by stepping the one interpreter at the ends of its draw.
 *
 * Every delay rises with the draw of its own step, so the draws 0 and "just below 1" give its interval. What a curve
 * remembers of earlier draws is held by two trees: one that has seen only least draws, and one only greatest.
 */
import type { Leaf, Input, RandomLeaf, Tree } from "@effect-retry/core/BackoffTree"
import * as BackoffTree from "@effect-retry/core/BackoffTree"
import * as Jitter from "@effect-retry/core/Jitter"
import * as RandomCurve from "@effect-retry/core/RandomCurve"

/**
 * The same back-off after two histories: only least draws, and only greatest ones.
 *
 * @category models
 */
export interface Extremes {
  readonly leasts: Tree
  /** The same tree as `leasts` where nothing remembers a draw. */
  readonly greatests: Tree
}

/**
 * A step of all histories at once, in milliseconds.
 *
 * @category models
 */
export interface Range {
  /** What this one delay is at least and at most. */
  readonly least: number
  readonly most: number
  /** What it adds to the sum of all delays at least and at most: where a long delay follows a short one, less. */
  readonly addsLeast: number
  readonly addsMost: number
  readonly rest: Extremes
}

/**
 * How many failures a plan follows.
 *
 * @category constructors
 */
export const mostFollowed = 5_000

/** The greatest draw: the last number below 1. */
const greatest = 1 - Number.EPSILON / 2

/**
 * For so many retries.
 *
 * @category constructors
 */
export const make = (tree: Tree, retries: number): Extremes => {
  const prepared = overDeclared(comparable(tree, retries))
  return { leasts: prepared, greatests: prepared }
}

/**
 * @category destructors
 */
export const step = (self: Extremes, input: Omit<Input, "u">): Range | undefined => {
  const low = BackoffTree.step(self.leasts, { ...input, u: 0 })
  const high = BackoffTree.step(self.greatests, { ...input, u: greatest })
  if (low === undefined || high === undefined) return undefined
  if (self.leasts === self.greatests && !remembers(self.leasts)) {
    const [least, most] = [low.delayMillis, high.delayMillis]
    return { least, most, addsLeast: least, addsMost: most, rest: { leasts: low.rest, greatests: low.rest } }
  }
  const lowAfterHigh = BackoffTree.step(self.greatests, { ...input, u: 0 }) ?? low
  const highAfterLow = BackoffTree.step(self.leasts, { ...input, u: greatest }) ?? high
  const least = Math.min(low.delayMillis, lowAfterHigh.delayMillis)
  const most = Math.max(high.delayMillis, highAfterLow.delayMillis)
  // The sums of a smooth curve lie between those of the two histories but for what rounding up adds to every delay.
  return {
    least,
    most,
    addsLeast: Math.max(least, low.delayMillis - 2),
    addsMost: Math.min(most, high.delayMillis + 1),
    rest: { leasts: low.rest, greatests: high.rest }
  }
}

/**
 * The greatest delay of a step before its jitter.
 *
 * @category destructors
 */
export const boundMillis = (self: Extremes, input: Omit<Input, "u">): number => {
  const bound = (tree: Tree) =>
    BackoffTree.step(
      BackoffTree.mapLeaves(tree, (leaf) => (leaf._tag === "Leaf" ? { ...leaf, jitter: Jitter.none } : leaf)),
      { ...input, u: greatest }
    )?.delayMillis ?? 0
  return Math.max(bound(self.leasts), bound(self.greatests))
}

/**
 * What a mean is taken over: the trees after some histories, in the order of their last delay.
 *
 * @category models
 */
export type Histories = ReadonlyArray<Tree>

const population = 256

/**
 * One history is enough where nothing remembers a draw.
 *
 * @category constructors
 */
export const histories = (tree: Tree): Histories =>
  remembers(tree) ? Array.from({ length: population }, () => tree) : [tree]

/**
 * The mean delay before retry `n`, and the histories after it.
 *
 * @category destructors
 */
export const mean = (
  self: Histories,
  n: number,
  input: Omit<Input, "u">
): { readonly millis: number; readonly rest: Histories } | undefined => {
  const [only, another] = self
  const alone = another === undefined
  const steps = alone
    ? middles.flatMap((u) => (only && BackoffTree.step(only, { ...input, u })) ?? [])
    : self.flatMap((tree, i) => BackoffTree.step(tree, { ...input, u: scattered(i, n) }) ?? [])
  if (steps.length === 0) return undefined
  const ordered = alone ? steps.slice(0, 1) : steps.toSorted((a, b) => a.delayMillis - b.delayMillis)
  return {
    millis: steps.reduce((sum, { delayMillis }) => sum + delayMillis, 0) / steps.length,
    rest: ordered.map(({ rest }) => rest)
  }
}

/** The middles of a thousand equal parts of [0, 1). */
const middles: ReadonlyArray<number> = /*#__PURE__*/ Array.from({ length: 1000 }, (_, i) => (i + 0.5) / 1000)

const golden = (Math.sqrt(5) - 1) / 2

/**
 * Neighbours have had like histories and draw far apart from each other (van der Corput's sequence), so that every part
 * of the population sees all draws, and a small one is enough. From retry to retry the draws move on by the golden
 * section.
 */
const scattered = (i: number, n: number): number => {
  let u = 0.5 / population
  for (let rest = i, part = 0.5; rest > 0; rest >>= 1, part /= 2) u += (rest & 1) * part
  return (u + n * golden) % 1
}

const remembers = (tree: Tree): boolean =>
  BackoffTree.some(
    tree,
    (part) =>
      part._tag === "RandomLeaf" && (part.curve._tag === "Decorrelated" || part.curve._tag === "DecorrelatedSmooth")
  )

/** Draws of a user's jitter need not rise; drawn evenly over the declared interval they do. */
const overDeclared = (tree: Tree): Tree => {
  const even = new Map<Jitter.Jitter, Jitter.Jitter>()
  const drawnEvenly = (jitter: Jitter.Jitter): Jitter.Jitter => {
    const known = even.get(jitter)
    if (known !== undefined) return known
    const made: Jitter.Jitter = {
      ...jitter,
      draw: (bound, u) => {
        const [low, high] = jitter.interval(bound)
        return low + u * (high - low)
      }
    }
    even.set(jitter, made)
    return made
  }
  return BackoffTree.mapLeaves(tree, (leaf) =>
    leaf._tag === "Leaf" ? { ...leaf, jitter: drawnEvenly(leaf.jitter) } : leaf
  )
}

/**
 * A smooth curve answers a long delay after a short one. Where its delays are compared with others or chosen by kind,
 * its sums are no longer smooth, so there it becomes what it is without its memory: anything up to its bound.
 */
const comparable = (tree: Tree, retries: number): Tree => {
  switch (tree._tag) {
    case "Leaf":
    case "RandomLeaf":
      return tree
    case "AndThen":
      return { _tag: "AndThen", first: comparable(tree.first, retries), second: comparable(tree.second, retries) }
    case "ResetAfter":
      return { ...tree, self: comparable(tree.self, retries), initial: comparable(tree.initial, retries) }
    case "Longest":
    case "Shortest":
    case "ByKind":
      return BackoffTree.mapLeaves(tree, (leaf) => (isSmooth(leaf) ? withoutMemory(leaf, retries) : leaf))
  }
}

const isSmooth = (leaf: Leaf | RandomLeaf): leaf is RandomLeaf =>
  leaf._tag === "RandomLeaf" && leaf.curve._tag === "DecorrelatedSmooth"

const withoutMemory = ({ capMillis, curve, n }: RandomLeaf, retries: number): Leaf => {
  const delaysMillis: Array<number> = []
  let previous = 0
  for (let retry = 1; retry < n + retries; retry++) {
    delaysMillis.push(RandomCurve.draw(curve, retry, previous, capMillis, greatest)?.millis ?? 0)
    previous = RandomCurve.draw(curve, retry, previous, capMillis, 0)?.previous ?? 0
  }
  return { _tag: "Leaf", curve: { _tag: "Delays", delaysMillis }, capMillis, jitter: Jitter.full, n }
}
