/**
 * The types of the front doors, written once.
 *
 * Each door has four overloads: in a pipe, where the types come from the effect; stored for later, where they come from
 * the policy; data-first; and data-first for an effect that is a call with lambdas of its own, which are typed only after the
 * policy.
 */
import type * as Effect from "effect/Effect"
import type { Fields, Mistake } from "./policy/PolicyRecord.ts"
import type { Adds, Bound, Checked, In, Judged, Needs, Provided, ResultIn, Takes } from "./policy/PolicyTypes.ts"
import type { RetryStopped } from "./policy/RetryStopped.ts"

/** Stands for a type parameter that no context has fixed. */
interface NotPiped {
  readonly notPiped: unique symbol
}
/** `E` is its default exactly where no context fixes it; an effect that fails with `unknown` or `any` does fix it. */
type Told<E> = [NotPiped] extends [E] ? (unknown extends E ? "yes" : "no") : "yes"
/** In a pipe the effect fixes `E`; elsewhere `E` is its default, and this refuses the overload. */
type Piped<E> = Told<E> extends "no" ? Mistake<"no pipe tells the error that this policy judges"> : unknown

/** What an operation fails with under a policy, by door. */
export interface Failure<P, A, E> {
  readonly error: E | Adds<P>[keyof Adds<P>]
  readonly stopped: RetryStopped<E | Adds<P>[keyof Adds<P>] | Judged<P, A>["result"]>
}

/** What remains of an effect's own requirements under a policy. */
export interface Env<P, R> {
  readonly own: [Provided<P>] extends [never] ? R : R extends Provided<P> ? never : R
}

/** A front door that takes an effect and a policy; `How` says what it fails with. */
export interface Door<How extends "error" | "stopped"> {
  <A = NotPiped, E = NotPiped, P extends Fields<E, A> = Fields<E, A>>(
    policy: Checked<P> & Piped<E>
  ): <R>(
    self: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, Failure<P, A, E>[How], Env<P, R>["own"] | Needs<P>[keyof Needs<P>]>
  <P extends Bound>(
    policy: Checked<P>
  ): <A extends ResultIn<P>, E extends Takes<P, E>, R>(
    self: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, Failure<P, A, E>[How], Env<P, R>["own"] | Needs<P>[keyof Needs<P>]>
  <A, E, R, P extends Fields<E, A>>(
    self: Effect.Effect<A, E, R>,
    policy: Checked<P>
  ): Effect.Effect<A, Failure<P, A, E>[How], Env<P, R>["own"] | Needs<P>[keyof Needs<P>]>
  <P extends Bound, A extends ResultIn<P>, E extends Takes<P, E>, R>(
    self: Effect.Effect<A, E, R>,
    policy: Checked<P>
  ): Effect.Effect<A, Failure<P, A, E>[How], Env<P, R>["own"] | Needs<P>[keyof Needs<P>]>
}

/** A front door with a fallback. */
export interface DoorOrElse {
  <A2, E2, R2, A = NotPiped, E = NotPiped, P extends Fields<E, A> = Fields<E, A>>(
    policy: Checked<P> & Piped<E>,
    orElse: (stopped: Failure<P, A, E>["stopped"]) => Effect.Effect<A2, E2, R2>
  ): <R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, E2, Env<P, R>["own"] | Needs<P>[keyof Needs<P>] | R2>
  <P extends Bound, A2, E2, R2>(
    policy: Checked<P>,
    orElse: (stopped: Failure<P, ResultIn<P>, In<P>>["stopped"]) => Effect.Effect<A2, E2, R2>
  ): <A extends ResultIn<P>, E extends Takes<P, E>, R>(
    self: Effect.Effect<A, E, R>
  ) => Effect.Effect<A | A2, E2, Env<P, R>["own"] | Needs<P>[keyof Needs<P>] | R2>
  <A, E, R, P extends Fields<E, A>, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    policy: Checked<P>,
    orElse: (stopped: Failure<P, A, E>["stopped"]) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E2, Env<P, R>["own"] | Needs<P>[keyof Needs<P>] | R2>
  <P extends Bound, A extends ResultIn<P>, E extends Takes<P, E>, R, A2, E2, R2>(
    self: Effect.Effect<A, E, R>,
    policy: Checked<P>,
    orElse: (stopped: Failure<P, A, E>["stopped"]) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E2, Env<P, R>["own"] | Needs<P>[keyof Needs<P>] | R2>
}
