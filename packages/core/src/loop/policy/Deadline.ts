/**
 * Deadlines: one bound over all attempts and waits of an operation, counted from its beginning: a wait for the rate limiter
 * before the first attempt counts too.
 *
 * A deadline is never overshot: no attempt starts after it. `refuse` and `truncate` leave a running attempt alone; it
 * can read the time left from `Retry.CurrentAttempt`, and an `AttemptTimeout` is clipped to it. Only `cut` interrupts.
 *
 * An operation that waits for a bucket stops waiting at the deadline, and logs that the bucket has not answered. A
 * bucket that may wait until the deadline has 5 milliseconds more for its answer.
 *
 * A deadline brings the code that enforces it, so that a program without one does not ship that code.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Argument from "../../accept/Argument.ts"
import type * as Untrusted from "../../accept/Untrusted.ts"
import * as Verdict from "../../classify/Verdict.ts"
import * as Bounds from "../../decide/Bounds.ts"
import { longestTimerMillis } from "../../decide/Millis.ts"
import * as TimeLeft from "../../decide/TimeLeft.ts"
import type { Bounded, Erased, Expired, Expiring } from "./Expired.ts"
import { runFor } from "./Expired.ts"
import type { StopReason } from "./RetryStopped.ts"
import * as Wrapping from "./Wrapping.ts"
import { within } from "../../fund/fiber/Within.ts"

/**
 * The deadline passed: it interrupted the operation, or it came after the policy's `release` had released the last failure.
 *
 * @category models
 */
export class DeadlineExceeded extends Wrapping.TaggedError("DeadlineExceeded")<{
  readonly within: Duration.Duration
  /** Attempts started. */
  readonly attempts: number
  /** What may be shown of the last failure before that, the `error`, if there was one. */
  readonly cause?: Untrusted.ShownError
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
  ...bounds(
    "Deadline.truncate",
    within,
    Argument.options("Deadline.truncate", '"10 seconds", { reserve: "1 second" }', options).reserve,
    { min: 0, exclusive: true }
  )
})

/**
 * Interrupts the operation at the deadline, in an attempt or in a wait, and fails with an error of its own.
 *
 * An attempt that cannot be interrupted is waited for; `Effect.disconnect` lets the operation end without it. An attempt
 * under a cut has a fiber of its own, so fibers that it forks end with it, even if it ends in time; a fiber of
 * `Effect.forkDaemon` outlives it.
 *
 * @category constructors
 */
export function cut(within: Duration.DurationInput): Cut<DeadlineExceeded>
export function cut<E2>(
  within: Duration.DurationInput,
  options: { readonly onExceeded: (exceeded: DeadlineExceeded) => E2 }
): Cut<E2>
export function cut(within: Duration.DurationInput, options?: Pick<Cut<unknown>, "onExceeded">): Cut<unknown> {
  return {
    _tag: "Cut",
    ...bounds("Deadline.cut", within, 0, { min: 0 }, longestTimerMillis),
    onExceeded: options?.onExceeded ?? ((exceeded) => exceeded)
  }
}

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

/** The error of a deadline that has passed. */
const exceeded = (self: Deadline<unknown>, { attempts, failure }: Expiring): unknown => {
  const error = new DeadlineExceeded({ within: Duration.millis(self.withinMillis), attempts, cause: failure?.error })
  return self._tag === "Cut" ? self.onExceeded(error) : error
}

const passed = ({ withinMillis }: Deadline<unknown>): StopReason => ({
  _tag: "DeadlinePassed",
  within: Duration.millis(withinMillis)
})

const interrupted = /*#__PURE__*/ Verdict.terminal("the deadline interrupted the attempt", { kind: "Timeout" })

const expired = (self: Deadline<unknown>, op: Expiring): Expired => ({
  failed: () => ({ error: exceeded(self, op), verdict: interrupted }),
  reason: passed(self)
})

const machinery = {
  /** The wait that keeps the deadline, or why there is none. */
  fit: (self: Deadline<unknown>, elapsedMillis: number, delayMillis: number): number | StopReason =>
    TimeLeft.fit(self, elapsedMillis, delayMillis) ?? passed(self),

  /** Why an attempt may not start now, should the deadline forbid it. */
  late: (self: Deadline<unknown>, elapsedMillis: number): StopReason | undefined =>
    TimeLeft.isLate(self, elapsedMillis) ? passed(self) : undefined,

  /** Time that a wait for a grant may take, beside the delay and the reserve. */
  spare: (self: Deadline<unknown>, elapsedMillis: number, delayMillis: number): Duration.Duration =>
    Duration.millis(Math.max(0, TimeLeft.untilEnd(self, elapsedMillis) - self.reserveMillis - delayMillis)),

  /** The wait, which a cut ends where it passes first; then the attempt is late. */
  wait: (self: Deadline<unknown>, elapsedMillis: number, delayMillis: number): number =>
    self._tag === "Cut" ? Math.min(delayMillis, Math.ceil(TimeLeft.untilEnd(self, elapsedMillis))) : delayMillis,

  /** Goes on at the deadline without a service that has not answered by then; it has at least `leastMillis`. */
  answered: <A>(
    self: Deadline<unknown>,
    elapsedMillis: number,
    asking: { readonly service: string; readonly asked: Effect.Effect<A>; readonly leastMillis: number },
    otherwise: A
  ): Effect.Effect<A> =>
    within(asking.asked, {
      millis: Math.max(asking.leastMillis, TimeLeft.untilEnd(self, elapsedMillis)),
      onTimeout: () => Effect.as(Effect.logWarning(`${asking.service} did not answer before the deadline`), otherwise),
      disconnected: true
    }),

  /** Interrupts an attempt at the deadline. */
  cut: (self: Deadline<unknown>, op: Expiring, attempt: Bounded, disconnected: boolean): Erased =>
    runFor(attempt, op, disconnected, () => expired(self, op)),

  /** What takes precedence over a timeout: the deadline, if it cuts and passed while the attempt cleaned up. */
  cutMeanwhile: (self: Deadline<unknown>, op: Expiring, elapsedMillis: number): Expired | undefined =>
    self._tag === "Cut" && TimeLeft.isLate(self, elapsedMillis) ? expired(self, op) : undefined,

  exceeded
}
