/**
 * A back-off as data, and the one interpreter that steps it.
 *
 * Leaves hold a curve, a cap and a jitter; nodes combine. `step` returns a delay and the remaining tree, so a tree is
 * its own state. Order within a leaf: bound, cap the bound, draw, round. The schedule of a `Backoff`, the loop and the
 * plan all call this one function.
 *
 * Every part sees every step, even while another part gives the delay, so a composite depends at each step on what its parts
 * give at that step. A curve, a count or a time that has ended stays ended until a `ResetAfter` around it starts over.
 */
import * as Argument from "../accept/Argument.ts"
import type { Kind } from "../classify/Verdict.ts"
import type { Curve } from "./CurveShape.ts"
import { bounds } from "./CurveShape.ts"
import { below } from "./CappedDraw.ts"
import * as Jitter from "./Jitter.ts"
import { longestMillis, wholeMillis } from "./Millis.ts"
import type { ByKind, Leaf, ResetAfter, Tree } from "./TreeShape.ts"
import { some } from "./TreeShape.ts"

export {
  type ByKind,
  countParts,
  draws,
  type Leaf,
  mapLeaves,
  mostParts,
  readsTime,
  type ResetAfter,
  some,
  type Tree
} from "./TreeShape.ts"

/** What a step may depend on, besides the tree itself. */
export interface Input {
  /** The one draw of this step, in [0, 1), shared by everything in the tree. */
  readonly u: number
  /** The kind of the failure, if known. */
  readonly kind: Kind | undefined
  /** How long the attempt ran before it failed. */
  readonly ranMillis: number
  /** Time since the operation began: at its first attempt in our loop, at its first failure in a native schedule. */
  readonly elapsedMillis: number
  /** The least time that the wait will last, whatever the delay: a hint that is followed. @default 0 */
  readonly atLeastMillis?: number
}

export interface Step {
  /** Whole milliseconds. */
  readonly delayMillis: number
  /** Whether a cap made this delay shorter: it lies below the curve's bound, or below the end of the jitter's interval. */
  readonly capped: boolean
  readonly rest: Tree
}

/** One step: the delay before the next attempt, or `undefined` if the back-off has ended. */
export const step = (tree: Tree, input: Input): Step | undefined => {
  const stepped = advance(tree, input)
  return stepped.delayMillis === undefined ? undefined : stepped
}

/** A step without a delay; parts of `rest` may still start over. */
interface Ended {
  readonly delayMillis: undefined
  readonly rest: Tree
}

/** A tree that has ended for good. */
const gone: Leaf = {
  _tag: "Leaf",
  curve: bounds("ended", () => undefined),
  state: undefined,
  capMillis: Infinity,
  jitter: Jitter.none,
  n: 1
}

const over: Ended = { delayMillis: undefined, rest: gone }

const advance = (tree: Tree, input: Input): Step | Ended => {
  switch (tree._tag) {
    case "Leaf":
      return advanceLeaf(tree, input.u)
    case "Max":
      return advanceMax(advance(tree.left, input), advance(tree.right, input))
    case "Min":
      return advanceMin(advance(tree.left, input), advance(tree.right, input))
    case "AndThen":
      return advanceAndThen(advance(tree.first, input), tree.second, input)
    case "ByKind":
      return advanceByKind(tree, input)
    case "ResetAfter":
      return advanceResetAfter(tree, input)
    case "Within": {
      const stepped = advance(tree.self, input)
      if (stepped.rest === gone || endsWithin(tree.withinMillis, stepped, input)) return over
      return around(stepped, { _tag: "Within", self: stepped.rest, withinMillis: tree.withinMillis })
    }
    case "Take": {
      if (tree.left <= 0) return over
      const stepped = advance(tree.self, input)
      if (stepped.rest === gone) return over
      const left = stepped.delayMillis === undefined ? tree.left : tree.left - 1
      return around(stepped, { _tag: "Take", self: stepped.rest, left })
    }
  }
}

const endsWithin = (withinMillis: number, { delayMillis }: Step | Ended, input: Input): boolean =>
  delayMillis !== undefined && input.elapsedMillis + Math.max(delayMillis, input.atLeastMillis ?? 0) >= withinMillis

