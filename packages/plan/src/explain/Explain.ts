/**
 * Explains a policy from its data alone.
 */
import * as Backoff from "@effect-retry/core/Backoff"
import type { Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import * as Hint from "@effect-retry/core/Hint"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type { Kind } from "@effect-retry/core/Verdict"
import { kinds } from "@effect-retry/core/Verdict"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { isEndless } from "./Endless.ts"
import { hasWithin } from "../bounds/Extremes.ts"
import { resetsOf } from "./Failing.ts"
import { follow, mostFollowed } from "./Follow.ts"
import type { Inputs } from "./Inputs.ts"
import { check } from "./Inputs.ts"
import type { Followed, Journey, Row } from "./Journey.ts"
import * as Limits from "./Limits.ts"
import * as Paths from "../bounds/Paths.ts"
import type { Explainable, Options, Plan, PlannedAttempt, Scheduled, Worst } from "./PlanRecord.ts"
import type { Assumption } from "./Remark.ts"
import { assumption, warning } from "./Remark.ts"
import * as Warnings from "./Warnings.ts"

/**
 * Explains a policy or a preset: the table of its attempts, its worst case, and warnings about probable mistakes.
 *
 * Exact to a millisecond with a few exceptions, in which the numbers are bounds that may be too wide: sums of
 * `Curve.decorrelatedSmooth` delays, by up to two milliseconds per retry, and by more if they are compared with other
 * delays, chosen by kind or must fit into a time; the last starts before a deadline if delays come in steps, by kind or
 * in slots; and your own curves or jitters if they do not reach the ends of their intervals. A mean that depends on
 * earlier draws is computed from a few hundred histories.
 *
 * The work is bounded, so a plan takes at most some tens of milliseconds. If kinds, long attempts and time limits leave
 * too many cases to follow, the remaining attempts are bounded instead, by the longest delays of the curves and by the
 * deadline, and the warning `NotFollowed` says so.
 *
 * Throws an `InvalidArgument` if the policy or an option is invalid.
 *
 * @category destructors
 */
export const explain = (policy: Explainable, options?: Options): Plan => {
  const owner = "Plan.explain"
  if (!Backoff.isBackoff(policy.backoff)) {
    return Argument.refuse(owner, "backoff", "a Backoff; explainSchedule takes any Schedule", policy.backoff)
  }
  const journey = journeyOf(policy, check(owner, policy, options))
  const rule = policy.hint ?? Hint.standard
  const endless = isEndless(journey)
  const plain = follow(journey, endless ? journey.rows : mostFollowed)
  const followsHints = rule._tag !== "Ignore" && Limits.mostAttempts(policy) > 1
  const hinted = () => (endless ? forEver : worst(policy, follow({ ...journey, hint: rule, rows: 1 }, mostFollowed)))
  return {
    attempts: plain.rows.map(plannedAttempt),
    worst: endless ? forEver : worst(policy, plain),
    hinted: followsHints ? Option.some(hinted()) : Option.none(),
    warnings: [
      ...(endless ? [warning({ _tag: "NeverEnds" })] : []),
      ...Warnings.ofAttempts(policy, endless ? { ...plain, complete: true } : plain),
      ...Warnings.ofBackoff(policy, plain)
    ],
    assumptions: [...assumptionsOf(policy, journey.takesMillis), ...backoffAssumptions(journey)]
  }
}

const journeyOf = (policy: Explainable, { prepared, rows, takesMillis }: Inputs): Journey => {
  const { tree } = policy.backoff
  return {
    policy,
    prepared,
    tree,
    parts: BackoffTree.countParts(tree),
    kinds: kindsOf(policy),
    byKind: BackoffTree.some(tree, (part) => part._tag === "ByKind"),
    resets: resetsOf(tree),
    timed: hasWithin(tree),
    start: Paths.start(tree),
    takesMillis,
    hint: Hint.ignore,
    rows
  }
}

/** The assumptions about a policy with any back-off. */
export const assumptionsOf = (policy: Scheduled<unknown>, takesMillis: number): ReadonlyArray<Assumption> => [
  ...(takesMillis === Infinity ? [] : [assumption({ _tag: "AttemptsTake", atMost: Duration.millis(takesMillis) })]),
  ...((policy.hint ?? Hint.standard)._tag === "Ignore" ? [] : [assumption({ _tag: "NoHints" })]),
  ...(policy.bucket === undefined ? [] : [assumption({ _tag: "BucketGrants" })]),
  ...(policy.rateLimiter === undefined ? [] : [assumption({ _tag: "RateLimiterGrants" })])
]

/** A row of the table. */
export const plannedAttempt = (row: Row): PlannedAttempt => ({
  attempt: row.attempt,
  attemptTimeout: Option.map(Option.fromNullable(row.timeoutMillis), Duration.millis),
  delay: Option.map(Option.fromNullable(row.delay), ({ bound, least, mean, most }) => ({
    bound: Duration.millis(bound),
    least: Duration.millis(least),
    mean: Duration.millis(Math.round(mean * 10) / 10),
    most: Duration.millis(most)
  })),
  earliest: Duration.millis(row.earliest),
  latest: Duration.millis(row.latest),
  waited: Duration.millis(row.waited)
})

/** The worst case of the attempts that were followed; if more are possible, a bound for all of them. */
export const worst = (policy: Scheduled<unknown>, followed: Omit<Followed, "rows" | "spreads">): Worst => {
  const attempts = followed.complete ? followed.attempts : Limits.mostAttempts(policy)
  return {
    attempts,
    waited: Duration.millis(followed.waitedMillis),
    elapsed: Duration.millis(followed.elapsedMillis),
    loadFactor: attempts
  }
}

/** The worst case of an operation that never stops. */
const forEver: Worst = {
  attempts: Infinity,
  waited: Duration.infinity,
  elapsed: Duration.infinity,
  loadFactor: Infinity
}

/** The kinds that the policy distinguishes, and one of the others. */
const kindsOf = ({ attemptsByKind, backoff }: Explainable): ReadonlyArray<Kind> => {
  const isCase = (part: Tree, kind: Kind) => part._tag === "ByKind" && part.cases[kind] !== undefined
  const named = kinds.filter(
    (kind) => attemptsByKind?.[kind] !== undefined || BackoffTree.some(backoff.tree, (part) => isCase(part, kind))
  )
  const other = kinds.find((kind) => !named.includes(kind))
  return other === undefined ? named : [...named, other]
}

const backoffAssumptions = (journey: Journey): ReadonlyArray<Assumption> => {
  const { tree } = journey.policy.backoff
  const longest = Limits.longestRun(journey, Limits.longestAttempt, 0)
  const neverResets = BackoffTree.some(tree, (part) => part._tag === "ResetAfter" && part.afterMillis > longest)
  return [
    ...(journey.kinds.length > 1 ? [assumption({ _tag: "AnyKind" })] : []),
    ...(neverResets ? [assumption({ _tag: "NeverReset" })] : [])
  ]
}
