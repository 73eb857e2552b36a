/**
 * A back-off as data, and the one interpreter that steps it.
 *
 * Leaves carry a curve, a cap and a jitter; nodes combine. `step` answers a delay and the tree that remains, so a tree
 * is its own state. Order within a leaf: bound, cap the bound, draw, round. The `Schedule` face of a `Backoff`, the
 * loop and the plan all call this one function.
 */
import type { Kind } from "../classify/Verdict.ts"
import * as Curve from "./Curve.ts"
import * as Jitter from "./Jitter.ts"
import * as RandomCurve from "./RandomCurve.ts"

/**
 * A curve with its cap and jitter, about to answer for retry `n`.
 *
 * @category models
 */
export interface Leaf {
  readonly _tag: "Leaf"
  readonly curve: Curve.Curve
  /** `Infinity` where there is no cap. */
  readonly capMillis: number
  readonly jitter: Jitter.Jitter
  readonly n: number
}

/**
 * A curve that draws by definition, with its cap.
 *
 * @category models
 */
export interface RandomLeaf {
  readonly _tag: "RandomLeaf"
  readonly curve: RandomCurve.RandomCurve
  readonly capMillis: number
  readonly n: number
  readonly previous: number
}

/**
 * @category models
 */
export type Tree =
  | Leaf
  | RandomLeaf
  | { readonly _tag: "Longest"; readonly left: Tree; readonly right: Tree }
  | { readonly _tag: "Shortest"; readonly left: Tree; readonly right: Tree }
  | { readonly _tag: "AndThen"; readonly first: Tree; readonly second: Tree }
  | { readonly _tag: "ByKind"; readonly cases: Cases; readonly orElse: Tree | undefined }
  | { readonly _tag: "ResetAfter"; readonly self: Tree; readonly initial: Tree; readonly afterMillis: number }

/**
 * A case that is `undefined` has ended; one that is absent falls to `orElse`.
 *
 * @category models
 */
export type Cases = { readonly [K in Kind]?: Tree | undefined }

/**
 * What a step may depend on, beside the tree itself.
 *
 * @category models
 */
export interface Input {
  /** The one draw of this step, in [0, 1), shared by everything in the tree. */
  readonly u: number
  /** The kind of the failure, where it is known. */
  readonly kind: Kind | undefined
  /** How long the attempt ran before it failed. */
  readonly ranMillis: number
}

/**
 * @category models
 */
export interface Step {
  /** Whole milliseconds. */
  readonly delayMillis: number
  readonly rest: Tree
}

/**
 * One step: the delay before the next attempt, or `undefined` where the back-off has ended.
 *
 * @category destructors
 */
export const step = (tree: Tree, input: Input): Step | undefined => {
  switch (tree._tag) {
    case "Leaf":
      return stepLeaf(tree, input.u)
    case "RandomLeaf":
      return stepRandomLeaf(tree, input.u)
    case "Longest": {
      const left = step(tree.left, input)
      const right = left === undefined ? undefined : step(tree.right, input)
      if (left === undefined || right === undefined) return undefined
      return {
        delayMillis: Math.max(left.delayMillis, right.delayMillis),
        rest: { _tag: "Longest", left: left.rest, right: right.rest }
      }
    }
    case "Shortest": {
      const left = step(tree.left, input)
      const right = step(tree.right, input)
      if (left === undefined || right === undefined) return left ?? right
      return {
        delayMillis: Math.min(left.delayMillis, right.delayMillis),
        rest: { _tag: "Shortest", left: left.rest, right: right.rest }
      }
    }
    case "AndThen": {
      const first = step(tree.first, input)
      return first === undefined
        ? step(tree.second, input)
        : { delayMillis: first.delayMillis, rest: { _tag: "AndThen", first: first.rest, second: tree.second } }
    }
    case "ByKind":
      return stepByKind(tree.cases, tree.orElse, input)
    case "ResetAfter": {
      const stepped = step(input.ranMillis >= tree.afterMillis ? tree.initial : tree.self, input)
      return stepped === undefined
        ? undefined
        : { delayMillis: stepped.delayMillis, rest: { ...tree, self: stepped.rest } }
    }
  }
}

/**
 * A delay as it is waited: whole milliseconds, rounded up, never above the cap nor `Curve.longestMillis`.
 *
 * A nanosecond is the dust of floating point, not the start of another millisecond.
 *
 * @category destructors
 */
export const wholeMillis = (millis: number, capMillis: number): number =>
  Math.max(0, Math.min(Math.ceil(millis - 1e-6), Math.floor(capMillis), Curve.longestMillis))

