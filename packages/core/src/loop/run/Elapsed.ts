/**
 * The time of an operation: how much has passed since it began, how much its deadline leaves, and the wait for the next
 * attempt.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Moment } from "../../classify/Classifier.ts"
import * as Line from "../../fund/fiber/Line.ts"
import * as Wait from "../../fund/fiber/Wait.ts"
import * as MonotonicTime from "../../fund/port/MonotonicTime.ts"
import type { Prepared } from "../policy/PolicyCheck.ts"

/** The part of an operation that this file reads and changes. */
export interface Timed {
  readonly prepared: Prepared
  /** The clock and the random numbers of the fiber that runs the operation. */
  readonly services: Line.Services
  /** That of the services, once it has been looked up. */
  clock: Clock.Clock | undefined
  /** Whether elapsed time is measured. */
  readonly timed: boolean
  /** Time since the operation began, at the last reading of the clock. */
  elapsedMillis: number
  lookedAtMillis: number
}

/** An operation that counts its attempts. */
export interface Numbered extends Timed {
  readonly attempts: number
}

/** The clock of the operation; looked up only if the operation waits or reads the time. */
export const clock = (op: Timed): Clock.Clock => (op.clock ??= clockOf(op.services))

export const clockOf = (services: Line.Services): Clock.Clock => Context.get(services, Clock.Clock)

/** The nanoseconds of a `Clock` are monotonic: setting the wall clock neither ends an operation nor prolongs it. */
export const nowMillis = (clock: Clock.Clock): number => MonotonicTime.read(clock)

/** Time since the operation began. If the clock steps back nevertheless, no time is added. */
export const millis = (op: Timed): number => {
  if (!op.timed) return 0
  const now = nowMillis(clock(op))
  op.elapsedMillis += Math.max(0, now - op.lookedAtMillis)
  op.lookedAtMillis = now
  return op.elapsedMillis
}

/** Time since the operation began, in whole milliseconds. */
export const duration = (op: Timed): Duration.Duration => wholeDuration(millis(op))

/** The moment at which the latest attempt is judged. The clock is read only when a classifier reads a time. */
export const moment = (op: Numbered): Moment => {
  const made: Moment & { attempt: number; op: Timed } = Object.create(lazyTimes)
  made.attempt = op.attempts
  made.op = op
  return made
}

/** Inherited by all moments: own getters would cost each of them a microsecond. */
const lazyTimes: ThisType<{ readonly op: Timed }> & Pick<Moment, "nowMillis" | "elapsed"> = {
  get nowMillis() {
    return Line.wallMillis(clock(this.op))
  },
  get elapsed() {
    return duration(this.op)
  }
}

/** A time as events and errors show it: whole milliseconds. */
export const wholeDuration = (millis: number): Duration.Duration => {
  const whole = Math.floor(millis + 1e-6)
  return whole === 0 ? Duration.zero : Duration.millis(whole)
}

/**
 * How long a wait for a grant may take: what the deadline leaves after the delay and the reserve. `None` without a deadline.
 */
export const spare = (op: Timed, delayMillis: number): Option.Option<Duration.Duration> => {
  const { deadline } = op.prepared.policy
  return deadline === undefined
    ? Option.none()
    : Option.some(deadline.machinery.spare(deadline, millis(op), delayMillis))
}

/** Waits until the next attempt, no longer than the deadline allows, then continues. */
export const wait = <A, E, R>(
  op: Timed,
  delayMillis: number,
  then: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const { deadline } = op.prepared.policy
  const waitMillis = deadline === undefined ? delayMillis : deadline.machinery.wait(deadline, millis(op), delayMillis)
  return Wait.wait(clock(op), waitMillis, then)
}
