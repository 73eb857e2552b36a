/**
 * The front doors: an effect and a policy in, a retried effect out.
 *
 * `retry` keeps the error type and fails with the last error. `retryOrElse` and `orStopped` tell everything: why it
 * stopped, how many attempts there were, and each failure with its verdict, times and delay.
 */
import { Effect } from "effect"
import { dual } from "effect/Function"
import * as Loop from "./Loop.ts"
import type { Erased, Operation } from "./Operation.ts"
import type { Added, Any, Env, ErasedPolicy, Failure, Fits, In, Policy, ResultIn } from "./PolicyRecord.ts"
import type { RetryStopped } from "./RetryStopped.ts"

/**
 * Each door has four overloads: in a pipe, where the effect tells the policy its types; stored for later, where the policy
 * tells; data-first; and data-first for an effect that is a call with lambdas of its own, which are only typed after the
 * policy. `InPipe` keeps the first from being taken for the second.
 */
type InPipe<E> = unknown extends E ? never : unknown

export { type Attempt, CurrentAttempt } from "./CurrentAttempt.ts"
export type { ActiveOperation, DelaySource, Observer, RetryEvent } from "./RetryEvent.ts"
export {
  type FailedAttempt,
  inWords,
  ResultRejected,
  RetryStopped,
  SendRefused,
  type StopReason
} from "./RetryStopped.ts"

/**
 * Retries an effect as a policy says.
 *
 * Fails with the last error, cause and all; a judged result that is given up on is returned. Policies that can fail an
 * operation by themselves (attempt timeout, cut deadline, send rate) add their error to the type.
 *
 * @category running
 */
export const retry: {
  <A, E, P extends Policy<E, A>>(
    policy: P & Fits<P> & InPipe<E>
  ): <R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Added<P>, Env<P, R>>
  <P extends Any>(
    policy: P & Fits<P>
  ): <A extends ResultIn<P>, E extends In<P>, R>(
    self: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | Added<P>, Env<P, R>>
  <A, E, R, P extends Policy<E, A>>(
    self: Effect.Effect<A, E, R>,
    policy: P & Fits<P>
  ): Effect.Effect<A, E | Added<P>, Env<P, R>>
  <P extends Any, A extends ResultIn<P>, E extends In<P>, R>(
    self: Effect.Effect<A, E, R>,
    policy: P & Fits<P>
  ): Effect.Effect<A, E | Added<P>, Env<P, R>>
} = /*#__PURE__*/ dual(2, (self: Erased, policy: ErasedPolicy): Erased =>
  Loop.run("Retry.retry", self, policy, undefined)
)

/**
 * Retries an effect as a policy says, and goes on with a fallback that hears why the operation stopped.
 *
 * @category running
 */
export const retryOrElse: {
  <A, E, P extends Policy<E, A>, A2, E2, R2>(
    policy: P & Fits<P> & InPipe<E>,
    orElse: (stopped: RetryStopped<Failure<P, E, A>>) => Effect.Effect<A2, E2, R2>
  ): <R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, E2, Env<P, R> | R2>
  <P extends Any, A2, E2, R2>(
    policy: P & Fits<P>,
    orElse: (stopped: RetryStopped<Failure<P, In<P>, ResultIn<P>>>) => Effect.Effect<A2, E2, R2>
  ): <A extends ResultIn<P>, E extends In<P>, R>(
    self: Effect.Effect<A, E, R>
  ) => Effect.Effect<A | A2, E2, Env<P, R> | R2>
  <A, E, R, P extends Policy<E, A>, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    policy: P & Fits<P>,
    orElse: (stopped: RetryStopped<Failure<P, E, A>>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E2, Env<P, R> | R2>
  <P extends Any, A extends ResultIn<P>, E extends In<P>, R, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    policy: P & Fits<P>,
    orElse: (stopped: RetryStopped<Failure<P, E, A>>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E2, Env<P, R> | R2>
} = /*#__PURE__*/ dual(3, (self: Erased, policy: ErasedPolicy, orElse: NonNullable<Operation["onStopped"]>): Erased =>
  Loop.run("Retry.retryOrElse", self, policy, orElse)
)

/**
 * Retries an effect as a policy says, and fails with a `RetryStopped` that knows the whole story.
 *
 * @category running
 */
export const orStopped: {
  <A, E, P extends Policy<E, A>>(
    policy: P & Fits<P> & InPipe<E>
  ): <R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, RetryStopped<Failure<P, E, A>>, Env<P, R>>
  <P extends Any>(
    policy: P & Fits<P>
  ): <A extends ResultIn<P>, E extends In<P>, R>(
    self: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, RetryStopped<Failure<P, E, A>>, Env<P, R>>
  <A, E, R, P extends Policy<E, A>>(
    self: Effect.Effect<A, E, R>,
    policy: P & Fits<P>
  ): Effect.Effect<A, RetryStopped<Failure<P, E, A>>, Env<P, R>>
  <P extends Any, A extends ResultIn<P>, E extends In<P>, R>(
    self: Effect.Effect<A, E, R>,
    policy: P & Fits<P>
  ): Effect.Effect<A, RetryStopped<Failure<P, E, A>>, Env<P, R>>
} = /*#__PURE__*/ dual(2, (self: Erased, policy: ErasedPolicy): Erased =>
  Loop.run("Retry.orStopped", self, policy, Effect.fail)
)
