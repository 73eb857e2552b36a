/**
 * Explains a policy from its data alone.
 */
import { Duration, Option } from "effect"
<<<<<<< HEAD:packages/plan/src/Explain.ts
import * as Argument from "@effect-retry/core/InvalidArgument"
import type { Kind } from "@effect-retry/core/Verdict"
import { kinds } from "@effect-retry/core/Verdict"
import * as Backoff from "@effect-retry/core/Backoff"
import type { Tree } from "@effect-retry/core/BackoffTree"
import * as BackoffTree from "@effect-retry/core/BackoffTree"
import * as Hint from "@effect-retry/core/Hint"
=======
import * as Argument from "../accept/InvalidArgument.ts"
import type { Kind } from "../classify/Verdict.ts"
import { kinds } from "../classify/Verdict.ts"
import * as Backoff from "../decide/Backoff.ts"
import type { Tree } from "../decide/BackoffTree.ts"
import * as BackoffTree from "../decide/BackoffTree.ts"
import * as Hint from "../decide/Hint.ts"
>>>>>>> f47fce8 (Rewrite the loop around one decision and one port):packages/core/src/plan/Explain.ts
import { mostFollowed } from "./Extremes.ts"
import type { Followed, Journey, Row } from "./Follow.ts"
import { follow } from "./Follow.ts"
import { latestStart, longestRun } from "./Limits.ts"
import type { Explainable, Options, Plan, PlannedAttempt, Scheduled, Worst } from "./PlanRecord.ts"
import type { Assumption } from "./Remark.ts"
import { assumption, warning } from "./Remark.ts"
import * as Warnings from "./Warnings.ts"

/**
 * Explains a policy or a preset: the table of its attempts, its worst case, and what is odd about it.
 *
 * Exact to a millisecond but in three cases, in which the numbers are never exceeded and may be too wide: sums of
 * `decorrelatedSmooth` delays, by up to two milliseconds per retry, and by more where they are compared with other delays
 * or chosen by kind; the last starts before a deadline where delays come in steps, by kind or in slots; and delays of a
 * jitter of your own that does not reach the ends of its interval. A mean over what earlier draws have left behind is
 * taken from a thousand histories.
 *
 * Throws an `InvalidArgument` where the policy or an option cannot be worked with.
 *
 * @category destructors
 */
export const explain = <P extends Explainable>(policy: P, options?: Options): Plan => {
  const owner = "Plan.explain"
  if (!Backoff.isBackoff(policy.backoff)) {
    return Argument.refuse(owner, "backoff", "a Backoff; explainSchedule takes any Schedule", policy.backoff)
  }
  const { rows, takesMillis } = checked(owner, policy, options)
  const rule = policy.hint ?? Hint.standard
  const journey = { policy, kinds: kindsOf(policy.backoff.tree), takesMillis, hint: Hint.ignore, rows }
  const endless = goesOnForEver(journey)
  const plain = follow(journey, endless ? rows : mostFollowed)
  const hints = rule._tag === "Ignore" || policy.maxAttempts === 1 ? undefined : { ...journey, hint: rule, rows: 1 }
  return {
    attempts: plain.rows.map(plannedAttempt),
    worst: endless ? forEver : worst(journey, plain),
    hinted: Option.map(Option.fromNullable(hints), (journey) =>
      endless ? forEver : worst(journey, follow(journey, mostFollowed))
    ),
    warnings: [
      ...(endless ? [warning({ _tag: "NeverEnds" })] : []),
      ...Warnings.ofAttempts(policy, endless ? { ...plain, complete: true } : plain),
      ...Warnings.ofBackoff(policy, plain)
    ],
    assumptions: [...assumptionsOf(policy, takesMillis), ...backoffAssumptions(journey)]
  }
}

/**
 * Checks what all explanations need.
 *
 * @category guards
 */
export const checked = (
  owner: string,
  { attemptTimeout, maxAttempts }: Omit<Scheduled, "backoff">,
  options: Options | undefined
): { readonly rows: number; readonly takesMillis: number } => {
  if (maxAttempts !== Infinity) Argument.number(owner, "maxAttempts", maxAttempts, { min: 1, integer: true })
  const rows = Argument.number(owner, "rows", options?.rows ?? 20, { min: 1, max: 1000, integer: true })
  if (options?.attemptTakes === undefined) return { rows, takesMillis: attemptTimeout === undefined ? 0 : Infinity }
  return { rows, takesMillis: Argument.millis(owner, "attemptTakes", options.attemptTakes, { min: 0 }) }
}

