/**
 * The progress of an operation: what its decisions remember from one failure to the next.
 *
 * `Retry.retry`, `Promises.retry`, `Policy.toSchedule` and the plan each keep one, and it changes only here. It holds
 * no times.
 */
import * as Option from "effect/Option"
import type { Kind, Verdict } from "../../classify/Verdict.ts"
import { kindOf } from "../../classify/Verdict.ts"
import type { Tree } from "../../decide/BackoffTree.ts"
import * as ScheduleLine from "../../decide/ScheduleLine.ts"
import type { Prepared } from "../policy/PolicyCheck.ts"

export interface Progress {
  /** Attempts started. */
  attempts: number
  /** Attempts before the latest one that made progress; they no longer count. */
  outdated: number
  failures: Failures
  /** The state of the back-off; `undefined` for a foreign schedule. */
  tree: Tree | undefined
  /** The state of a foreign schedule. */
  scheduleState: unknown
}

/** Failures by kind, for the kinds that a policy limits. */
export type Failures = { readonly [K in Kind]?: number }

/** Shared by all operations, because most of them succeed and never need their own. */
export const noFailures: Failures = {}

export const make = ({ tree }: Prepared): Progress => ({
  attempts: 0,
  outdated: 0,
  failures: noFailures,
  tree,
  scheduleState: ScheduleLine.start
})

/** Attempts since the latest progress, including the one that made it. */
export const counted = ({ attempts, outdated }: Readonly<Pick<Progress, "attempts" | "outdated">>): number =>
  attempts - outdated

/** Notes that the latest attempt has failed. After an attempt that made progress, everything but time starts over. */
export const fail = (prepared: Prepared, progress: Progress, verdict: Verdict): void => {
  if (verdict._tag === "Retryable" && verdict.progressed === true) {
    progress.outdated = progress.attempts - 1
    progress.failures = noFailures
    backOffFrom(progress, prepared.tree, true)
  }
  progress.failures = addFailure(prepared, progress.failures, verdict)
}

/** Notes the next state of the back-off. */
export const backOffFrom = (progress: Progress, tree: Tree | undefined, startsOver: boolean): void => {
  progress.tree = tree
  if (startsOver) progress.scheduleState = ScheduleLine.start
}

/** The failures by kind after another one. */
export const addFailure = (
  { policy: { attemptsByKind } }: Prepared,
  failures: Failures,
  verdict: Verdict
): Failures => {
  if (attemptsByKind === undefined) return failures
  const kind = Option.getOrUndefined(kindOf(verdict))
  return kind === undefined || attemptsByKind[kind] === undefined
    ? failures
    : { ...failures, [kind]: (failures[kind] ?? 0) + 1 }
}
