/**
 * Times, verdicts and reasons in words. ASCII only.
 */
import { Duration } from "effect"
import type { Retry, Verdict } from "@effect-retry/core"
import type { Ending } from "./Run.ts"

/**
 * `187 ms`, `1.25 s`.
 *
 * @category destructors
 */
export const millis = (millis: number): string =>
  millis < 1000 ? `${Math.round(millis)} ms` : `${Number((millis / 1000).toFixed(2))} s`

/**
 * `0.29 s`: aligned in columns.
 *
 * @category destructors
 */
export const seconds = (millis: number): string => `${(millis / 1000).toFixed(2)} s`

/**
 * `1 attempt`, `3 attempts`.
 *
 * @category destructors
 */
export const count = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/**
 * @category destructors
 */
export const verdict = (verdict: Verdict.Verdict): string =>
  verdict._tag === "Retryable" ? verdict.kind : verdict._tag === "Terminal" ? "Terminal" : "no opinion"

/**
 * @category destructors
 */
export const reason = (reason: Retry.StopReason): string => {
  switch (reason._tag) {
    case "Terminal":
      return `not retryable, ${reason.why}`
    case "AttemptsSpent":
      return `all ${reason.maxAttempts} attempts spent`
    case "StoodDown":
      return `inside an attempt of ${reason.outer}, which retries itself`
    case "BackoffEnded":
      return "the back-off ended"
    case "HintTooLong":
      return `asked to wait too long, ${duration(reason.hint)}`
    case "DeadlinePassed":
      return `the deadline of ${duration(reason.within)} would pass`
    case "BucketEmpty":
      return "the retry bucket is empty"
    case "SendRateRefused":
      return "the send rate refused"
  }
}

/**
 * What happened and why, for an operation that did not succeed.
 *
 * @category destructors
 */
export const stopped = (
  ending: Exclude<Ending, { readonly _tag: "Succeeded" }>
): readonly [what: string, why: string] =>
  ending._tag === "Stopped" ? ["stopped", reason(ending.reason)] : ["failed", ending.error]

/**
 * @category destructors
 */
export const ending = (ending: Ending): string =>
  ending._tag === "Succeeded" ? "it succeeded" : stopped(ending).join(": ")

/**
 * @category destructors
 */
export const duration = (duration: Duration.Duration): string => millis(Duration.toMillis(duration))
