/**
 * What bounds the times of an attempt and of a hint: the arithmetic of deadlines and timeouts as a plan needs it.
 */
import * as AttemptTimeout from "@effect-retry/core/AttemptTimeout"
import * as Deadline from "@effect-retry/core/Deadline"
import type * as Hint from "@effect-retry/core/Hint"
import type { Explainable } from "./PlanRecord.ts"

type Times = Pick<Explainable, "attemptTimeout" | "deadline">

/**
 * The latest whole millisecond at which an attempt may start.
 *
 * @category destructors
 */
export const latestStart = (deadline: Deadline.Deadline<unknown> | undefined): number => {
  if (deadline === undefined) return Infinity
  const beforeEnd = Math.ceil(deadline.withinMillis) - 1
  return deadline._tag === "Cut"
    ? beforeEnd
    : Math.min(beforeEnd, Math.floor(deadline.withinMillis - deadline.reserveMillis))
}

/**
 * How long attempt `attempt` can take, which starts at `startMillis`.
 *
 * @category destructors
 */
export const longestRun = (
  { policy, takesMillis }: { readonly policy: Times; readonly takesMillis: number },
  attempt: number,
  startMillis: number
): number => {
  const cutMillis = policy.deadline?._tag === "Cut" ? policy.deadline.withinMillis - startMillis : Infinity
  return Math.max(0, Math.min(takesMillis, timeoutMillis(policy, attempt, startMillis) ?? Infinity, cutMillis))
}

/**
 * What an attempt is given that starts at `startMillis`; `undefined` without a timeout.
 *
 * @category destructors
 */
export const timeoutMillis = (
  { attemptTimeout, deadline }: Times,
  attempt: number,
  startMillis: number
): number | undefined =>
  attemptTimeout &&
  AttemptTimeout.millisFor(
    attemptTimeout,
    attempt,
    deadline === undefined ? Infinity : deadline.withinMillis - startMillis
  )

/**
 * The wait that keeps the deadline, or `undefined` where no attempt follows.
 *
 * @category destructors
 */
export const fit = (
  deadline: Deadline.Deadline<unknown> | undefined,
  elapsedMillis: number,
  delayMillis: number
): number | undefined => {
  if (deadline === undefined) return delayMillis
  if (deadline._tag !== "Cut") return Deadline.fit(deadline, elapsedMillis, delayMillis)
  return Deadline.mayStart(deadline, elapsedMillis + delayMillis) ? delayMillis : undefined
}

/**
 * The longest hint that makes a difference under a rule.
 *
 * @category destructors
 */
export const longestHint = (hint: Hint.Hint): number =>
  hint._tag === "Ignore" ? 0 : hint._tag === "Within" ? Infinity : hint.atMostMillis
