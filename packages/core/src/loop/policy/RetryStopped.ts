/**
 * Why a retried operation stopped, and what happened before.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Untrusted from "../../accept/Untrusted.ts"
import type { Kind, Verdict } from "../../classify/Verdict.ts"
import type { Refusal } from "../../fund/port/Port.ts"
import * as Wrapping from "./Wrapping.ts"

/**
 * Why there was no further attempt, in the order in which the loop asks.
 *
 * @category models
 */
export type StopReason =
  /** The failure is not retryable. */
  | { readonly _tag: "Terminal"; readonly why: string }
  /** `maxAttempts` of the policy or, if `kind` is present, the limit in `attemptsByKind` for it. */
  | { readonly _tag: "AttemptsSpent"; readonly maxAttempts: number; readonly kind?: Kind }
  /** The operation ran inside an attempt of the named operation, which itself retries. */
  | { readonly _tag: "StoodDown"; readonly outer: string }
  | { readonly _tag: "BackoffEnded" }
  /** The server asked for a longer wait than the policy's hint rule allows. */
  | { readonly _tag: "HintTooLong"; readonly hint: Duration.Duration }
  | { readonly _tag: "DeadlinePassed"; readonly within: Duration.Duration }
  /** `refusal` is what the bucket says about it, if it does, as a circuit breaker does. */
  | { readonly _tag: "BucketEmpty"; readonly refusal?: Refusal }
  | { readonly _tag: "RateLimiterRefused"; readonly refusal?: Refusal }

/**
 * The reason in words, for people.
 *
 * @category destructors
 */
export const format = (reason: StopReason): string => formatAfter(reason, undefined)

/** The reason in words. The time that the operation took says whether its deadline has passed or would have passed. */
export const formatAfter = (reason: StopReason, elapsed: Duration.Duration | undefined): string =>
  formatWith(reason, elapsed, Duration.format)

/** The reason in words, with times formatted by `time`. */
export const formatWith = (
  reason: StopReason,
  elapsed: Duration.Duration | undefined,
  time: (given: Duration.Duration) => string
): string => {
  switch (reason._tag) {
    case "Terminal":
      return `not retryable: ${reason.why}`
    case "AttemptsSpent":
      return spent(reason)
    case "StoodDown":
      return `left to ${reason.outer}, which retries itself`
    case "BackoffEnded":
      return "the back-off has ended"
    case "HintTooLong":
      return `the server asked for ${time(reason.hint)}, more than the policy waits`
    case "DeadlinePassed":
      return `the deadline of ${time(reason.within)} ${passing(reason.within, elapsed)}`
    case "BucketEmpty":
      return `the bucket refused the retry${told(reason.refusal, time)}`
    case "RateLimiterRefused":
      return `the rate limiter refused the attempt${told(reason.refusal, time)}`
  }
}

/** What a bucket says about its refusal, to end a sentence. */
const told = (refusal: Refusal | undefined, time: (given: Duration.Duration) => string): string => {
  if (refusal === undefined) return ""
  const after = Option.match(refusal.retryAfter, { onNone: () => "", onSome: (left) => ` for another ${time(left)}` })
  return `: ${refusal.state}${after}`
}

const passing = (within: Duration.Duration, elapsed: Duration.Duration | undefined): string =>
  elapsed === undefined
    ? "would pass or has passed"
    : Duration.lessThan(elapsed, within)
      ? "would pass before the next attempt"
      : "has passed"

/** A limit by kind does not count attempts of other kinds, so it is not the total number of attempts. */
const spent = ({ kind, maxAttempts }: Extract<StopReason, { readonly _tag: "AttemptsSpent" }>): string => {
  if (kind === undefined) return maxAttempts === 1 ? "the only attempt spent" : "all attempts spent"
  const allowed = maxAttempts === 1 ? "the only attempt" : `all ${maxAttempts} attempts`
  return `${allowed} that may fail with ${kind} spent`
}

/** The fields of a failed attempt. */
interface Failed<out E> {
  readonly attempt: number
  readonly error: E
  readonly verdict: Verdict
  readonly startedAfter: Duration.Duration
  readonly failedAfter: Duration.Duration
  readonly delay: Option.Option<Duration.Duration>
  readonly cost: number
  /** What may be shown of the error. */
  readonly cause?: Untrusted.ShownError<E>
}

