/**
 * Finds probable mistakes in a policy.
 */
import * as Duration from "effect/Duration"
import type { Leaf, Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import type { Followed } from "./Journey.ts"
import { fit, mostAttempts } from "./Limits.ts"
import type { Explainable, Scheduled } from "./PlanRecord.ts"
import type { Warning } from "./Remark.ts"
import { warning } from "./Remark.ts"

/** The warnings about a policy with a `Backoff`. */
export const ofBackoff = (policy: Explainable, followed: Followed): ReadonlyArray<Warning> => {
  const { tree } = policy.backoff
  const retried = followed.attempts > 1
  return [
    ...capsBelowBases(tree),
    ...(retried && policy.backoff.draws && !followed.spreads ? [warning({ _tag: "JitterWithoutEffect" })] : []),
    ...hintAboveCap(policy, tree)
  ]
}

/** The warnings about any policy: which attempts it reaches, and whether its times fit together. */
export const ofAttempts = (
  policy: Scheduled<unknown>,
  followed: Omit<Followed, "rows" | "spreads">
): ReadonlyArray<Warning> => {
  const { attempts, complete, refusedBy, uncertainFrom } = followed
  const finite = mostAttempts(policy) !== Infinity
  const unreachable = finite && refusedBy !== undefined
  const uncertain = finite && uncertainFrom <= attempts
  return [
    ...(complete ? [] : [warning({ _tag: "NotFollowed", attempts })]),
    ...(unreachable ? [warning({ _tag: "AttemptsUnreachable", from: attempts + 1, by: refusedBy })] : []),
    ...(uncertain ? [warning({ _tag: "AttemptsUncertain", from: uncertainFrom })] : []),
    ...timeoutBeyondDeadline(policy),
    ...hintBeyondDeadline(policy)
  ]
}

const timeoutBeyondDeadline = ({ attemptTimeout, deadline }: Scheduled<unknown>): ReadonlyArray<Warning> => {
  const firstMillis = attemptTimeout?.millisOf(1, 0)
  return firstMillis !== undefined && deadline !== undefined && firstMillis > deadline.withinMillis
    ? [
        warning({
          _tag: "AttemptTimeoutBeyondDeadline",
          attemptTimeout: Duration.millis(firstMillis),
          deadline: Duration.millis(deadline.withinMillis)
        })
      ]
    : []
}

/** Only for a rule that the policy sets: what the default follows is shown in `hinted`. */
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
  const capMillis = Math.max(...leaves(tree).map((leaf) => leaf.capMillis))
  return hint.atMostMillis > capMillis
    ? [warning({ _tag: "HintAboveCap", atMost: Duration.millis(hint.atMostMillis), cap: Duration.millis(capMillis) })]
    : []
}

const capsBelowBases = (tree: Tree): ReadonlyArray<Warning> => {
  const found = new Map<string, Warning>()
  for (const leaf of leaves(tree)) {
    const { capMillis } = leaf
    const baseMillis = capMillis === Infinity ? 0 : baseOf(leaf)
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

const leaves = (tree: Tree): ReadonlyArray<Leaf> => {
  const found: Array<Leaf> = []
  BackoffTree.some(tree, (part) => {
    if (part._tag === "Leaf") found.push(part)
    return false
  })
  return found
}

/** How many delays of a curve are checked. */
const first = 20

/** The base of a curve: its shortest delay, or the longest draw if its delays can be zero. */
const baseOf = ({ curve, n }: Leaf): number => {
  let state = curve.initial
  let base = Infinity
  for (let retry = n; retry < n + first; retry++) {
    const millis = curve.delayMillis(retry, state, Infinity, 0)
    if (millis === undefined) break
    const [least, greatest] = curve.intervalMillis(retry, Infinity)
    base = Math.min(base, curve.draws && least === 0 ? greatest : least)
    state = curve.next(millis, retry, state, Infinity, 0)
  }
  return base === Infinity ? 0 : base
}
