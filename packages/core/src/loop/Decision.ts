/**
 * What follows a failed attempt: the pure steps between its verdict and the wait, in the order in which they are taken.
 */
import { Duration, Option } from "effect"
import type { Retryable, Verdict } from "../classify/Verdict.ts"
import * as Backoff from "../decide/Backoff.ts"
import type { Step } from "../decide/BackoffTree.ts"
import * as Deadline from "../decide/Deadline.ts"
import * as Hint from "../decide/Hint.ts"
import type { ErasedPolicy } from "./PolicyRecord.ts"
import type { DelaySource } from "./RetryEvent.ts"
import type { StopReason } from "./RetryStopped.ts"

/**
 * The delay before the next attempt in milliseconds, or why there is none.
 *
 * @category models
 */
export type Decision = number | StopReason

/**
 * The verdict, if it is retryable and attempts remain.
 *
 * @category destructors
 */
export const retryable = (policy: ErasedPolicy, attempts: number, verdict: Verdict): Retryable | StopReason => {
  if (verdict._tag === "NoOpinion") return { _tag: "Terminal", why: "no classifier has an opinion" }
  if (verdict._tag === "Terminal") return { _tag: "Terminal", why: verdict.why }
  return attempts < policy.maxAttempts ? verdict : { _tag: "AttemptsSpent", maxAttempts: policy.maxAttempts }
}

/**
 * Bends the back-off's delay, `undefined` where it has ended, by the hint and then the deadline.
 *
 * @category destructors
 */
export const bend = (
  policy: ErasedPolicy,
  verdict: Retryable,
  delayMillis: number | undefined,
  elapsedMillis: number,
  u: number
): Decision => {
  if (delayMillis === undefined) return { _tag: "BackoffEnded" }
  const { deadline, hint = Hint.standard } = policy
  const bent = Option.isNone(verdict.hint)
    ? delayMillis
    : Hint.bend(hint, delayMillis, Duration.toMillis(verdict.hint.value), u)
  if (bent === undefined) return { _tag: "HintTooLong", hint: Option.getOrThrow(verdict.hint) }
  if (deadline === undefined) return bent
  // A cut that is due lets no attempt start either, wherever its interruption has to wait.
  if (deadline._tag === "Cut" && !Deadline.mayStart(deadline, elapsedMillis)) return passed(deadline)
  return Deadline.fit(deadline, elapsedMillis, bent) ?? passed(deadline)
}

/**
 * Where a delay came from: what was the last to change it.
 *
 * @category destructors
 */
export const source = (
  { hint = Hint.standard }: ErasedPolicy,
  verdict: Retryable,
  decisionMillis: number,
  { capped, delayMillis }: Pick<Step, "delayMillis" | "capped">,
  u: number
): DelaySource => {
  const asked = Option.map(verdict.hint, (wait) => Hint.bend(hint, delayMillis, Duration.toMillis(wait), u))
  const bent = Option.getOrElse(asked, () => delayMillis)
  if (decisionMillis !== bent) return "Deadline"
  if (bent !== delayMillis) return "Hint"
  return capped ? "Cap" : "Curve"
}

/**
 * The deadline as a reason to stop.
 *
 * @category constructors
 */
export const passed = (deadline: Deadline.Deadline<unknown>): StopReason => ({
  _tag: "DeadlinePassed",
  within: Duration.millis(deadline.withinMillis)
})

/**
 * Whether deciding on a delay takes a random number.
 *
 * @category guards
 */
export const draws = ({ backoff, hint }: ErasedPolicy): boolean =>
  (Backoff.isBackoff(backoff) && backoff.draws) || (hint !== undefined && Hint.draws(hint))
