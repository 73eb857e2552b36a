/**
 * How an operation ends without a success: it refunds grants that are not spent, and releases what attempts left open.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Elapsed from "./Elapsed.ts"
import * as Grants from "./Grants.ts"
import * as Observers from "./Observers.ts"
import type { Erased, Failure, Operation } from "./Operation.ts"
import type { StopReason } from "./RetryStopped.ts"
import { AttemptRefused, RetryStopped } from "./RetryStopped.ts"
import * as Services from "./Services.ts"

/**
 * Stops with the latest failure, or with the deadline's own error.
 *
 * @category running
 */
export const stop = (op: Operation, failure: Failure, reason: StopReason): Erased => {
  const { deadline } = op.prepared.policy
  if (deadline?._tag !== "Cut" || reason._tag !== "DeadlinePassed" || op.expired?.reason === reason) {
    return giveUp(op, failure.error, reason, failure.end)
  }
  const error = deadline.machinery.exceeded(deadline, op)
  return giveUp(op, error, reason, () => Effect.fail(error))
}

const giveUp = (op: Operation, error: unknown, reason: StopReason, end: () => Erased): Erased => {
  // The time of the decision: what observers of it take is not part of the operation.
  const elapsed = Elapsed.duration(op)
  const stopped = () => ended(op, error, reason, elapsed, end)
  return Services.andThen(Observers.gaveUp(op, error, reason), () =>
    // What is open, and is not what the operation ends with, is released.
    error === op.failure?.error ? stopped() : Effect.flatMap(release(op, "Interrupted"), stopped)
  )
}

const ended = (
  op: Operation,
  error: unknown,
  reason: StopReason,
  elapsed: Duration.Duration,
  end: () => Erased
): Erased => {
  if (op.onStopped === undefined) return end()
  op.open = undefined
  return op.onStopped(
    new RetryStopped({
      reason,
      error,
      attempts: op.attempts,
      elapsed,
      delay: Option.map(Option.fromNullable(op.delayMillis), Duration.millis),
      level: Grants.level(op),
      history: [...op.history],
      cause: error
    })
  )
}

/**
 * Refunds what is held for the attempt that is not made, and stops.
 *
 * @category running
 */
export const refuse = (op: Operation, reason: StopReason): Erased =>
  Effect.flatMap(Grants.callOff(op), () => {
    const { failure } = op
    if (failure !== undefined && !op.released) return stop(op, failure, reason)
    const error = refusal(op, reason)
    return giveUp(op, error, reason, () => Effect.fail(error))
  })

/** The error of an operation that was refused before its first failure, or after the release of its latest one. */
const refusal = (op: Operation, reason: StopReason): unknown => {
  const { deadline } = op.prepared.policy
  const cause = op.failure?.error
  const cuts = deadline?._tag === "Cut"
  // A deadline that does not cut has an error only where something was released, and the policy's type names it there.
  if (reason._tag === "DeadlinePassed" && (cuts || op.released)) return deadline!.machinery.exceeded(deadline!, op)
  return new AttemptRefused({ attempt: op.attempts + 1, ...(cause !== undefined && { cause }) })
}

/**
 * Releases what the latest attempt left open, once: a release cannot be interrupted, like any finalizer.
 *
 * @category running
 */
export const release = (op: Operation, because: "Retried" | "Interrupted"): Effect.Effect<void> => {
  const { open } = op
  const { policy } = op.prepared
  if (open === undefined) return Effect.void
  const told = Effect.suspend(() =>
    Services.run(Services.tell(op, "release", () => policy.release!(open.failed, because)))
  )
  const released = Effect.map(told, () => {
    op.open = undefined
    op.released = true
  })
  return Effect.uninterruptible(released)
}

/**
 * Cleans up where the operation is interrupted or dies: refunds grants, releases what is open, and abandons the attempt.
 *
 * @category combinators
 */
export const guarded = (op: Operation, self: () => Erased): Erased => {
  if (op.guarded) return self()
  op.guarded = true
  return Effect.onError(Effect.suspend(self), (cause) => (Option.isNone(failureOf(cause)) ? cleanUp(op) : Effect.void))
}

/**
 * The error of a cause; `None` for an interruption and where there is a defect.
 *
 * @category destructors
 */
export const failureOf = <E>(cause: Cause.Cause<E>): Option.Option<E> =>
  Option.isSome(Cause.dieOption(cause)) ? Option.none() : Cause.failureOption(cause)

const cleanUp = (op: Operation): Effect.Effect<void> => {
  op.over = true
  return Effect.zipRight(Grants.callOff(op), release(op, "Interrupted"))
}
