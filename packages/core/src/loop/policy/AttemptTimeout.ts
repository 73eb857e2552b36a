/**
 * Timeouts of a single attempt: constant, growing from attempt to attempt, or from your own function; always clipped to
 * the time left until the deadline.
 *
 * A timeout interrupts the attempt and counts as a failure of kind `Timeout`. The operation waits for an attempt that
 * cannot be interrupted, unless the timeout is `disconnected`. An attempt under a timeout has its own fiber, as under
 * `Effect.timeout`, so fibers that it forks end with it; a fiber of `Effect.forkDaemon` outlives it.
 *
 * A timeout carries the code that enforces it, so that a bundle without timeouts does not contain that code.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Argument from "../../accept/Argument.ts"
import { dual, type Given } from "../../accept/Dual.ts"
import * as Verdict from "../../classify/Verdict.ts"
import * as Bounds from "../../decide/Bounds.ts"
import type { Bounded, Erased, Expiring } from "./Expired.ts"
import { runFor } from "./Expired.ts"

/**
 * An attempt took too long.
 *
 * @category models
 */
export class AttemptTimedOut extends Data.TaggedError("AttemptTimedOut")<{
  /** The attempt's number, from 1. */
  readonly attempt: number
  /** The timeout that it was given. */
  readonly after: Duration.Duration
  /** The operation's deadline, if that left the attempt less time than the timeout. */
  readonly deadline?: Duration.Duration
}> {
  override get message(): string {
    const after = Duration.format(wholeMillis(this.after))
    return this.deadline === undefined
      ? `attempt ${this.attempt} took longer than ${after}`
      : `attempt ${this.attempt} was stopped after ${after} by the deadline of ${Duration.format(this.deadline)}`
  }
}

/** Rounds a time: the time left until a deadline may be any number of nanoseconds. */
const wholeMillis = (given: Duration.Duration): Duration.Duration =>
  Duration.millis(Math.round(Duration.toMillis(given)))

/**
 * A bound on each attempt; `E2` is the error it adds.
 *
 * @category models
 */
export interface AttemptTimeout<out E2 = AttemptTimedOut> {
  /** The timeout in milliseconds of attempt `attempt`, from 1, if it starts `startMillis` after the operation. */
  readonly millisOf: (attempt: number, startMillis: number) => number
  /** The verdict on an attempt that timed out. */
  readonly verdict: Verdict.Verdict
  readonly onTimeout: (timedOut: AttemptTimedOut) => E2
  /** Whether to leave an attempt that cannot be interrupted behind, instead of waiting for it. */
  readonly disconnected: boolean
  /** The code that the loop needs for timeouts; the same for all of them. */
  readonly machinery: typeof machinery
}

/** The options that all constructors take. */
type Options<E2> = {
  /** Turns a timeout into the caller's error. @default the `AttemptTimedOut` itself */
  readonly onTimeout: (timedOut: AttemptTimedOut) => E2
}

/**
 * Gives every attempt the same time.
 *
 * @category constructors
 */
export function constant(duration: Duration.DurationInput): AttemptTimeout
export function constant<E2>(duration: Duration.DurationInput, options: Options<E2>): AttemptTimeout<E2>
export function constant(duration: Duration.DurationInput, options?: Options<unknown>): AttemptTimeout<unknown> {
  const owner = "AttemptTimeout.constant"
  const millis = Argument.millis(owner, "duration", duration, Bounds.timeout)
  return make(owner, '"2 seconds", { onTimeout }', () => millis, options)
}

/**
 * Gives each attempt more time than the one before. Formula, for attempt `n`: `min(initial * factor^(n - 1), maximum)`.
 *
 * @category constructors
 */
export function growing(times: Times): AttemptTimeout
export function growing<E2>(times: Times, options: Options<E2>): AttemptTimeout<E2>
export function growing(times: Times, options?: Options<unknown>): AttemptTimeout<unknown> {
  const owner = "AttemptTimeout.growing"
  const example = '{ initial: "1 second", factor: 2, maximum: "10 seconds" }'
  const given = Argument.options(owner, example, times, {
    initial: true,
    factor: true,
    maximum: true
  })
  const initial = Argument.millis(owner, "initial", given.initial, Bounds.timeout)
  const factor = Argument.number(owner, "factor", given.factor, Bounds.factor)
  const maximum = Argument.millis(owner, "maximum", given.maximum, { ...Bounds.timeout, min: initial })
  const millisOf = (attempt: number) => Math.min(initial * factor ** (attempt - 1), maximum)
  return make(owner, `${example}, { onTimeout }`, millisOf, options)
}

