/**
 * Deadlines: one bound over all attempts and waits of an operation. Time counts from its beginning, so a wait for the rate
 * limiter before the first attempt is included.
 *
 * A deadline is never overshot: no attempt starts after it. `refuse` and `truncate` leave a running attempt alone; it
 * can read the time left from `Retry.CurrentAttempt`, and an `AttemptTimeout` is clipped to it. Only `cut` interrupts.
 *
 * An operation stops waiting for a bucket at the deadline, and logs that the bucket has not answered. A bucket that may wait
 * until the deadline gets 5 milliseconds more for its answer.
 *
 * A deadline carries the code that enforces it, so that a bundle without deadlines does not contain that code.
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
import * as Logging from "../../fund/port/Logging.ts"

/**
 * The deadline passed: it interrupted the operation, or came after the policy's `release` had released the last failure.
 *
 * @category models
 */
export class DeadlineExceeded extends Wrapping.TaggedError("DeadlineExceeded")<{
  readonly within: Duration.Duration
  /** Attempts started. */
  readonly attempts: number
  /** What may be shown of `error`, the last failure before that, if there was one. */
  readonly cause?: Untrusted.ShownError
}> {
  override get message(): string {
    return `not done within ${Duration.format(this.within)}, after ${this.attempts} ${this.attempts === 1 ? "attempt" : "attempts"}`
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
  /** The code that the loop needs for deadlines; the same for all of them. */
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
 * Stops at once, without waiting, if the next attempt could not start in time. Fails with the last error.
 *
 * @category constructors
 */
export const refuse = (
  within: Duration.DurationInput,
  options?: {
    /** The least time that must be left when an attempt starts. @default 0 */
    readonly reserve?: Duration.DurationInput
  }
): Deadline => {
  const { reserve = 0 } = reserving("Deadline.refuse", options ?? {})
  return { _tag: "Refuse", ...bounds("Deadline.refuse", within, reserve, { min: 0 }) }
}

/**
 * Shortens the wait that would pass the deadline, so that a last attempt starts with `reserve` left.
 *
 * @category constructors
 */
export const truncate = (
  within: Duration.DurationInput,
  options: {
    /** The time that the last attempt needs. Above zero, or it would start too late. */
    readonly reserve: Duration.DurationInput
  }
): Deadline => ({
  _tag: "Truncate",
  ...bounds("Deadline.truncate", within, reserving("Deadline.truncate", options).reserve, { min: 0, exclusive: true })
})

/**
 * Interrupts the operation at the deadline, in an attempt or in a wait, and fails with an error of its own.
 *
 * The operation waits for an attempt that cannot be interrupted; with `Effect.disconnect` it ends without that attempt. An
 * attempt under a cut has its own fiber, so fibers that it forks end with it, even if it ends in time; a fiber of
 * `Effect.forkDaemon` outlives it.
 *
 * @category constructors
 */
export function cut(within: Duration.DurationInput): Cut<DeadlineExceeded>
export function cut<E2>(
  within: Duration.DurationInput,
  options: { readonly onExceeded: (exceeded: DeadlineExceeded) => E2 }
): Cut<E2>
export function cut(within: Duration.DurationInput, options: CutOptions = {}): Cut<unknown> {
  const owner = "Deadline.cut"
  const example = '"10 seconds", { onExceeded }'
  const known = { onExceeded: false }
  const { onExceeded = (exceeded) => exceeded } = Argument.options<CutOptions>(owner, example, options, known)
  return { _tag: "Cut", ...bounds(owner, within, 0, { min: 0 }, longestTimerMillis), onExceeded }
}

type CutOptions = Partial<Pick<Cut<unknown>, "onExceeded">>

const reserving = <A extends { readonly reserve?: Duration.DurationInput }>(owner: string, options: A): A =>
  Argument.options<{ readonly reserve?: Duration.DurationInput }>(
    owner,
    '"10 seconds", { reserve: "1 second" }',
    options,
    {
      reserve: false
    }
  ) as A

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
  /** The wait that keeps the deadline, or the reason for which there is none. */
  fit: (self: Deadline<unknown>, elapsedMillis: number, delayMillis: number): number | StopReason =>
    TimeLeft.fit(self, elapsedMillis, delayMillis) ?? passed(self),

  /** Why an attempt may not start now, if the deadline forbids it. */
  late: (self: Deadline<unknown>, elapsedMillis: number): StopReason | undefined =>
    TimeLeft.isLate(self, elapsedMillis) ? passed(self) : undefined,

  /** How long a wait for a grant may take: what remains after the delay and the reserve. */
  spare: (self: Deadline<unknown>, elapsedMillis: number, delayMillis: number): Duration.Duration =>
    Duration.millis(Math.max(0, TimeLeft.untilEnd(self, elapsedMillis) - self.reserveMillis - delayMillis)),

  /** The wait, which a cut ends early if the deadline passes first; the attempt is then late. */
  wait: (self: Deadline<unknown>, elapsedMillis: number, delayMillis: number): number =>
    self._tag === "Cut" ? Math.min(delayMillis, Math.ceil(TimeLeft.untilEnd(self, elapsedMillis))) : delayMillis,

  /** Continues at the deadline without a service that has not answered by then; the service gets at least `leastMillis`. */
  answered: <A>(
    self: Deadline<unknown>,
    elapsedMillis: number,
    asking: { readonly service: string; readonly asked: Effect.Effect<A>; readonly leastMillis: number },
    otherwise: A
  ): Effect.Effect<A> =>
    within(asking.asked, {
      millis: Math.max(asking.leastMillis, TimeLeft.untilEnd(self, elapsedMillis)),
      onTimeout: () =>
        Effect.as(Logging.safely(Effect.logWarning(`${asking.service} did not answer before the deadline`)), otherwise),
      disconnected: true
    }),

  /** Interrupts an attempt at the deadline. */
  cut: (self: Deadline<unknown>, op: Expiring, attempt: Bounded, disconnected: boolean): Erased =>
    runFor(attempt, op, disconnected, () => expired(self, op)),

  /** What takes precedence over a timeout: a cutting deadline that passed while the attempt cleaned up. */
  cutMeanwhile: (self: Deadline<unknown>, op: Expiring, elapsedMillis: number): Expired | undefined =>
    self._tag === "Cut" && TimeLeft.isLate(self, elapsedMillis) ? expired(self, op) : undefined,

  exceeded
}