const stepLeaf = (leaf: Leaf, u: number): Step | undefined => {
  const bound = Curve.boundMillis(leaf.curve, leaf.n)
  if (bound === undefined) return undefined
  const drawn = Jitter.drawBelow(leaf.jitter, Math.min(bound, leaf.capMillis), leaf.capMillis, u)
  return {
    delayMillis: wholeMillis(drawn, leaf.capMillis),
    rest: { _tag: "Leaf", curve: leaf.curve, capMillis: leaf.capMillis, jitter: leaf.jitter, n: leaf.n + 1 }
  }
}

const stepRandomLeaf = (leaf: RandomLeaf, u: number): Step | undefined => {
  const drawn = RandomCurve.draw(leaf.curve, leaf.n, leaf.previous, leaf.capMillis, u)
  return drawn === undefined
    ? undefined
    : {
        delayMillis: wholeMillis(drawn.millis, leaf.capMillis),
        rest: { ...leaf, n: leaf.n + 1, previous: drawn.previous }
      }
}

/** Every case advances, so that the exponent counts the retries of the operation, not those of a kind. */
const stepByKind = (cases: Cases, orElse: Tree | undefined, input: Input): Step | undefined => {
  const advance = (tree: Tree | undefined) => (tree === undefined ? undefined : step(tree, input))
  const others = advance(orElse)
  const stepped: { [K in Kind]?: Tree | undefined } = {}
  let chosen = others
  for (const kind of Object.keys(cases) as Array<Kind>) {
    const next = advance(cases[kind])
    stepped[kind] = next?.rest
    if (kind === input.kind) chosen = next
  }
  return chosen === undefined
    ? undefined
    : { delayMillis: chosen.delayMillis, rest: { _tag: "ByKind", cases: stepped, orElse: others?.rest } }
}

/**
 * Rebuilds a tree from changed leaves: what `capped` and `jittered` do.
 *
 * @category combinators
 */
export const mapLeaves = (tree: Tree, f: (leaf: Leaf | RandomLeaf) => Tree): Tree => {
  switch (tree._tag) {
    case "Leaf":
    case "RandomLeaf":
      return f(tree)
    case "Longest":
    case "Shortest":
      return { _tag: tree._tag, left: mapLeaves(tree.left, f), right: mapLeaves(tree.right, f) }
    case "AndThen":
      return { _tag: "AndThen", first: mapLeaves(tree.first, f), second: mapLeaves(tree.second, f) }
    case "ByKind":
      return {
        _tag: "ByKind",
        cases: Object.fromEntries(
          Object.entries(tree.cases).map(([kind, branch]) => [kind, branch && mapLeaves(branch, f)])
        ),
        orElse: tree.orElse && mapLeaves(tree.orElse, f)
      }
    case "ResetAfter":
      return { ...tree, self: mapLeaves(tree.self, f), initial: mapLeaves(tree.initial, f) }
  }
}

/**
 * The tree without its caps: what a delay would have been.
 *
 * @category combinators
 */
export const uncapped = (tree: Tree): Tree => mapLeaves(tree, (leaf) => ({ ...leaf, capMillis: Infinity }))

/**
 * Whether any part of the tree satisfies `predicate`.
 *
 * @category guards
 */
export const some = (tree: Tree, predicate: (tree: Tree) => boolean): boolean => {
  if (predicate(tree)) return true
  switch (tree._tag) {
    case "Leaf":
    case "RandomLeaf":
      return false
    case "Longest":
    case "Shortest":
      return some(tree.left, predicate) || some(tree.right, predicate)
    case "AndThen":
      return some(tree.first, predicate) || some(tree.second, predicate)
    case "ByKind":
      return [...Object.values(tree.cases), tree.orElse].some(
        (branch) => branch !== undefined && some(branch, predicate)
      )
    case "ResetAfter":
      return some(tree.self, predicate)
  }
}

/**
 * Whether a step of this tree needs a random number.
 *
 * @category guards
 */
export const draws = (tree: Tree): boolean =>
  some(
    tree,
    (part) =>
      (part._tag === "Leaf" && part.jitter.draws) || (part._tag === "RandomLeaf" && RandomCurve.draws(part.curve))
  )

/**
 * Whether a step of this tree needs to know how long the attempt ran.
 *
 * @category guards
 */
export const readsTime = (tree: Tree): boolean => some(tree, (part) => part._tag === "ResetAfter")