/**
 * An attempt that failed. Times count from the beginning of the operation, so they include a wait for the first grant.
 *
 * Printing it shows `cause` but not `error`.
 *
 * @category models
 */
export class FailedAttempt<out E> {
  /** From 1. */
  readonly attempt: number
  /** What may be shown of the error. */
  readonly cause: Untrusted.ShownError<E>
  readonly verdict: Verdict
  readonly startedAfter: Duration.Duration
  readonly failedAfter: Duration.Duration
  /** The wait that was decided on; `None` for the attempt that ended the operation. */
  readonly delay: Option.Option<Duration.Duration>
  /** The tokens that the bucket granted for the next attempt, refunded if that was not made; 0 if it granted none. */
  readonly cost: number

  constructor(failed: Failed<E>) {
    this.attempt = failed.attempt
    this.cause = failed.cause ?? Untrusted.inBrief(failed.error)
    this.verdict = failed.verdict
    this.startedAfter = failed.startedAfter
    this.failedAfter = failed.failedAfter
    this.delay = failed.delay
    this.cost = failed.cost
  }

  /** The error itself. */
  get error(): E {
    return this.cause.original
  }
}

/** The fields of an operation that gave up. */
interface Stopped<out E> {
  readonly reason: StopReason
  readonly error: E
  /** Attempts that were started. */
  readonly attempts: number
  readonly elapsed: Duration.Duration
  /** The delay before the attempt that was not made, if the operation stopped after deciding on it. */
  readonly delay: Option.Option<Duration.Duration>
  /** The tokens in the bucket when this is run; `None` without a bucket, or if it cannot tell. */
  readonly level: Effect.Effect<Option.Option<number>>
  readonly history: ReadonlyArray<FailedAttempt<E>>
  /** What may be shown of the error. */
  readonly cause?: Untrusted.ShownError<E>
}

/**
 * A retried operation gave up.
 *
 * Printing it shows `cause`, but neither `error` nor the errors in the history, which are for use in code.
 *
 * @category models
 */
export class RetryStopped<out E> extends Wrapping.TaggedError("RetryStopped")<
  Omit<Stopped<unknown>, "cause" | "error" | "history"> & { readonly cause: Untrusted.ShownError },
  unknown
> {
  /** What may be shown of the error. */
  declare readonly cause: Untrusted.ShownError<E>
  /** The error of the operation: the last error, or one that the policy added. */
  declare readonly error: E
  /** The latest failed attempts, oldest first; at most 100 of them. */
  declare readonly history: ReadonlyArray<FailedAttempt<E>>

  constructor({ error, ...stopped }: Stopped<E>) {
    super({ ...stopped, cause: stopped.cause ?? Untrusted.inBrief(error) })
  }

  override get message(): string {
    const attempts = this.attempts === 1 ? "1 attempt" : `${this.attempts} attempts`
    return `${formatAfter(this.reason, this.elapsed)} (${attempts} in ${Duration.format(this.elapsed)})`
  }
}

/**
 * The rate limiter did not grant an attempt (it refused, died, or did not answer before the deadline), and there is no other
 * error to fail with: it was the first attempt, or whatever the last one left open has already been released.
 *
 * Its `error` is the last failure or the rate limiter's own error, such as that of an unreachable store, if there was one.
 *
 * @category models
 */
export class AttemptRefused extends Wrapping.TaggedError("AttemptRefused")<{
  /** The number of the attempt that was not made, from 1. */
  readonly attempt: number
  /** What may be shown of the error. */
  readonly cause?: Untrusted.ShownError
  /** What the rate limiter says about it, such as the state of a circuit and when to try again. */
  readonly refusal?: Refusal
}> {
  override get message(): string {
    return `the rate limiter did not grant attempt ${this.attempt}${told(this.refusal, Duration.format)}`
  }
}

/**
 * The error that `Retry.orStopped` and `Retry.retryOrElse` use for a result that was judged as a failure. Printing it
 * does not show the result.
 *
 * @category models
 */
export class ResultRejected<out A> extends Data.TaggedError("ResultRejected") {
  readonly #result: A

  constructor({ result }: { readonly result: A }) {
    super()
    this.#result = result
  }

  /** The result itself. */
  get result(): A {
    return this.#result
  }
}
