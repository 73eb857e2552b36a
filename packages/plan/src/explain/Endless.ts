/**
 * Finds out whether anything ends an operation that never succeeds.
 */
import type { Leaf, Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import type { Kind } from "@effect-retry/core/Verdict"
import type { Journey } from "./Journey.ts"
import * as Limits from "./Limits.ts"

/** Whether failures of one kind can go on for ever: no count, no deadline and no end of the back-off stops them. */
export const isEndless = (journey: Journey): boolean => {
  const { attemptsByKind, backoff, deadline, maxAttempts } = journey.policy
  const longest = Limits.longestRun(journey, Limits.longestAttempt, 0)
  const unlimited = (kind: Kind) => (attemptsByKind?.[kind] ?? maxAttempts) === Infinity
  return deadline === undefined && journey.kinds.some((kind) => unlimited(kind) && goesOn(backoff.tree, kind, longest))
}

/** Whether a tree gives delays for ever if all failures have one kind and all attempts run as long as they can. */
const goesOn = (tree: Tree, kind: Kind, ranMillis: number): boolean => {
  const on = (part: Tree) => goesOn(part, kind, ranMillis)
  switch (tree._tag) {
    case "Leaf":
      return isLong(tree)
    case "Max":
      return on(tree.left) && on(tree.right)
    case "Min":
      return on(tree.left) || on(tree.right)
    case "AndThen":
      return on(tree.first) || on(tree.second)
    case "ByKind":
      return on(tree.cases[kind] ?? tree.orElse)
    case "ResetAfter":
      return on(tree.self) || (ranMillis >= tree.afterMillis && answers(tree.initial, kind, ranMillis))
    case "Within":
    case "Take":
      return false
  }
}

const answers = (tree: Tree, kind: Kind, ranMillis: number): boolean =>
  BackoffTree.step(tree, { u: 0, kind, ranMillis, elapsedMillis: 0 }) !== undefined

/** A number of retries that no list and no counting curve reaches. */
const far = 10_000_000

/** How far a curve with a state is followed. */
const near = 1_000

/** Whether a curve continues: at the retry `far` or, if it has a state, as far as it is followed. */
const isLong = ({ capMillis, curve, n, state }: Leaf): boolean => {
  if (curve.initial === undefined) return curve.delayMillis(far, state, capMillis, 0) !== undefined
  let current = state
  for (let retry = n; retry < n + near; retry++) {
    const millis = curve.delayMillis(retry, current, capMillis, 0)
    if (millis === undefined) return false
    current = curve.next(millis, retry, current, capMillis, 0)
  }
  return true
}
