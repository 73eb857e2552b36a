/**
 * The types of a plan.
 */
import type * as Duration from "effect/Duration"
import type * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import type { Backoff } from "@effect-retry/core/Backoff"
import type { Any, Constructed } from "@effect-retry/core/unstable/PolicyRecord"
import type { Assumption, Warning } from "./Remark.ts"

/**
 * The policies that can be explained: any policy or preset with a `Backoff`, of any package built on core.
 *
 * @category models
 */
export interface Explainable
  extends Pick<Any, "maxAttempts" | "attemptsByKind" | "hint">, Pick<Constructed, "attemptTimeout" | "deadline"> {
  readonly backoff: Backoff
  /** Only whether there is one matters; the plan assumes that it grants everything. */
  readonly bucket?: unknown
  readonly rateLimiter?: unknown
}

/**
 * The same with any schedule as the back-off, as long as it does not read the error.
 *
 * @category models
 */
export interface Scheduled<out R = never> extends Omit<Explainable, "backoff"> {
  readonly backoff: Schedule.Schedule<unknown, unknown, R>
}

/**
 * What can happen to an operation whose attempts all fail retryably.
 *
 * @category models
 */
export interface Plan {
  /** The first attempts, in order. */
  readonly attempts: ReadonlyArray<PlannedAttempt>
  /** The upper bounds if no server sends a hint. */
  readonly worst: Worst
  /** The same if every server asks for the longest wait that the policy follows; `None` if it follows no hints. */
  readonly hinted: Option.Option<Worst>
  readonly warnings: ReadonlyArray<Warning>
  /** The assumptions behind the numbers. */
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
  /** Its longest timeout, clipped to the time left. */
  readonly attemptTimeout: Option.Option<Duration.Duration>
  /** The delay before it; `None` for the first. */
  readonly delay: Option.Option<PlannedDelay>
  /** Its start if everything before it is as short as possible. */
  readonly earliest: Duration.Duration
  /** Its start if everything before it takes as long as possible. */
  readonly latest: Duration.Duration
  /** The longest total of all delays up to then. */
  readonly waited: Duration.Duration
}

/** A delay as drawn by the back-off, before a hint or the deadline changes it. */
export interface PlannedDelay {
  /** The delay before jitter; for a curve that draws by definition, the longest delay. */
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
  /** The largest number of calls; `Infinity` if nothing bounds them. */
  readonly attempts: number
  /** All delays together. */
  readonly waited: Duration.Duration
  /** From the start of the first attempt to the end of the operation. */
  readonly elapsed: Duration.Duration
  /** Calls per operation while every call fails. A bucket lowers this once it is empty. */
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
  /** The longest duration of an attempt. @default its timeout, or zero without one */
  readonly attemptTakes?: Duration.DurationInput
}
