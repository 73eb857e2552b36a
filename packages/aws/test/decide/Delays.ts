/**
 * What back-offs answer to pinned draws.
 */
import type { Backoff, Curve, Verdict } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { Effect, Random } from "effect"

/** The delay in milliseconds before retry `n`, given the draw; 1 is the limit that draws come up to. */
export const delayAt = (backoff: Backoff.Backoff, n: number, u: number, kind?: Verdict.Kind): number | undefined => {
  const tree = BackoffTree.mapLeaves(backoff.tree, (leaf) => ({ ...leaf, n }))
  return BackoffTree.step(tree, { u, kind, ranMillis: 0, elapsedMillis: 0 })?.delayMillis
}

/** The delays of one operation whose attempts fail with these kinds, all draws being `u`. */
export const delaysOf = (
  backoff: Backoff.Backoff,
  u: number,
  kinds: ReadonlyArray<Verdict.Kind>
): ReadonlyArray<number | undefined> => {
  let { tree } = backoff
  return kinds.map((kind) => {
    const stepped = BackoffTree.step(tree, { u, kind, ranMillis: 0, elapsedMillis: 0 })
    if (stepped !== undefined) tree = stepped.rest
    return stepped?.delayMillis
  })
}

/** The delay before retry `n` for each of `count` draws of one seed. */
export const samples = (
  backoff: Backoff.Backoff,
  n: number,
  count: number,
  kind?: Verdict.Kind
): ReadonlyArray<number> => {
  const draws = Effect.runSync(Effect.replicateEffect(Random.make("delays").next, count))
  return draws.map((u) => delayAt(backoff, n, u, kind) ?? NaN)
}

/** The least and the greatest delay before retry `n`. */
export const rangeAt = (backoff: Backoff.Backoff, n: number, kind?: Verdict.Kind) => [
  Math.min(delayAt(backoff, n, 0, kind) ?? NaN, delayAt(backoff, n, 1, kind) ?? NaN),
  Math.max(delayAt(backoff, n, 0, kind) ?? NaN, delayAt(backoff, n, 1, kind) ?? NaN)
]

/** The samples in each interval of a second below `seconds`. */
export const bySecond = (delays: ReadonlyArray<number>, seconds: number): ReadonlyArray<number> =>
  Array.from({ length: seconds }, (_, second) => {
    const [from, to] = [second * 1000, (second + 1) * 1000]
    return delays.filter((delay) => delay > from && delay <= to).length
  })

/** The curves that a back-off is made of. */
export const curvesOf = (backoff: Backoff.Backoff): ReadonlyArray<Curve.Curve> => {
  const curves: Array<Curve.Curve> = []
  BackoffTree.mapLeaves(backoff.tree, (leaf) => {
    curves.push(leaf.curve)
    return leaf
  })
  return curves
}
