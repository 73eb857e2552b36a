/**
 * Ends an operation without a success: refunds unspent grants, and releases what attempts left open.
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
 * Stops with the deadline's own error, if that ends the operation; with the latest failure; or, if there is none or it has
 * already been released, with `AttemptRefused`.
 */
export const stop = (op: Operation, reason: StopReason): Erased => {
  const { expired, failure, released } = op
  const { deadline } = op.prepared.policy
  // A deadline that does not cut has an error only if something was released, and then the policy's type names it.
  const exceeds = reason._tag === "DeadlinePassed" && (deadline?._tag === "Cut" || released)
  // An attempt that the deadline interrupted has already failed with the deadline's error.
  if (exceeds && expired?.reason !== reason) return failWith(op, deadline!.machinery.exceeded(deadline!, op), reason)
  if (failure !== undefined && !released) return giveUp(op, failure.error, reason, failure.end)
  const cause = failure?.error ?? op.rateLimiter?.failure
  const attempt = op.attempts + 1
  return failWith(op, new AttemptRefused({ attempt, cause, ...refusal(op.rateLimiter) }), reason)
}

/** What a bucket said when it refused, as a field to spread; absent if it said nothing. */
export const refusal = (place: Place | undefined): { readonly refusal?: Refusal } =>
  place?.refusal === undefined ? {} : { refusal: place.refusal }

const failWith = (op: Operation, error: unknown, reason: StopReason): Erased =>
  giveUp(op, error, reason, () => Effect.fail(error))

const giveUp = (op: Operation, error: unknown, reason: StopReason, end: () => Erased): Erased => {
  // The time of the decision, so that the time taken by observers is not included.
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
    // Whatever is left open is released, unless it is what the operation ends with.
    error === op.failure?.error ? ended() : Effect.flatMap(release(op, "Interrupted"), ended)
  )
}

/** Refunds the grants of the attempt that is not made, and stops. */
export const refuse = (op: Operation, reason: StopReason): Erased =>
  Effect.flatMap(Grants.callOff(op), () => stop(op, reason))

/** Releases what the latest attempt left open, once. Like any finalizer, a release cannot be interrupted. */
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
 * Cleans up if the operation is interrupted or dies: refunds grants, releases what is open, and abandons the attempt.
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

/** Cleans up after an interruption or a defect, then passes it on. */
export const cleanedUp = <E>(op: Operation, cause: Cause.Cause<E>): Effect.Effect<never, E> =>
  Effect.zipRight(cleanUp(op), Effect.failCause(cause))

/** Refunds grants, releases what is open, and tells buckets that the attempt has no outcome. */
export const cleanUp = (op: Operation): Effect.Effect<void> => {
  op.over = true
  return Effect.zipRight(Grants.callOff(op), release(op, "Interrupted"))
}
