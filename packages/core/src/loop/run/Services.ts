/**
 * Calls buckets, rate limiters and observers, so that no call changes how an attempt has ended.
 *
 * A call that dies is logged once; it counts as delivered, or as a refusal if it asked for tokens. A call that hangs is
 * interrupted at the deadline, if there is one.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Untrusted from "../../accept/Untrusted.ts"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as Logging from "../../fund/port/Logging.ts"
import * as ShownCause from "../../fund/port/ShownCause.ts"
import * as Elapsed from "./Elapsed.ts"
import type { Operation } from "./Operation.ts"

/** A call to make before continuing; `undefined` if there is none. */
export type Telling = { readonly service: string; readonly telling: Effect.Effect<void> } | undefined

/** Makes the call, then continues, even if the service dies. Both are one step of the fiber. */
export const andThen = <A, E, R>(told: Telling, next: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  told === undefined
    ? next()
    : Effect.matchCauseEffect(told.telling, {
        onFailure: (cause) => Effect.flatMap(died(told.service, cause), next),
        onSuccess: next
      })

const nothing = () => Effect.void

/** Makes the call, and nothing else. */
export const run = (told: Telling): Effect.Effect<void> => andThen(told, nothing)

/**
 * Calls a service; `otherwise` is the answer if the service dies, or does not answer before the deadline. The service
 * gets at least `leastMillis`.
 */
export const safely = <A>(
  op: Operation,
  service: string,
  asked: Effect.Effect<A>,
  otherwise: A,
  leastMillis = 0
): Effect.Effect<A> => {
  const answered = logging(service, asked, otherwise)
  const { deadline } = op.prepared.policy
  const asking = { service, asked: answered, leastMillis }
  return deadline === undefined || AtOnce.hasEnded(asked)
    ? answered
    : Effect.suspend(() => deadline.machinery.answered(deadline, Elapsed.millis(op), asking, otherwise))
}

/** Calls a service without a time limit; `otherwise` is the answer if the service dies. */
export const logging = <A>(service: string, asked: Effect.Effect<A>, otherwise: A): Effect.Effect<A> =>
  Effect.catchAllCause(asked, (cause) => Effect.as(died(service, cause), otherwise))

const died = (service: string, cause: Cause.Cause<never>): Effect.Effect<void> =>
  Logging.safely(Effect.logWarning(`${service} died`, ShownCause.of(cause, Untrusted.inBrief)))

/** Calls a service; the result is an exit if it answers at once. Call this in the step in which the service must be asked. */
export const called = <A>(ask: () => Effect.Effect<A>): Effect.Effect<A> => {
  try {
    return AtOnce.run(ask())
  } catch (defect) {
    return Effect.die(defect)
  }
}

/** The same for a method of a bucket, without allocating anything for the call. */
export const calledOf = <A, B, M>(
  method: (bucket: B, message: M) => Effect.Effect<A>,
  bucket: B,
  message: M
): Effect.Effect<A> => {
  try {
    return AtOnce.run(method(bucket, message))
  } catch (defect) {
    return Effect.die(defect)
  }
}

/**
 * Makes a call. Use it in the step in which the service must be called: a synchronous call is complete on return. No
 * interruption comes between the call and its note.
 */
export const tell = (op: Operation, service: string, ask: () => Effect.Effect<void>, note?: () => void): Telling =>
  telling(op, service, called(ask), note)

/** Completes a call made with `called`. */
export const telling = (op: Operation, service: string, asked: Effect.Effect<void>, note?: () => void): Telling => {
  if (AtOnce.hasEnded(asked)) {
    note?.()
    return Exit.isSuccess(asked) ? undefined : { service, telling: asked }
  }
  const isBounded = op.prepared.policy.deadline !== undefined
  const telling = isBounded ? safely(op, service, asked, undefined) : asked
  if (note === undefined) return { service, telling }
  return { service, telling: Effect.uninterruptible(andThen({ service, telling }, () => Effect.sync(note))) }
}

/** Makes one call after the other. */
export const both = (first: Telling, second: () => Telling): Telling =>
  first === undefined ? second() : { service: first.service, telling: andThen(first, () => run(second())) }
