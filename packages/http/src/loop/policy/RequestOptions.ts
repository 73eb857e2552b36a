/**
 * Changes the policy of a client for single requests.
 */
import type { AttemptTimeout, Deadline } from "@effect-retry/core"
import type { Given } from "@effect-retry/core/unstable/Dual"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { BeforeRetry } from "./BeforeRetry.ts"
import type { Any, Checked, Erased, Plain } from "./HttpPolicy.ts"
import { complete, said } from "./HttpPolicy.ts"

/**
 * Every field of a policy that adds neither an error nor a service. Opinions, classifiers and schedules must judge the
 * errors of any client.
 *
 * @category models
 */
export interface Options extends Omit<Plain<unknown>, "attemptTimeout" | "beforeRetry" | "deadline"> {
  readonly attemptTimeout?: AttemptTimeout.AttemptTimeout | undefined
  readonly beforeRetry?: BeforeRetry<unknown, never, never> | undefined
  readonly deadline?: Deadline.Deadline<Deadline.DeadlineExceeded> | undefined
}

/** Checked options, with only the fields that were set. */
type Said = Partial<Erased>

/** The options of the running code. */
export class CurrentOptions extends Context.Reference<CurrentOptions>()("@effect-retry/http/Options", {
  defaultValue: (): Said | undefined => undefined
}) {}

/**
 * Overrides fields of the client's policy for the requests of an effect:
 * `client.get(url).pipe(HttpRetry.withOptions({ maxAttempts: 1 }))`.
 *
 * Fields left out are those of the client or, when nested, of the options around. They apply to the client that is
 * called; clients underneath it, and the requests of `beforeRetry`, keep their own policies. The errors of a timeout
 * and a deadline are the `cause` of a `RequestError`, so the types do not change.
 * Throws an `InvalidArgument` if a field has a value that its type cannot exclude. Options are checked once, so reuse
 * the result for many requests.
 *
 * @category combinators
 */
export function withOptions<P extends Options>(
  options: Checked<P>
): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
export function withOptions<A, E, R, P extends Options>(
  self: Effect.Effect<A, E, R>,
  options: Checked<P>
): Effect.Effect<A, E, R>
export function withOptions(...given: Given): any {
  return given.length === 1 ? providing(checked(given[0])) : providing(checked(given[1]))(given[0])
}

/** A copy, so that later changes by the caller have no effect. */
const checked = (options: Any): Said => {
  complete("HttpRetry.withOptions", options)
  return said(options)
}

const providing = (own: Said) => {
  const within = memoized((outer) => ({ ...outer, ...own }))
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(CurrentOptions, (outer) =>
      Effect.provideService(self, CurrentOptions, outer === undefined ? own : within(outer))
    )
}

/** A function of options that remembers its results. */
export const memoized = <A>(make: (options: Said) => A): ((options: Said) => A) => {
  const known = new WeakMap<Said, A>()
  return (options) => {
    const found = known.get(options) ?? make(options)
    known.set(options, found)
    return found
  }
}
