/**
 * Deadlines: one bound over all attempts and waits of an operation, counted from its beginning: a wait for the rate limiter
 * before the first attempt counts too.
 *
 * A deadline is never overshot: no attempt starts after it. `refuse` and `truncate` leave a running attempt alone; it
 * can read the time left from `Retry.CurrentAttempt`, and an `AttemptTimeout` is clipped to it. Only `cut` interrupts.
 *
 * A deadline brings the code that keeps it, so that a program without one does not ship that code.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Argument from "../accept/Argument.ts"
import * as Verdict from "../classify/Verdict.ts"
import * as Bounds from "../decide/Bounds.ts"
import { longestTimerMillis } from "../decide/Millis.ts"
import * as TimeLeft from "../decide/TimeLeft.ts"
import { within } from "./Within.ts"

/**
 * The deadline passed: it interrupted the operation, or it came after the policy's `release` had released the last failure.
 * `cause` is the last failure before that, where there was one.
 *
 * @category models
 */
export class DeadlineExceeded extends Data.TaggedError("DeadlineExceeded")<{
  readonly within: Duration.Duration
  /** Attempts started. */
  readonly attempts: number
  readonly cause: unknown
}> {
  override get message(): string {
    return `not done within ${Duration.format(this.within)}, after ${this.attempts} attempts`
  }
}

/**
 * A bound on the whole operation; `E2` is the error it adds.
 *
 * @category models
 */
export type Deadline<E2 = never> =
  | (Limit & { readonly _tag: "Refuse" })
  | (Limit & { readonly _tag: "Truncate" })
  | Cut<E2>

interface Limit extends TimeLeft.Limit {
  /** What the loop needs for a deadline; the same for all of them. */
  readonly machinery: typeof machinery
}

/**
 * A deadline that interrupts.
 *
 * @category models
 */
export interface Cut<out E2> extends Limit {
  readonly _tag: "Cut"
  readonly onExceeded: (exceeded: DeadlineExceeded) => E2
}

type Exceeded = { readonly within: Duration.Duration; readonly attempts: number; readonly cause: unknown }

const machinery = {
  within,
  fit: TimeLeft.fit,
  isLate: TimeLeft.isLate,
  exceeded: (given: Exceeded) => new DeadlineExceeded(given),
  /** Of the attempt that a deadline interrupts. */
  verdict: /*#__PURE__*/ Verdict.terminal("the deadline interrupted the attempt", { kind: "Timeout" })
}

/**
 * Stops at once, without a wait, when the next attempt could not start in time. Fails with the last error.
 *
 * @category constructors
 */
export const refuse = (
  within: Duration.DurationInput,
  options?: {
    /** The time that must be left for an attempt to start. @default 0 */
    readonly reserve?: Duration.DurationInput
  }
): Deadline => ({ _tag: "Refuse", ...bounds("Deadline.refuse", within, options?.reserve ?? 0, { min: 0 }) })

/**
 * Shortens the wait that would pass the deadline, so that a last attempt starts with `reserve` left.
 *
 * @category constructors
 */
export const truncate = (
  within: Duration.DurationInput,
  options: {
    /** The time that the last attempt needs. Above zero, or it would start when it is too late. */
    readonly reserve: Duration.DurationInput
  }
): Deadline => ({
  _tag: "Truncate",
  ...bounds("Deadline.truncate", within, options.reserve, { min: 0, exclusive: true })
})

/**
 * Interrupts the operation at the deadline, in an attempt or in a wait, and fails with an error of its own.
 *
 * An attempt that cannot be interrupted is waited for; `Effect.disconnect` lets the operation end without it.
 *
 * @category constructors
 */
export const cut: {
  (within: Duration.DurationInput): Cut<DeadlineExceeded>
  <E2>(within: Duration.DurationInput, options: { readonly onExceeded: (exceeded: DeadlineExceeded) => E2 }): Cut<E2>
} = <E2>(
  within: Duration.DurationInput,
  options?: { readonly onExceeded: (exceeded: DeadlineExceeded) => E2 }
): Cut<E2 | DeadlineExceeded> => ({
  _tag: "Cut",
  ...bounds("Deadline.cut", within, 0, { min: 0 }, longestTimerMillis),
  onExceeded: options?.onExceeded ?? ((exceeded) => exceeded)
})

const bounds = (
  owner: string,
  within: Duration.DurationInput,
  reserve: Duration.DurationInput,
  range: Argument.Range,
  max = Bounds.deadline.max
) => {
  const withinMillis = Argument.millis(owner, "within", within, { ...Bounds.deadline, max })
  const reserveMillis = Argument.millis(owner, "reserve", reserve, { ...range, max: withinMillis })
  return { withinMillis, reserveMillis, machinery }
}
