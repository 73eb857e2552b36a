/**
 * What back-offs answer to pinned draws.
 */
import type { Backoff, Curve } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"

/** A draw near the end of its range, but not so near that a sum of it is rounded up to the end. */
export const last = 1 - 2 ** -40

/** The delays of one operation in milliseconds, one for each draw, or `undefined` when the back-off has ended. */
export const delaysOf = (backoff: Backoff.Backoff, us: ReadonlyArray<number>): ReadonlyArray<number | undefined> => {
  let { tree } = backoff
  return us.map((u) => {
    const stepped = BackoffTree.step(tree, { u, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
    if (stepped !== undefined) tree = stepped.rest
    return stepped?.delayMillis
  })
}

/** The delay before retry `n` of a back-off whose delays do not depend on earlier ones. */
export const delayAt = (backoff: Backoff.Backoff, n: number, u: number): number | undefined => {
  const tree = BackoffTree.mapLeaves(backoff.tree, (leaf) => ({ ...leaf, n }))
  return BackoffTree.step(tree, { u, kind: undefined, ranMillis: 0, elapsedMillis: 0 })?.delayMillis
}

/** Draws from the middles of equal cells. */
export const cells = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => (i + 0.5) / count)

/** Seconds as milliseconds. */
export const seconds = (...values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value) => Math.round(value * 1000))

/** A value, `times` times. */
export const same = <A>(value: A, times: number): ReadonlyArray<A> => Array.from({ length: times }, () => value)

/** The curve of a back-off that is one leaf. */
export const curveOf = (backoff: Backoff.Backoff): Curve.Curve => {
  const { tree } = backoff
  if (tree._tag !== "Leaf") throw new Error(`no leaf but ${tree._tag}`)
  return tree.curve
}
