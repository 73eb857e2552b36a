/**
 * The types of the front doors.
 *
 * Each door has two signatures, of different arity: the compiler then tells a mistake once. The one without the effect
 * serves in a pipe, where the types come from the effect, and stored for later, where they come from the policy.
 */
import type { Adds, In, Judged, Provided, ResultIn } from "./policy/PolicyTypes.ts"
import type { RetryStopped } from "./policy/RetryStopped.ts"

/** What an operation fails with under a policy, by door. */
export interface Failure<P, A, E> {
  readonly error: E | Adds<P>[keyof Adds<P>]
  readonly stopped: RetryStopped<E | Adds<P>[keyof Adds<P>] | Judged<P, A>["result"]>
}

/** What remains of an effect's own requirements under a policy. */
export interface Env<P, R> {
  readonly own: [Provided<P>] extends [never] ? R : R extends Provided<P> ? never : R
}

/** What a fallback is told: of the effect in a pipe, of all that the policy judges where it is stored. */
export type Told<P, A, E, Self> = [Self] extends [never]
  ? Failure<P, ResultIn<P>, In<P>>["stopped"]
  : Failure<P, A, E>["stopped"]
