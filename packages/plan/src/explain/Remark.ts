/**
 * Remarks in a plan: warnings about the policy, and the assumptions behind the numbers.
 */
import * as Duration from "effect/Duration"

/**
 * A probable mistake in a policy; `message` describes it in one sentence.
 *
 * @category models
 */
export type Warning = Said<
  /** Only a success ends the operation. */
  | { readonly _tag: "NeverEnds" }
  /** There are more cases than a plan follows, so the worst case is an upper bound. */
  | { readonly _tag: "NotFollowed"; readonly attempts: number }
  /** Attempts from `from` on are never made, however fast the ones before them are. */
  | { readonly _tag: "AttemptsUnreachable"; readonly from: number; readonly by: "Backoff" | "Deadline" }
  /** Attempts from `from` on are made only if the ones before them end sooner, or wait less, than they may. */
  | { readonly _tag: "AttemptsUncertain"; readonly from: number }
  | {
      readonly _tag: "AttemptTimeoutBeyondDeadline"
      readonly attemptTimeout: Duration.Duration
      readonly deadline: Duration.Duration
    }
  /** Every delay of a curve is its cap. */
  | { readonly _tag: "CapBelowBase"; readonly cap: Duration.Duration; readonly base: Duration.Duration }
  | { readonly _tag: "JitterWithoutEffect" }
  /** The policy's hint rule follows hints that no delay of its back-off could equal. */
  | { readonly _tag: "HintAboveCap"; readonly atMost: Duration.Duration; readonly cap: Duration.Duration }
  /** The policy's hint rule follows hints that the deadline cannot keep. */
  | { readonly _tag: "HintBeyondDeadline"; readonly atMost: Duration.Duration; readonly deadline: Duration.Duration }
>

/**
 * An assumption behind the numbers of a plan.
 *
 * @category models
 */
export type Assumption = Said<
  | { readonly _tag: "AttemptsTake"; readonly atMost: Duration.Duration }
  /** For each retry, the back-off of the slowest kind is used. */
  | { readonly _tag: "AnyKind" }
  /** No attempt runs long enough for the back-off to start over. */
  | { readonly _tag: "NeverReset" }
  /** The table and `worst` ignore hints; `hinted` includes them. */
  | { readonly _tag: "NoHints" }
  | { readonly _tag: "BucketGrants" }
  | { readonly _tag: "RateLimiterGrants" }
  /** The numbers are observations from `runs` runs, not limits. */
  | { readonly _tag: "Sampled"; readonly runs: number }
>

type Said<A> = A & { readonly message: string }

type Unsaid<A extends Said<unknown>> = A extends unknown ? Omit<A, "message"> : never

export const warning = (remark: Unsaid<Warning>): Warning => ({ ...remark, message: warningMessage(remark) }) as Warning

export const assumption = (remark: Unsaid<Assumption>): Assumption =>
  ({ ...remark, message: assumptionMessage(remark) }) as Assumption

const warningMessage = (remark: Unsaid<Warning>): string => {
  switch (remark._tag) {
    case "NeverEnds":
      return "never ends: neither attempts, back-off nor deadline stop it"
    case "NotFollowed":
      return `attempts after ${remark.attempts} are not followed one by one: the worst case is an upper bound`
    case "AttemptsUnreachable":
      return remark.by === "Backoff"
        ? `attempts from ${remark.from} on are never made: the back-off ends before`
        : `attempts from ${remark.from} on are never made: the deadline passes before`
    case "AttemptsUncertain":
      return `attempts from ${remark.from} on are made only if earlier ones end sooner, or wait less, than they may`
    case "AttemptTimeoutBeyondDeadline":
      return `the attempt timeout of ${format(remark.attemptTimeout)} is longer than the deadline of ${format(remark.deadline)}`
    case "CapBelowBase":
      return `the cap of ${format(remark.cap)} is below the base of ${format(remark.base)}: nothing grows`
    case "JitterWithoutEffect":
      return "the jitter has no effect: no delay has more than one value"
    case "HintAboveCap":
      return `hints are followed up to ${format(remark.atMost)}, above the cap of ${format(remark.cap)}`
    case "HintBeyondDeadline":
      return `hints are followed up to ${format(remark.atMost)}, which does not fit the deadline of ${format(remark.deadline)}`
  }
}

const assumptionMessage = (remark: Unsaid<Assumption>): string => {
  switch (remark._tag) {
    case "AttemptsTake":
      return Duration.toMillis(remark.atMost) === 0
        ? "attempts have no timeout and are taken to end at once"
        : `attempts end within ${format(remark.atMost)}`
    case "AnyKind":
      return "failures are of any kind, in any order; the mean is that of the slowest kind"
    case "NeverReset":
      return "no attempt runs long enough for the back-off to start over"
    case "NoHints":
      return "no server asks for a wait of its own, except in the case with hints"
    case "BucketGrants":
      return "the bucket grants every retry"
    case "RateLimiterGrants":
      return "the rate limiter grants every attempt at once"
    case "Sampled":
      return `the numbers are what ${remark.runs} runs have shown, not limits`
  }
}

const format = Duration.format