/** How a growing timeout grows. */
type Times = {
  readonly initial: Duration.DurationInput
  /** At least 1. */
  readonly factor: number
  readonly maximum: Duration.DurationInput
}

/**
 * Computes the time of each attempt: `millis` returns the timeout of attempt `attempt`, from 1, which starts
 * `startMillis` after the operation. The second argument is given only to a function that declares it.
 *
 * A result that is not a number of milliseconds from 1 to `Millis.longestTimerMillis` throws an `InvalidArgument` that
 * names the timeout; a few results are checked at construction.
 *
 * ```text
 * AttemptTimeout.fromFunction("whole", (attempt) => Math.min(Math.trunc(100 * 1.5 ** (attempt - 1)), 1_000))
 * ```
 *
 * @category constructors
 */
export function fromFunction(name: string, millis: AttemptTimeout["millisOf"]): AttemptTimeout
export function fromFunction<E2>(
  name: string,
  millis: AttemptTimeout["millisOf"],
  options: Options<E2>
): AttemptTimeout<E2>
export function fromFunction(
  name: string,
  millis: AttemptTimeout["millisOf"],
  options?: Options<unknown>
): AttemptTimeout<unknown> {
  const checked = (attempt: number, startMillis: number) =>
    Argument.number(
      `AttemptTimeout.${name}`,
      `timeout of attempt ${attempt}`,
      millis(attempt, startMillis),
      Bounds.timeout
    )
  for (const attempt of [1, 2, 3, 4]) checked(attempt, 0)
  // Time is tracked only for a function that declares a parameter for it.
  const millisOf = millis.length > 1 ? checked : (attempt: number) => checked(attempt, 0)
  return make("AttemptTimeout.fromFunction", "name, millis, { onTimeout }", millisOf, options)
}

/**
 * Sets the verdict on a timeout; by default it is retryable, of kind `Timeout`.
 *
 * For a request that may have been carried out and must not be repeated, use `Verdict.terminal("outcome unknown")`.
 *
 * @category combinators
 */
export function judged(verdict: Verdict.Verdict): <E2>(self: AttemptTimeout<E2>) => AttemptTimeout<E2>
export function judged<E2>(self: AttemptTimeout<E2>, verdict: Verdict.Verdict): AttemptTimeout<E2>
export function judged(...given: Given): any {
  return dual(given, <E2>(self: AttemptTimeout<E2>, verdict: Verdict.Verdict): AttemptTimeout<E2> => ({
    ...self,
    verdict
  }))
}

/**
 * Does not wait for an attempt that cannot be interrupted; the attempt continues in the background, and its outcome is
 * ignored.
 *
 * @category combinators
 */
export const disconnected = <E2>(self: AttemptTimeout<E2>): AttemptTimeout<E2> => ({ ...self, disconnected: true })

const make = (
  owner: string,
  example: string,
  millisOf: AttemptTimeout["millisOf"],
  options: Partial<Options<unknown>> = {}
): AttemptTimeout<unknown> => {
  const { onTimeout = (timedOut) => timedOut } = Argument.options<Partial<Options<unknown>>>(owner, example, options, {
    onTimeout: false
  })
  return { millisOf, verdict: Verdict.timeout, onTimeout, disconnected: false, machinery }
}

const machinery = {
  /** Interrupts an attempt when its time is up. */
  bound: (self: AttemptTimeout<unknown>, op: Expiring, attempt: Bounded): Erased =>
    runFor(attempt, op, self.disconnected, () => {
      const timedOut = new AttemptTimedOut({
        attempt: op.attempts,
        after: Duration.millis(attempt.millis),
        ...(attempt.deadlineMillis !== undefined && { deadline: Duration.millis(attempt.deadlineMillis) })
      })
      return { failed: () => ({ verdict: self.verdict, error: self.onTimeout(timedOut) }), reason: undefined }
    })
}
