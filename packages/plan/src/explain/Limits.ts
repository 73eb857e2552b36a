/**
 * Limits on attempts, times and hints: counts, deadlines and timeouts as a plan needs them.
 */
import type * as Deadline from "@effect-retry/core/Deadline"
import type { Failures } from "@effect-retry/core/unstable/Progress"
import * as Decision from "@effect-retry/core/unstable/Decision"
import type * as Hint from "@effect-retry/core/Hint"
import * as TimeLeft from "@effect-retry/core/unstable/TimeLeft"
import type { Prepared } from "@effect-retry/core/unstable/PolicyCheck"
import type { Kind } from "@effect-retry/core/Verdict"
import * as Verdict from "@effect-retry/core/Verdict"
import * as Option from "effect/Option"
import type { Scheduled } from "./PlanRecord.ts"

type Times = Pick<Scheduled<unknown>, "attemptTimeout" | "deadline">

/** Whether no attempt may follow this one if it fails with this kind. */
export const isSpent = (prepared: Prepared, attempts: number, failures: Failures, kind: Kind): boolean => {
  const progress = { attempts, outdated: 0, failures, tree: undefined }
  const now = { elapsedMillis: 0, ranMillis: 0, outer: undefined, u: 0, stepped: Option.some(0) }
  const decision = Decision.decide(prepared, progress, now, Verdict.retryable(kind))
  // With no elapsed time and with a given draw and step, only the counts can stop the operation.
  return decision._tag === "Stop"
}

/** The largest number of attempts that the policy's counts allow. */
export const mostAttempts = ({
  attemptsByKind = {},
  maxAttempts
}: Pick<Scheduled<unknown>, "attemptsByKind" | "maxAttempts">): number => {
  const limits = Verdict.kinds.map((kind) => attemptsByKind[kind])
  const others = limits.includes(undefined) ? maxAttempts - 1 : 0
  return limits.reduce((sum: number, limit) => sum + (limit ?? 1) - 1, 1 + others)
}

/** The number of an attempt at which every growing timeout has reached its maximum. */
export const longestAttempt = 5_000

/** The latest whole millisecond at which an attempt may start. */
export const latestStart = (deadline: Deadline.Deadline<unknown> | undefined): number => {
  if (deadline === undefined) return Infinity
  return Math.min(Math.ceil(deadline.withinMillis) - 1, Math.floor(deadline.withinMillis - deadline.reserveMillis))
}

/** How long an attempt that starts at `startMillis` can take. */
export const longestRun = (
  { policy, takesMillis }: { readonly policy: Times; readonly takesMillis: number },
  attempt: number,
  startMillis: number
): number => {
  const cutMillis = policy.deadline?._tag === "Cut" ? policy.deadline.withinMillis - startMillis : Infinity
  return Math.max(0, Math.min(takesMillis, timeoutMillis(policy, attempt, startMillis) ?? Infinity, cutMillis))
}

/** The timeout of an attempt that starts at `startMillis`; `undefined` without a timeout. */
export const timeoutMillis = (
  { attemptTimeout, deadline }: Times,
  attempt: number,
  startMillis: number
): number | undefined =>
  attemptTimeout &&
  TimeLeft.millisFor(
    attemptTimeout,
    attempt,
    startMillis,
    deadline === undefined ? Infinity : deadline.withinMillis - startMillis
  )

/** The wait that keeps the deadline, or `undefined` if no attempt follows. */
export const fit = (
  deadline: Deadline.Deadline<unknown> | undefined,
  elapsedMillis: number,
  delayMillis: number
): number | undefined => {
  if (deadline === undefined) return delayMillis
  if (deadline._tag !== "Cut") return TimeLeft.fit(deadline, elapsedMillis, delayMillis)
  return TimeLeft.mayStart(deadline, elapsedMillis + delayMillis) ? delayMillis : undefined
}

/** The longest hint that a rule distinguishes from longer ones. */
export const longestHint = (hint: Hint.Hint): number =>
  hint._tag === "Ignore" || hint._tag === "Within" ? Infinity : hint.atMostMillis
