/**
 * What one request asks of the policy of its client.
 */
import type { AttemptTimeout, Deadline } from "@effect-retry/core"
import type { Given } from "@effect-retry/core/unstable/Dual"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { BeforeRetry } from "./BeforeRetry.ts"
import type { Any, Checked, Erased, Plain } from "./HttpPolicy.ts"
import { complete, said } from "./HttpPolicy.ts"

/**
 * Every field of a policy, as far as it adds neither an error nor a service. Opinions, classifiers and schedules judge
 * the errors of any client.
 *
 * @category models
 */
export interface Options extends Omit<Plain<unknown>, "attemptTimeout" | "beforeRetry" | "deadline"> {
  readonly attemptTimeout?: AttemptTimeout.AttemptTimeout | undefined
  readonly beforeRetry?: BeforeRetry<unknown, never, never> | undefined
  readonly deadline?: Deadline.Deadline<Deadline.DeadlineExceeded> | undefined
}

/** Checked, and without the fields that are left out. */
type Said = Partial<Erased>

/** The options of the running code. */
export class CurrentOptions extends Context.Reference<CurrentOptions>()("@effect-retry/http/Options", {
  defaultValue: (): Said | undefined => undefined
}) {}

/**
 * Sends the requests of an effect under other fields than those of the client's policy:
 * `client.get(url).pipe(HttpRetry.withOptions({ maxAttempts: 1 }))`.
 *
 * What is left out is that of the client or, where one is inside another, of the options around it. The client that is
 * asked takes them; clients underneath it, and the requests of `beforeRetry`, are under their own policies. A timeout and
 * a deadline are the `cause` of a `RequestError`, as they are of a client, and so the types stay as they are.
 * Throws where a field has a value that its type cannot exclude. Checked once: keep the options of many requests.
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

/** A copy, so that what the caller changes later is not seen. */
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

/** A function of options that is run once for each of them. */
export const memoized = <A>(make: (options: Said) => A): ((options: Said) => A) => {
  const known = new WeakMap<Said, A>()
  return (options) => {
    const found = known.get(options) ?? make(options)
    known.set(options, found)
    return found
  }
}
