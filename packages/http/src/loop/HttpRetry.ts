/**
 * Adds retries to an `HttpClient`: requests that may be sent again are sent again.
 *
 * @example
 * ```ts
 * import { Backoff } from "@effect-retry/core"
 * import { HttpRetry } from "@effect-retry/http"
 * import { HttpClient, HttpClientResponse } from "@effect/platform"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const methods: Array<string> = []
 * const unavailable = HttpClient.make((request) => {
 *   methods.push(request.method)
 *   return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: 503 })))
 * })
 * const client = HttpRetry.withRetry(unavailable, {
 *   ...HttpRetry.standard,
 *   backoff: Backoff.constant({ delay: "1 millis" })
 * })
 *
 * const program = Effect.all([client.get("http://localhost/"), client.post("http://localhost/")])
 *
 * Effect.runPromise(program).then(([got, posted]) => {
 *   assert.deepStrictEqual([got.status, posted.status], [503, 503])
 *   assert.deepStrictEqual(methods, ["GET", "GET", "GET", "POST"])
 * })
 * ```
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Deadline, Retry } from "@effect-retry/core"
import type { Given } from "@effect-retry/core/unstable/Dual"
import type { Piped } from "@effect-retry/core/unstable/PolicyTypes"
import * as Token from "../accept/Token.ts"
import type { Send } from "./exchange/Exchange.ts"
import { hedging } from "./exchange/Hedging.ts"
import type { Outcome } from "./policy/Attempt.ts"
import type { Bucket, HedgePolicy } from "./policy/HedgePolicy.ts"
import type { Added, Bound, Checked, Env, Policy, Takes } from "./policy/HttpPolicy.ts"
import { complete } from "./policy/HttpPolicy.ts"
import { made } from "./client/MadeClient.ts"
import { CurrentReading } from "./exchange/Reading.ts"
import { retrying } from "./exchange/Retrying.ts"
import * as Stopped from "./exchange/Stopped.ts"

export { paced } from "../fund/Paced.ts"
export { execute } from "./Execute.ts"
export { standard } from "./policy/HttpPolicy.ts"
export { perHost } from "./policy/PerHost.ts"
export type { HedgePolicy } from "./policy/HedgePolicy.ts"
export { type Options, withOptions } from "./policy/RequestOptions.ts"
export type { Attempt, Outcome } from "./policy/Attempt.ts"
export type { Checked, Fields, Policy, Preset } from "./policy/HttpPolicy.ts"

/**
 * Adds a header with the number of the attempt: `x-retry-attempt: 1` and so on.
 *
 * @category constructors
 */
export const attemptNumber = (header = "x-retry-attempt"): NonNullable<Policy["attemptHeaders"]> => {
  const name = Token.sentHeader("HttpRetry.attemptNumber", "header", header)
  return ({ number }) => ({ [name]: String(number) })
}

type With<E, R> = HttpClient.HttpClient.With<E, R>

/** Resolves to `never` for a client; for its tag, and anything else, the compiler shows what to write. */
type NoClient<Inferred> = [Inferred] extends [never] ? Unrun : never
interface Unrun extends Effect.Effect<unknown, unknown, unknown> {
  readonly "yield* the tag first: const client = yield* HttpClient.HttpClient": never
}

/**
 * Sends requests again as a policy says, such as `HttpRetry.standard`. Fields that a policy leaves out are those of
 * `standard`: `HttpRetry.withRetry({ maxAttempts: 5 })`.
 *
 * Responses and errors share one count of attempts. After the last attempt its response is returned, or the effect
 * fails with its error; an error of the policy itself, such as a timeout, is the `cause` of a `RequestError`. An
 * attempt ends when the headers of its response arrive: a body that breaks later is not retried. Earlier responses are
 * released.
 *
 * Source of the rules for repeating requests: RFC 9110, section 9.2.2, https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2.
 *
 * @category running
 */
export function withRetry<P extends Bound<E0>, E0 = never>(
  policy: Checked<P>
): <E extends Takes<P, E>, R>(self: With<E, R> | Piped<P, With<E0, any>>) => With<E | Added<P>, Env<P, R>>
export function withRetry<E = never, R = never, P extends Bound<E> = Bound<E>>(
  self: With<E, R> | NoClient<E | R>,
  policy: Checked<P>
): With<E | Added<P>, Env<P, R>>
export function withRetry(...given: Given): any {
  return opened("HttpRetry.withRetry", given, false)
}

/**
 * Like `withRetry`, but the client says why it gave up: it fails with core's `RetryStopped`, which holds the reason,
 * the number of attempts and the latest failures. Its `error` is what `withRetry` would have ended with: the last
 * response, whose body is still unread, or the last error.
 *
 * A response that is not a failure, such as a 404, is returned as it is. A request that could not be prepared counts as
 * stopped after 0 attempts. As with every response of the platform, an unread body is kept until the scope of
 * `HttpClient.withScope` ends, or until the response is garbage-collected.
 *
 * @category running
 */
