/**
 * How an operation ends without a success: it refunds grants that are not spent, and releases what attempts left open.
 */
import type * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Elapsed from "./Elapsed.ts"
import * as Grants from "./Grants.ts"
import * as Observers from "./Observers.ts"
import * as Causes from "../../fund/fiber/Causes.ts"
import * as Interruption from "../../fund/fiber/Interruption.ts"
import type { Refusal } from "../../fund/port/Port.ts"
import type { Erased, Operation, Place } from "./Operation.ts"
import type { StopReason } from "../policy/RetryStopped.ts"
import { AttemptRefused, RetryStopped } from "../policy/RetryStopped.ts"
import * as Services from "./Services.ts"

/**
 * Stops: with the deadline's own error where that ends the operation, with the latest failure, or, where there is none and
 * where that has been released already, as refused.
 */
export const stop = (op: Operation, reason: StopReason): Erased => {
  const { expired, failure, released } = op
  const { deadline } = op.prepared.policy
  // A deadline that does not cut has an error only where something was released, and the policy's type names it there.
  const exceeds = reason._tag === "DeadlinePassed" && (deadline?._tag === "Cut" || released)
  // An attempt that the deadline has interrupted has failed with the deadline's error already.
  if (exceeds && expired?.reason !== reason) return failWith(op, deadline!.machinery.exceeded(deadline!, op), reason)
  if (failure !== undefined && !released) return giveUp(op, failure.error, reason, failure.end)
  const cause = failure?.error ?? op.rateLimiter?.failure
  const attempt = op.attempts + 1
  return failWith(op, new AttemptRefused({ attempt, cause, ...refusal(op.rateLimiter) }), reason)
}

/** What a bucket said when it refused: a field of its own where it said something. */
export const refusal = (place: Place | undefined): { readonly refusal?: Refusal } =>
  place?.refusal === undefined ? {} : { refusal: place.refusal }

const failWith = (op: Operation, error: unknown, reason: StopReason): Erased =>
  giveUp(op, error, reason, () => Effect.fail(error))

const giveUp = (op: Operation, error: unknown, reason: StopReason, end: () => Erased): Erased => {
  // The time of the decision: what observers of it take is not part of the operation.
  const elapsed = Elapsed.duration(op)
  const ended = () => {
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
        history: [...op.history]
      })
    )
  }
  return Services.andThen(Observers.gaveUp(op, error, reason), () =>
    // What is open, and is not what the operation ends with, is released.
    error === op.failure?.error ? ended() : Effect.flatMap(release(op, "Interrupted"), ended)
  )
}

/** Refunds what is held for the attempt that is not made, and stops. */
export const refuse = (op: Operation, reason: StopReason): Erased =>
  Effect.flatMap(Grants.callOff(op), () => stop(op, reason))

/** Releases what the latest attempt left open, once: a release cannot be interrupted, like any finalizer. */
export const release = (op: Operation, because: "Retried" | "Interrupted"): Effect.Effect<void> => {
  const { open } = op
  const { hooks } = op.prepared
  if (open === undefined) return Effect.void
  const told = Effect.suspend(() =>
    Services.run(Services.tell(op, "release", () => hooks.release!(open.value, because)))
  )
  const released = Effect.map(told, () => {
    op.open = undefined
    op.released = true
  })
  return Effect.uninterruptible(released)
}

/**
 * Cleans up where the operation is interrupted or dies: refunds grants, releases what is open, and abandons the attempt.
 */
export const guarded = (op: Operation, self: () => Erased): Erased => {
  if (op.guarded) return self()
  op.guarded = true
  return Effect.uninterruptible(
    Effect.catchAllCause(Interruption.restore(op.runtimeFlags)(Effect.suspend(self)), (cause) =>
      Option.isNone(Causes.errorOf(cause)) ? cleanedUp(op, cause) : Effect.failCause(cause)
    )
  )
}

/** Cleans up after an interruption or a defect, which goes on. */
export const cleanedUp = <E>(op: Operation, cause: Cause.Cause<E>): Effect.Effect<never, E> =>
  Effect.zipRight(cleanUp(op), Effect.failCause(cause))

/** Refunds what is held, releases what is open, and tells buckets that the attempt has no outcome. */
export const cleanUp = (op: Operation): Effect.Effect<void> => {
  op.over = true
  return Effect.zipRight(Grants.callOff(op), release(op, "Interrupted"))
}