const advanceLeaf = ({ capMillis, curve, jitter, n, state }: Leaf, u: number): Step | Ended => {
  const millis = curve.delayMillis(n, state, capMillis, u)
  if (millis === undefined) return over
  const bound = Math.min(millis, capMillis)
  const drawn = jitter.draw(bound, u)
  const delay = capMillis === Infinity ? drawn : below(jitter, bound, drawn, capMillis)
  if (!(delay >= 0)) return Argument.refuse(`Jitter.${jitter.name}`, "draw", "a number >= 0", delay)
  return {
    delayMillis: wholeMillis(delay, capMillis),
    capped:
      capMillis !== Infinity &&
      (millis > capMillis || delay < drawn || (curve.draws && isShortened(curve, n, state, millis, u))),
    rest: { _tag: "Leaf", curve, state: curve.next(millis, n, state, capMillis, u), capMillis, jitter, n: n + 1 }
  }
}

/**
 * Whether the cap has shortened the delay of a curve that draws, whose formula includes the cap. Its state comes from capped
 * delays, so its value without the cap need not lie in its interval.
 */
const isShortened = (curve: Curve, n: number, state: unknown, millis: number, u: number): boolean =>
  Math.min(curve.uncheckedMillis(n, state, Infinity, u) ?? 0, longestMillis) > millis

const advanceMax = (left: Step | Ended, right: Step | Ended): Step | Ended => {
  if (left.rest === gone || right.rest === gone) return over
  const rest: Tree = { _tag: "Max", left: left.rest, right: right.rest }
  if (left.delayMillis === undefined || right.delayMillis === undefined) return { delayMillis: undefined, rest }
  const longer = left.delayMillis > right.delayMillis ? left : right
  const capped = longer.capped || (left.delayMillis === right.delayMillis && left.capped)
  return { delayMillis: longer.delayMillis, capped, rest }
}

const advanceMin = (left: Step | Ended, right: Step | Ended): Step | Ended => {
  if (left.rest === gone) return right
  if (right.rest === gone) return left
  const rest: Tree = { _tag: "Min", left: left.rest, right: right.rest }
  if (left.delayMillis === undefined) return around(right, rest)
  if (right.delayMillis === undefined) return around(left, rest)
  const shorter = left.delayMillis < right.delayMillis ? left : right
  const capped = shorter.capped && (left.delayMillis !== right.delayMillis || left.capped)
  return { delayMillis: shorter.delayMillis, capped, rest }
}

/** The second does not advance while the first gives delays. */
const advanceAndThen = (first: Step | Ended, second: Tree, input: Input): Step | Ended => {
  if (first.delayMillis !== undefined) return around(first, { _tag: "AndThen", first: first.rest, second })
  const stepped = advance(second, input)
  return first.rest === gone ? stepped : around(stepped, { _tag: "AndThen", first: first.rest, second: stepped.rest })
}

/** Every case advances, so that the exponent counts the retries of the operation, not those of a kind. */
const advanceByKind = ({ cases, orElse }: ByKind, input: Input): Step | Ended => {
  const others = advance(orElse, input)
  const stepped: { [K in Kind]?: Tree } = {}
  let chosen = others
  for (const kind of Object.keys(cases) as Array<Kind>) {
    const part = cases[kind]
    if (part === undefined) continue
    const next = advance(part, input)
    stepped[kind] = next.rest
    if (kind === input.kind) chosen = next
  }
  return around(chosen, { _tag: "ByKind", cases: stepped, orElse: others.rest })
}

const advanceResetAfter = (tree: ResetAfter, input: Input): Step | Ended => {
  const { afterMillis, initial } = tree
  const again = input.ranMillis >= afterMillis
  const sinceMillis = again && hasWithin(initial) ? input.elapsedMillis : tree.sinceMillis
  const counted = sinceMillis === 0 ? input : { ...input, elapsedMillis: input.elapsedMillis - sinceMillis }
  const stepped = advance(again ? initial : tree.self, counted)
  return around(stepped, { _tag: "ResetAfter", self: stepped.rest, initial, afterMillis, sinceMillis })
}

const hasWithin = (tree: Tree): boolean => some(tree, (part) => part._tag === "Within")

/** The same step with another remaining tree. */
const around = (stepped: Step | Ended, rest: Tree): Step | Ended =>
  stepped.delayMillis === undefined
    ? { delayMillis: undefined, rest }
    : { delayMillis: stepped.delayMillis, capped: stepped.capped, rest }