export function orStopped<P extends Bound<E0>, E0 = never>(
  policy: Checked<P>
): <E extends Takes<P, E>, R>(
  self: With<E, R> | Piped<P, With<E0, any>>
) => With<Retry.RetryStopped<Outcome<E | Added<P>>>, Env<P, R>>
export function orStopped<E = never, R = never, P extends Bound<E> = Bound<E>>(
  self: With<E, R> | NoClient<E | R>,
  policy: Checked<P>
): With<Retry.RetryStopped<Outcome<E | Added<P>>>, Env<P, R>>
export function orStopped(...given: Given): any {
  return opened("HttpRetry.orStopped", given, true)
}

/** The body of a door, called with a client and a policy, or first with the policy and then with the client. */
const opened = (owner: string, given: Given, stops: boolean): unknown => {
  const retry = retrying(complete(owner, given.length > 1 ? given[1] : given[0]), stops)
  const door = (self: unknown): With<unknown, unknown> => retried(owner, self, retry, stops)
  return given.length > 1 ? door(given[0]) : door
}

/**
 * Hedges requests that are safe to repeat: sends another one while the first is unanswered, and takes the first answer.
 * Requests that are not safe to repeat, by their method, their body and `idempotency`, are sent once.
 *
 * This is core's `Hedge.hedge`. Responses that `classifier` calls retryable count as failures: the next request is sent
 * at once, or after the wait that the server asks for. The bodies of all other responses are released, and their
 * requests aborted. An error of the hedge itself is the `cause` of a `RequestError`.
 *
 * If a client also retries, put the hedge inside: `client.pipe(HttpRetry.withHedge(hedge), HttpRetry.withRetry(policy))`.
 *
 * @category running
 */
export function withHedge<E2 = never, B extends Bucket = never>(
  hedge: HedgePolicy<E2, B>
): <E, R>(self: With<E, R>) => With<E | Hedged<E2, B>["error"], R | Hedged<E2, B>["service"]>
export function withHedge<E, R, E2 = never, B extends Bucket = never>(
  self: With<E, R>,
  hedge: HedgePolicy<E2, B>
): With<E | Hedged<E2, B>["error"], R | Hedged<E2, B>["service"]>
export function withHedge(...given: Given): any {
  if (given.length < 2) {
    const send = hedging("HttpRetry.withHedge", given[0])
    return (self: unknown) => hedgedClient(self, send)
  }
  return hedgedClient(given[0], hedging("HttpRetry.withHedge", given[1]))
}

/** What a hedge adds to the types of a client. */
interface Hedged<E2, B> {
  readonly error: HttpClientError.RequestError | Exclude<E2, Deadline.DeadlineExceeded>
  readonly service: B extends Context.Tag<infer I, any> ? I : never
}

const hedgedClient = (self: unknown, hedged: ReturnType<typeof hedging>): With<unknown, unknown> => {
  const { postprocess, preprocess } = made("HttpRetry.withHedge", self)
  const send: Send = (request) => postprocess(Effect.succeed(request))
  return HttpClient.makeWith<unknown, unknown, unknown, unknown>(
    (prepared) => Effect.flatMap(prepared, (request) => hedged(send, request)),
    preprocess
  )
}

/** A client that retries and, if `stops` is true, fails with a `RetryStopped`. */
const retried = (
  owner: string,
  self: unknown,
  retry: ReturnType<typeof retrying>,
  stops: boolean
): With<unknown, unknown> => {
  const { postprocess, preprocess } = made(owner, self)
  const send: Send = (request) => postprocess(Effect.succeed(request))
  return HttpClient.makeWith<unknown, unknown, unknown, unknown>(
    (prepared) =>
      isReady(prepared) ? retry(send, prepared.value) : Effect.flatMap(prepared, (request) => retry(send, request)),
    stops ? (request) => Effect.mapError(preprocess(request), Stopped.unprepared) : preprocess
  )
}

type Prepared = Effect.Effect<HttpClientRequest.HttpClientRequest, unknown, unknown>

/** Whether a request needs no preparation, which is the common case. */
const isReady = (prepared: Prepared): prepared is Exit.Success<HttpClientRequest.HttpClientRequest, never> =>
  Exit.isExit(prepared) && Exit.isSuccess(prepared)

/**
 * Sends the requests of an effect separately: the reader of an `HttpRetry.execute` around it does not read their responses.
 *
 * For combinators of a client that make further requests through the same client before they answer.
 *
 * @category combinators
 */
export const besides = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, CurrentReading, undefined)

/**
 * Checks a policy and returns it. `withRetry` also checks; `make` finds mistakes earlier.
 *
 * @category constructors
 */
export const make = <P extends Bound<never>>(policy: Checked<P>): P => {
  complete("HttpRetry.make", policy)
  return policy
}
