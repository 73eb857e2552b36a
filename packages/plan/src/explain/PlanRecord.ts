/**
 * The models of a plan: what a policy will do, before it does it.
 */
import type * as Duration from "effect/Duration"
import type * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import type { Backoff } from "@effect-retry/core/Backoff"
import type { Any } from "@effect-retry/core/unstable/PolicyRecord"
import type { Assumption, Warning } from "./Remark.ts"

/**
 * The policies that can be explained: any policy or preset with a `Backoff`, of any package built on core.
 *
 * @category models
 */
export interface Explainable extends Pick<
  Any,
  "attemptTimeout" | "maxAttempts" | "attemptsByKind" | "hint" | "deadline"
> {
  readonly backoff: Backoff
  /** Only whether there is one matters; the plan takes for granted that it grants. */
  readonly bucket?: unknown
  readonly rateLimiter?: unknown
}

/**
 * The same with any schedule as its back-off, as long as that does not read the error.
 *
 * @category models
 */
export interface Scheduled<out R = never> extends Omit<Explainable, "backoff"> {
  readonly backoff: Schedule.Schedule<unknown, unknown, R>
}

/**
 * What can happen to one operation whose attempts all fail and may all be retried.
 *
 * @category models
 */
export interface Plan {
  /** The first attempts, in order. */
  readonly attempts: ReadonlyArray<PlannedAttempt>
  /** The most there can be of everything, where no server asks for a longer wait. */
  readonly worst: Worst
  /** The same where every server asks for the longest wait the policy follows; `None` where it follows none. */
  readonly hinted: Option.Option<Worst>
  readonly warnings: ReadonlyArray<Warning>
  /** What the numbers take for granted. */
  readonly assumptions: ReadonlyArray<Assumption>
}

/**
 * An attempt that may be made. Times count from the start of the first attempt.
 *
 * @category models
 */
export interface PlannedAttempt {
  /** Its number, from 1. */
  readonly attempt: number
  /** The most it is given, clipped to the time left. */
  readonly attemptTimeout: Option.Option<Duration.Duration>
  /** The delay before it; `None` for the first. */
  readonly delay: Option.Option<PlannedDelay>
  /** Its start, should everything before it end and be waited for as soon as it can. */
  readonly earliest: Duration.Duration
  /** Its start, should everything before it take as long as it can. */
  readonly latest: Duration.Duration
  /** The most that has been waited by then, in all delays together. */
  readonly waited: Duration.Duration
}

/** A delay as the back-off draws it, before a hint or the deadline bends it. */
export interface PlannedDelay {
  /** The delay before jitter; where a curve draws by definition, the most it draws. */
  readonly bound: Duration.Duration
  readonly least: Duration.Duration
  readonly mean: Duration.Duration
  readonly most: Duration.Duration
}

/**
 * The worst case.
 *
 * @category models
 */
export interface Worst {
  /** Most calls; `Infinity` where nothing bounds them. */
  readonly attempts: number
  /** All delays together. */
  readonly waited: Duration.Duration
  /** From the start of the first attempt to the end of the operation. */
  readonly elapsed: Duration.Duration
  /** Calls per operation while every call fails. A bucket lowers it once it is empty. */
  readonly loadFactor: number
}

/**
 * How many rows a table has, and how long attempts take.
 *
 * @category models
 */
export interface Options {
  /** Attempts in the table, from 1 to 1000. @default 20 */
  readonly rows?: number
  /** How long an attempt takes at most. @default its timeout, or no time at all where there is none */
  readonly attemptTakes?: Duration.DurationInput
}
