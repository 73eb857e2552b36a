/**
 * Why a retried operation stopped, and everything that happened before it did.
 */
import { Data, Duration } from "effect"
import type { Option } from "effect"
import type { Verdict } from "../classify/Verdict.ts"

/**
 * Why there was no further attempt, in the order in which the loop asks.
 *
 * @category models
 */
export type StopReason =
  /** The failure is not retryable. */
  | { readonly _tag: "Terminal"; readonly why: string }
  | { readonly _tag: "AttemptsSpent"; readonly maxAttempts: number }
  /** Inside an attempt of the named operation, which retries itself. */
  | { readonly _tag: "StoodDown"; readonly outer: string }
  | { readonly _tag: "BackoffEnded" }
  /** The server asked for a longer wait than the policy's hint rule allows. */
  | { readonly _tag: "HintTooLong"; readonly hint: Duration.Duration }
  | { readonly _tag: "DeadlinePassed"; readonly within: Duration.Duration }
  | { readonly _tag: "BucketEmpty" }
  | { readonly _tag: "SendRateRefused" }

/**
 * The reason in words, for people.
 *
 * @category destructors
 */
export const inWords = (reason: StopReason): string => {
  switch (reason._tag) {
    case "Terminal":
      return `not retryable: ${reason.why}`
    case "AttemptsSpent":
      return reason.maxAttempts === 1 ? "the only attempt is spent" : `all ${reason.maxAttempts} attempts are spent`
    case "StoodDown":
      return `left to ${reason.outer}, which retries itself`
    case "BackoffEnded":
      return "the back-off has ended"
    case "HintTooLong":
      return `the server asked for ${Duration.format(reason.hint)}, more than the policy waits`
    case "DeadlinePassed":
      return `the deadline of ${Duration.format(reason.within)} would pass or has passed`
    case "BucketEmpty":
      return "the bucket has no tokens for it"
    case "SendRateRefused":
      return "the send rate refused it"
  }
}

/**
 * An attempt that failed. Times count from when the operation began: a wait for the first send is part of them.
 *
 * @category models
 */
export interface FailedAttempt<out E> {
  /** From 1. */
  readonly attempt: number
  readonly error: E
  readonly verdict: Verdict
  readonly startedAfter: Duration.Duration
  readonly failedAfter: Duration.Duration
  /** The wait that was decided on; `None` for the attempt that ended the operation. */
  readonly delay: Option.Option<Duration.Duration>
}

/**
 * A retried operation gave up.
 *
 * @category models
 */
export class RetryStopped<out E> extends Data.TaggedError("RetryStopped")<{
  readonly reason: StopReason
  readonly error: unknown
  /** Attempts that were started. */
  readonly attempts: number
  readonly elapsed: Duration.Duration
  readonly history: ReadonlyArray<FailedAttempt<unknown>>
  readonly cause: unknown
}> {
  /** What the operation fails with: the last error, or the one the policy added. */
  declare readonly error: E
  /** Every failed attempt, the first one first. */
  declare readonly history: ReadonlyArray<FailedAttempt<E>>
  override get message(): string {
    const attempts = this.attempts === 1 ? "1 attempt" : `${this.attempts} attempts`
    return `${inWords(this.reason)} (${attempts} in ${Duration.format(this.elapsed)})`
  }
}

/**
 * The first attempt was refused, so there is no other error to fail with.
 *
 * @category models
 */
export class SendRefused extends Data.TaggedError("SendRefused")<{
  readonly by: "send rate" | "bucket"
}> {
  override get message(): string {
    return `the ${this.by} refused the first attempt`
  }
}

/**
 * A result that was judged as a failure, where `Retry.orStopped` and `Retry.retryOrElse` need an error.
 *
 * @category models
 */
export class ResultRejected<out A> extends Data.TaggedError("ResultRejected")<{ readonly result: unknown }> {
  declare readonly result: A
}
