/**
 * What a running attempt can read about itself, under a policy that provides it.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { FailedAttempt } from "./RetryStopped.ts"

/**
 * The attempt that is running.
 *
 * @category models
 */
export interface Attempt {
  /** From 1. */
  readonly number: number
  /** Time until the attempt's timeout or the deadline, whichever comes first; `None` without either. */
  readonly timeLeft: Effect.Effect<Option.Option<Duration.Duration>>
  /** The failure that led to this attempt. */
  readonly previous: Option.Option<FailedAttempt<unknown>>
}

/**
 * The attempt that is running, as a service.
 *
 * An effect that reads it requires it, and a policy with `attempt: Retry.CurrentAttempt` provides it. Other policies do
 * not, and pay nothing.
 *
 * @category models
 */
export class CurrentAttempt extends Context.Tag("@effect-retry/core/CurrentAttempt")<CurrentAttempt, Attempt>() {}
