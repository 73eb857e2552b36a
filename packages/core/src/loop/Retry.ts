/**
 * Retries effects: takes an effect and a policy, and returns a retried effect.
 *
 * `retry` keeps the error type and fails with the last error. `retryOrElse` and `orStopped` also report why the
 * operation stopped, how many attempts there were, and the latest failures, each with its verdict, times and delay. For
 * `async` functions use the module `Promises`.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Argument from "../accept/Argument.ts"
import * as Property from "../accept/Property.ts"
import type { Env, Failure, NoEffect, Told } from "./Door.ts"
import * as Loop from "./run/Loop.ts"
import type { Erased, OnStopped } from "./run/Operation.ts"
import type { Prepared } from "./policy/PolicyCheck.ts"
import { prepare } from "./policy/PolicyCheck.ts"
import type { Fields } from "./policy/PolicyRecord.ts"
import type { Checked, Needs, Piped, ResultIn, Takes } from "./policy/PolicyTypes.ts"

export type { Refusal } from "../fund/port/Port.ts"
export { type Attempt, CurrentAttempt } from "./policy/CurrentAttempt.ts"
export {
  AttemptRefused,
  FailedAttempt,
  format,
  ResultRejected,
  RetryStopped,
  type StopReason
} from "./policy/RetryStopped.ts"

/**
 * Retries an effect as a policy says.
 *
 * Fails with the last error, keeping its cause; if the operation gives up on a judged result, that result is returned.
 * Policies that can fail an operation by themselves (attempt timeout, cut deadline, rate limiter, a release under a
 * deadline) add their error to the type.
 *
 * Dies with an `InvalidArgument`, with the last error as its cause, if the classifier returns no verdict or throws.
 *
 * @category running
 */
export function retry<P extends Fields<E0, A0>, A0 = never, E0 = never>(
  policy: Checked<P>
): <A extends ResultIn<P>, E extends Takes<P, E>, R>(
  self: Effect.Effect<A, E, R> | Piped<P, Effect.Effect<A0, E0, any>>
) => Effect.Effect<A, Failure<P, A, E>["error"], Env<P, R>["own"] | Needs<P>[keyof Needs<P>]>
export function retry<A = never, E = never, R = never, P extends Fields<E, A> = Fields<E, A>>(
  self: Effect.Effect<A, E, R> | NoEffect<A | E | R>,
  policy: Checked<P>
): Effect.Effect<A, Failure<P, A, E>["error"], Env<P, R>["own"] | Needs<P>[keyof Needs<P>]>
export function retry(...given: Given): any {
  return opened("Retry.retry", given, undefined)
}

/**
 * Retries an effect as a policy says; if that fails, continues with a fallback, which receives the reason for stopping.
 *
 * @category running
 */
export function retryOrElse<P extends Fields<E0, A0>, A2, E2, R2, A0 = never, E0 = never, Self = never>(
  policy: Checked<P>,
  orElse: (stopped: Told<P, A0, E0, Self>) => Effect.Effect<A2, E2, R2>
): <A extends ResultIn<P>, E extends Takes<P, E>, R>(
  self: Effect.Effect<A, E, R> | Piped<P, Effect.Effect<A0, E0, any>, Self>
) => Effect.Effect<A | A2, E2, Env<P, R>["own"] | Needs<P>[keyof Needs<P>] | R2>
export function retryOrElse<
  A = never,
  E = never,
  R = never,
  P extends Fields<E, A> = Fields<E, A>,
  A2 = never,
  E2 = never,
  R2 = never
>(
  self: Effect.Effect<A, E, R> | NoEffect<A | E | R>,
  policy: Checked<P>,
  orElse: (stopped: Failure<P, A, E>["stopped"]) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E2, Env<P, R>["own"] | Needs<P>[keyof Needs<P>] | R2>
export function retryOrElse(...given: Given): any {
  const owner = "Retry.retryOrElse"
  const usage = "(effect, policy, orElse)"
  const fallback = (orElse: unknown): OnStopped =>
    Predicate.isFunction(orElse)
      ? (orElse as OnStopped)
      : Argument.refuseForeign(owner, "orElse", `a function that returns an effect, as in ${owner}${usage}`, orElse)
  if (given.length < 3 && !(given.length === 2 && Effect.isEffect(given[0]))) {
    return stored(owner, usage, prepare(owner, given[0], usage), fallback(given[1]))
  }
  const [self, policy, orElse] = given
  return Loop.run(checked(owner, usage, self), prepare(owner, policy, usage), fallback(orElse))
}

/**
 * Retries an effect as a policy says, and fails with a `RetryStopped`: reason, last error, attempts and history.
 *
 * @category running
 */
export function orStopped<P extends Fields<E0, A0>, A0 = never, E0 = never>(
  policy: Checked<P>
): <A extends ResultIn<P>, E extends Takes<P, E>, R>(
  self: Effect.Effect<A, E, R> | Piped<P, Effect.Effect<A0, E0, any>>
) => Effect.Effect<A, Failure<P, A, E>["stopped"], Env<P, R>["own"] | Needs<P>[keyof Needs<P>]>
export function orStopped<A = never, E = never, R = never, P extends Fields<E, A> = Fields<E, A>>(
  self: Effect.Effect<A, E, R> | NoEffect<A | E | R>,
  policy: Checked<P>
): Effect.Effect<A, Failure<P, A, E>["stopped"], Env<P, R>["own"] | Needs<P>[keyof Needs<P>]>
export function orStopped(...given: Given): any {
  return opened("Retry.orStopped", given, Effect.fail)
}

/** The arguments of a door, checked here; their types are in the signatures. */
type Given = ReadonlyArray<any>

/** The body of a front door, called with an effect and a policy, or first with the policy and then with the effect. */
const opened = (owner: string, given: Given, onStopped: OnStopped | undefined): unknown => {
  const usage = "(effect, policy)"
  if (given.length > 1) return Loop.run(checked(owner, usage, given[0]), prepare(owner, given[1], usage), onStopped)
  return stored(owner, usage, prepare(owner, given[0], usage), onStopped)
}

const stored =
  (owner: string, usage: string, prepared: Prepared, onStopped: OnStopped | undefined) =>
  (self: unknown): Erased =>
    Loop.run(checked(owner, usage, self), prepared, onStopped)

const checked = (owner: string, usage: string, self: unknown): Erased =>
  Effect.isEffect(self)
    ? (self as Erased)
    : Argument.refuseForeign(owner, "effect", `an effect, as in ${owner}${usage}${instead(self)}`, self)

/** What to write for a function or a promise. */
const instead = (self: unknown): string => {
  const isAsync = Property.property(self, Symbol.toStringTag) === "AsyncFunction"
  if (isAsync || Predicate.isPromiseLike(self)) return "; async functions are retried by Promises.retry"
  return typeof self === "function" ? "; pass the effect itself, not a function that returns it" : ""
}
