/**
 * A back-off as data: leaves, nodes, and queries that need no step.
 */
import type { Kind } from "../classify/Verdict.ts"
import type { Curve } from "./CurveShape.ts"
import type * as Jitter from "./Jitter.ts"

/** A curve with its cap and jitter; retry `n` is next. */
export interface Leaf {
  readonly _tag: "Leaf"
  readonly curve: Curve
  /** The curve's own state. */
  readonly state: unknown
  /** `Infinity` without a cap. */
  readonly capMillis: number
  /** `Jitter.none` if the curve draws by itself. */
  readonly jitter: Jitter.Jitter
  readonly n: number
}

export type Tree =
  | Leaf
  | { readonly _tag: "Max"; readonly left: Tree; readonly right: Tree }
  | { readonly _tag: "Min"; readonly left: Tree; readonly right: Tree }
  | { readonly _tag: "AndThen"; readonly first: Tree; readonly second: Tree }
  | ByKind
  | ResetAfter
  | { readonly _tag: "Within"; readonly self: Tree; readonly withinMillis: number }
  | { readonly _tag: "Take"; readonly self: Tree; readonly left: number }

/** A back-off for each kind of failure; all of them advance with every step. */
export interface ByKind {
  readonly _tag: "ByKind"
  /** An absent kind uses `orElse`. */
  readonly cases: { readonly [K in Kind]?: Tree }
  readonly orElse: Tree
}

/** Continues with `self`, or from `initial` after an attempt that ran for `afterMillis`. */
export interface ResetAfter {
  readonly _tag: "ResetAfter"
  readonly self: Tree
  readonly initial: Tree
  readonly afterMillis: number
  /** The `elapsedMillis` at which it last started over, from which its parts count. Always 0 without `Within`. */
  readonly sinceMillis: number
}

/** Rebuilds a node from changed parts. */
const mapParts = (tree: Tree, f: (part: Tree) => Tree): Tree => {
  switch (tree._tag) {
    case "Leaf":
      return tree
    case "Max":
    case "Min":
      return { ...tree, left: f(tree.left), right: f(tree.right) }
    case "AndThen":
      return { ...tree, first: f(tree.first), second: f(tree.second) }
    case "ByKind": {
      const cases = Object.entries(tree.cases).map(([kind, part]) => [kind, f(part)])
      return { ...tree, cases: Object.fromEntries(cases), orElse: f(tree.orElse) }
    }
    case "ResetAfter": {
      const initial = f(tree.initial)
      return { ...tree, initial, self: tree.self === tree.initial ? initial : f(tree.self) }
    }
    case "Within":
    case "Take":
      return { ...tree, self: f(tree.self) }
  }
}

/** Rebuilds a tree from changed leaves; used by `capped` and `jittered`. */
export const mapLeaves = (tree: Tree, f: (leaf: Leaf) => Tree): Tree =>
  tree._tag === "Leaf" ? f(tree) : mapParts(tree, (part) => mapLeaves(part, f))

/** Whether any part of the tree satisfies `predicate`, including parts that a `ResetAfter` can restart. */
export const some = (tree: Tree, predicate: (tree: Tree) => boolean): boolean =>
  predicate(tree) || partsOf(tree).some((part) => some(part, predicate))

/** Whether a step of this tree needs a random number. */
export const draws = (tree: Tree): boolean =>
  some(tree, (part) => part._tag === "Leaf" && (part.jitter.draws || part.curve.draws))

/** Whether a step of this tree depends on how long the attempt or the operation has run. */
export const readsTime = (tree: Tree): boolean =>
  some(tree, (part) => part._tag === "ResetAfter" || part._tag === "Within")

/** How many parts a tree may have, so that stepping it never exhausts the stack. */
export const mostParts = 1_000

/** How many leaves and nodes the tree has; stops counting above `mostParts`. */
export const countParts = (tree: Tree): number => {
  const open = [tree]
  let count = 0
  for (let part = open.pop(); part !== undefined && count <= mostParts; part = open.pop()) {
    count += 1
    open.push(...partsOf(part))
  }
  return count
}

const partsOf = (tree: Tree): ReadonlyArray<Tree> => {
  const parts: Array<Tree> = []
  mapParts(tree, (part) => {
    parts.push(part)
    return part
  })
  return parts
}
