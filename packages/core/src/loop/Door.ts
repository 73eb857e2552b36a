/**
 * The types of the front doors.
 *
 * Each door has two signatures with different numbers of parameters, so the compiler reports a mistake only once. The one
 * without the effect is for pipes, where the types come from the effect, and for stored doors, where they come from the
 * policy.
 */
import type { Adds, In, Judged, Provided, ResultIn } from "./policy/PolicyTypes.ts"
import type { Mistake } from "./policy/PolicyRecord.ts"
import type { RetryStopped } from "./policy/RetryStopped.ts"

/** The errors of an operation under a policy, by door. */
export interface Failure<P, A, E> {
  readonly error: E | Adds<P>[keyof Adds<P>]
  readonly stopped: RetryStopped<E | Adds<P>[keyof Adds<P>] | Judged<P, A>["result"]>
}

/**
 * Resolves to `never` for an effect. From anything else nothing is inferred, and the compiler shows what to write: no value
 * is a `Mistake`.
 */
export type NoEffect<Inferred> = [Inferred] extends [never]
  ? Mistake<"the effect comes first; async functions are retried by Promises.retry">
  : never

/** The requirements of the effect itself that remain under a policy. */
export interface Env<P, R> {
  readonly own: [Provided<P>] extends [never] ? R : R extends Provided<P> ? never : R
}

/** What a fallback receives: with the types of the effect in a pipe, with those of the policy in a stored door. */
export type Told<P, A, E, Self> = [Self] extends [never]
  ? Failure<P, ResultIn<P>, In<P>>["stopped"]
  : Failure<P, A, E>["stopped"]
