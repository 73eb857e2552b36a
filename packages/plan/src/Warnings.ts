/**
 * Finds what is odd about a policy.
 */
import { Duration } from "effect"
import type { Leaf, RandomLeaf, Tree } from "@effect-retry/core/BackoffTree"
import * as BackoffTree from "@effect-retry/core/BackoffTree"
import * as Curve from "@effect-retry/core/Curve"
import type { Followed } from "./Follow.ts"
import { fit } from "./Limits.ts"
import type { Explainable, Scheduled } from "./PlanRecord.ts"
import type { Warning } from "./Remark.ts"
import { warning } from "./Remark.ts"

/**
 * What can be said of a policy with a `Backoff`.
 *
 * @category destructors
 */
export const ofBackoff = (policy: Explainable, followed: Followed): ReadonlyArray<Warning> => {
  const { tree } = policy.backoff
  const retried = followed.attempts > 1
  return [
    ...capsBelowBases(tree),
    ...(retried && policy.backoff.draws && !followed.spreads ? [warning({ _tag: "JitterWithoutEffect" })] : []),
    ...hintAboveCap(policy, tree)
  ]
}

/**
 * What can be said of any policy: how far its attempts get, and whether its times fit together.
 *
 * @category destructors
 */
export const ofAttempts = (policy: Scheduled<unknown>, followed: Omit<Followed, "rows">): ReadonlyArray<Warning> => {
  const { maxAttempts } = policy
  const { attempts, complete, refusedBy, uncertainFrom } = followed
  const finite = maxAttempts !== Infinity
  const unreachable = finite && refusedBy !== undefined && attempts < maxAttempts
  const uncertain = finite && uncertainFrom !== undefined && uncertainFrom <= attempts
  return [
    ...(complete ? [] : [warning({ _tag: "NotFollowed", attempts })]),
    ...(unreachable ? [warning({ _tag: "AttemptsUnreachable", from: attempts + 1, by: refusedBy })] : []),
    ...(uncertain ? [warning({ _tag: "AttemptsUncertain", from: uncertainFrom })] : []),
    ...timeoutBeyondDeadline(policy),
    ...hintBeyondDeadline(policy)
  ]
}

const timeoutBeyondDeadline = ({ attemptTimeout, deadline }: Scheduled<unknown>): ReadonlyArray<Warning> =>
  attemptTimeout !== undefined && deadline !== undefined && attemptTimeout.initialMillis > deadline.withinMillis
    ? [
        warning({
          _tag: "AttemptTimeoutBeyondDeadline",
          attemptTimeout: Duration.millis(attemptTimeout.initialMillis),
          deadline: Duration.millis(deadline.withinMillis)
        })
      ]
    : []

/** Only of a rule that the policy names: what the default follows can be seen in `hinted`. */
const hintBeyondDeadline = ({ deadline, hint }: Scheduled<unknown>): ReadonlyArray<Warning> =>
  deadline !== undefined &&
  (hint?._tag === "Floor" || hint?._tag === "Override") &&
  fit(deadline, 0, hint.atMostMillis) !== hint.atMostMillis
    ? [
        warning({
          _tag: "HintBeyondDeadline",
          atMost: Duration.millis(hint.atMostMillis),
          deadline: Duration.millis(deadline.withinMillis)
        })
      ]
    : []

const hintAboveCap = ({ hint }: Explainable, tree: Tree): ReadonlyArray<Warning> => {
  if (hint?._tag !== "Floor" && hint?._tag !== "Override") return []
  const capMillis = Math.max(...leaves(tree).map(capOf))
  return hint.atMostMillis > capMillis
    ? [warning({ _tag: "HintAboveCap", atMost: Duration.millis(hint.atMostMillis), cap: Duration.millis(capMillis) })]
    : []
}

const capsBelowBases = (tree: Tree): ReadonlyArray<Warning> => {
  const found = new Map<string, Warning>()
  for (const leaf of leaves(tree)) {
    const baseMillis = baseOf(leaf)
    const capMillis = capOf(leaf)
    if (capMillis >= baseMillis) continue
    const remark = warning({
      _tag: "CapBelowBase",
      cap: Duration.millis(capMillis),
      base: Duration.millis(baseMillis)
    })
    found.set(remark.message, remark)
  }
  return [...found.values()]
}

const leaves = (tree: Tree): ReadonlyArray<Leaf | RandomLeaf> => {
  const found: Array<Leaf | RandomLeaf> = []
  BackoffTree.some(tree, (part) => {
    if (part._tag === "Leaf" || part._tag === "RandomLeaf") found.push(part)
    return false
  })
  return found
}

/** The most a leaf answers, by its cap or by a maximum of its curve. */
const capOf = (leaf: Leaf | RandomLeaf): number =>
  leaf._tag === "RandomLeaf" && "maximumMillis" in leaf.curve
    ? Math.min(leaf.capMillis, leaf.curve.maximumMillis)
    : leaf.capMillis

/** What a curve grows from. */
const baseOf = (leaf: Leaf | RandomLeaf): number => {
  const { curve } = leaf
  switch (curve._tag) {
    case "Delays":
      return Math.min(...curve.delaysMillis)
    case "Decorrelated":
    case "DecorrelatedSmooth":
    case "Truncated":
      return curve.baseMillis
    case "Ethernet":
      return curve.slotMillis
    case "Celery":
      return curve.factorSeconds * 1000
    default:
      return Curve.boundMillis(curve, 1) ?? 0
  }
}