/**
 * What is taken for granted about a policy, whatever its back-off.
 *
 * @category destructors
 */
export const assumptionsOf = (policy: Scheduled<unknown>, takesMillis: number): ReadonlyArray<Assumption> => [
  ...(takesMillis === Infinity ? [] : [assumption({ _tag: "AttemptsTake", atMost: Duration.millis(takesMillis) })]),
  ...((policy.hint ?? Hint.standard)._tag === "Ignore" ? [] : [assumption({ _tag: "NoHints" })]),
  ...(policy.bucket === undefined ? [] : [assumption({ _tag: "BucketGrants" })]),
  ...(policy.sendRate === undefined ? [] : [assumption({ _tag: "SendRateGrants" })])
]

/**
 * A row of the table.
 *
 * @category conversions
 */
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

/**
 * The worst of all that was followed; where that is not all there is, what the policy itself bounds.
 *
 * @category destructors
 */
export const worst = (
  { policy, takesMillis }: Pick<Journey, "takesMillis"> & { readonly policy: Scheduled<unknown> },
  { attempts, complete, elapsedMillis, waitedMillis }: Omit<Followed, "rows">
): Worst => {
  const { deadline, maxAttempts } = policy
  const most = complete ? attempts : maxAttempts
  const latest = latestStart(deadline)
  const longest = latest === Infinity ? 0 : longestRun({ policy, takesMillis }, mostFollowed, latest)
  const cutMillis = deadline?._tag === "Cut" ? deadline.withinMillis : undefined
  return {
    attempts: most,
    waited: Duration.millis(complete ? waitedMillis : (cutMillis ?? latest)),
    elapsed: Duration.millis(complete ? elapsedMillis : (cutMillis ?? latest + longest)),
    loadFactor: most
  }
}

/** The worst case of an operation that nothing stops. */
const forEver: Worst = {
  attempts: Infinity,
  waited: Duration.infinity,
  elapsed: Duration.infinity,
  loadFactor: Infinity
}

/** One kind of each case, and one of the rest; any of them where the back-off does not ask for it. */
const kindsOf = (tree: Tree): ReadonlyArray<Kind> => {
  const named = kinds.filter((kind) => BackoffTree.some(tree, (part) => part._tag === "ByKind" && kind in part.cases))
  const other = kinds.find((kind) => !named.includes(kind))
  return other === undefined ? named : [...named, other]
}

const longestRunEver = (journey: Journey): number => longestRun(journey, mostFollowed, 0)

const goesOnForEver = (journey: Journey): boolean => {
  const { backoff, deadline, maxAttempts } = journey.policy
  return (
    maxAttempts === Infinity &&
    deadline === undefined &&
    journey.kinds.some((kind) => goesOn(backoff.tree, kind, longestRunEver(journey)))
  )
}

/** Whether a tree answers for ever, should all failures be of one kind and all attempts run as long as they can. */
const goesOn = (tree: Tree, kind: Kind, ranMillis: number): boolean => {
  const on = (part: Tree | undefined) => part !== undefined && goesOn(part, kind, ranMillis)
  switch (tree._tag) {
    case "Leaf":
      return tree.curve._tag !== "Delays" && tree.curve._tag !== "ConnectRetry"
    case "RandomLeaf":
      return tree.curve._tag !== "Ethernet"
    case "Longest":
      return on(tree.left) && on(tree.right)
    case "Shortest":
      return on(tree.left) || on(tree.right)
    case "AndThen":
      return on(tree.first) || on(tree.second)
    case "ByKind":
      return on(kind in tree.cases ? tree.cases[kind] : tree.orElse)
    case "ResetAfter":
      return (
        on(tree.self) ||
        (ranMillis >= tree.afterMillis && BackoffTree.step(tree.initial, { u: 0, kind, ranMillis }) !== undefined)
      )
  }
}

const backoffAssumptions = (journey: Journey): ReadonlyArray<Assumption> => {
  const { tree } = journey.policy.backoff
  const longest = longestRunEver(journey)
  const neverResets = BackoffTree.some(tree, (part) => part._tag === "ResetAfter" && part.afterMillis > longest)
  return [
    ...(journey.kinds.length > 1 ? [assumption({ _tag: "AnyKind" })] : []),
    ...(neverResets ? [assumption({ _tag: "NeverReset" })] : [])
  ]
}
