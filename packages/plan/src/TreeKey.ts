/**
 * Back-offs as text, to find equal ones.
 */
import type { Tree } from "@effect-retry/core/BackoffTree"
import type { Extremes } from "./Extremes.ts"

/**
 * Makes keys: extremes with the same key are the same back-off in the same state.
 *
 * @category constructors
 */
export const make = (): ((extremes: Extremes) => string) => {
  const idOf = identities()
  const replacer = (field: string, value: unknown) => (isFixed(field) || field === "state" ? idOf(value) : value)
  return ({ greatests, leasts, parted }) => JSON.stringify(parted ? [leasts, greatests] : leasts, replacer)
}

/**
 * What a back-off is made of and which parts have ended, without the state of its curves.
 *
 * @category destructors
 */
export const shapeOf = (tree: Tree | undefined): string => {
  const replacer = (field: string, value: unknown) => {
    if (field === "curve") return (value as { readonly name: string }).name
    return isFixed(field) || field === "state" || field === "sinceMillis" ? undefined : value
  }
  return tree === undefined ? "ended" : JSON.stringify(tree, replacer)
}

/** What no step changes is told apart by identity. */
const isFixed = (field: string): boolean => field === "curve" || field === "jitter" || field === "initial"

const identities = (): ((value: unknown) => number) => {
  const ids = new Map<unknown, number>()
  return (value) => {
    const id = ids.get(value) ?? ids.size
    ids.set(value, id)
    return id
  }
}
