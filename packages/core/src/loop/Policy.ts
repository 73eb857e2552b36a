/**
 * Policies: a plain record of everything that decides about an operation's retries, in the order in which the loop consults
 * it.
 *
 * A preset is a policy without a classifier, because only the caller can say what is retryable. Change presets and
 * policies by spread.
 */
import * as Backoff from "../decide/Backoff.ts"
import * as Jitter from "../decide/Jitter.ts"
import { prepare } from "./policy/PolicyCheck.ts"
import type { Made, Preset } from "./policy/PolicyRecord.ts"
import type { Bound, Checked } from "./policy/PolicyTypes.ts"

export { config } from "./policy/PolicyConfig.ts"
export type { Described } from "./policy/PolicyKeys.ts"
export { describe } from "./policy/PolicyKeys.ts"
export type { Any, Fields, Made, Policy, Preset, Release } from "./policy/PolicyRecord.ts"
export type { Checked } from "./policy/PolicyTypes.ts"
export { toSchedule } from "./PolicySchedule.ts"

/**
 * Checks a policy and returns it, with a type that says which fields it lacks.
 *
 * `Retry.retry` and its siblings also check; `make` finds mistakes earlier, and lets you choose between policies: for
 * `write ? policy1 : policy2` TypeScript keeps only the fields that two constants share, but all fields of two policies made
 * by `make`. Throws an `InvalidArgument` for a bad field.
 *
 * @category constructors
 */
export const make = <P extends Bound>(policy: Checked<P>): Made<P> => {
  prepare("Policy.make", policy)
  return policy as unknown as Made<P>
}

/**
 * Three attempts, exponential from 100 milliseconds, capped at 20 seconds, full jitter.
 *
 * Source of attempts, cap and jitter: AWS SDKs and Tools reference guide, "Retry behavior",
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20. The base is that of the
 * AWS SDK for Java 2.x.
 *
 * @category constructors
 */
export const standard: Pick<Preset, "maxAttempts" | "backoff"> = {
  maxAttempts: 3,
  backoff: /*#__PURE__*/ Backoff.jittered(
    /*#__PURE__*/ Backoff.capped(/*#__PURE__*/ Backoff.exponential({ base: "100 millis" }), "20 seconds"),
    Jitter.full
  )
}

/**
 * One attempt, and no retry.
 *
 * @category constructors
 */
export const once: Pick<Preset, "maxAttempts" | "backoff"> = {
  maxAttempts: 1,
  backoff: /*#__PURE__*/ Backoff.fromDelays([])
}
