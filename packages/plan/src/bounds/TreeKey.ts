/**
 * Describes back-offs as text, to find equal ones.
 */
import type { Leaf, Tree } from "@effect-retry/core/unstable/BackoffTree"
import type { Extremes } from "./Extremes.ts"

/** Makes a function from extremes to keys: the same key means the same back-off in the same state. */
export const make = (): ((extremes: Extremes) => string) => {
  const idOf = identities()
  const leaf = ({ capMillis, curve, jitter, n, state }: Leaf) =>
    `${idOf(curve)},${idOf(state)},${capMillis},${idOf(jitter)},${n}`
  return ({ greatests, leasts, parted }) => {
    const key = text(leasts, leaf, (since) => since)
    return parted ? `${key} ${text(greatests, leaf, (since) => since)}` : key
  }
}

/** The structure of a back-off and which parts have ended, without the state of its curves. */
export const shapeOf = (tree: Tree | undefined): string =>
  tree === undefined
    ? "ended"
    : text(
        tree,
        ({ curve, n }) => `${curve.name},${n}`,
        () => 0
      )

/** The parts in order, without what no step changes. */
const text = (tree: Tree, leaf: (leaf: Leaf) => string, since: (millis: number) => number): string => {
  const part = (tree: Tree): string => {
    switch (tree._tag) {
      case "Leaf":
        return leaf(tree)
      case "Max":
      case "Min":
        return `${tree._tag}(${part(tree.left)};${part(tree.right)})`
      case "AndThen":
        return `AndThen(${part(tree.first)};${part(tree.second)})`
      case "ByKind":
        return `ByKind(${[...Object.values(tree.cases), tree.orElse].map(part).join(";")})`
      case "ResetAfter":
        return `ResetAfter(${part(tree.self)};${since(tree.sinceMillis)})`
      case "Within":
        return `Within(${part(tree.self)};${tree.withinMillis})`
      case "Take":
        return `Take(${part(tree.self)};${tree.left})`
    }
  }
  return part(tree)
}

/** Numbers functions and states by identity. */
const identities = (): ((value: unknown) => number) => {
  const ids = new Map<unknown, number>()
  return (value) => {
    const known = ids.get(value)
    if (known !== undefined) return known
    ids.set(value, ids.size)
    return ids.size - 1
  }
}
