/**
 * A client in, a client out that sends again what may be sent again.
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
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import type { Piped } from "@effect-retry/core/unstable/PolicyTypes"
import * as Token from "../accept/Token.ts"
import type { Send } from "./exchange/Exchange.ts"
import { hedging } from "./exchange/Hedging.ts"
import type { Outcome } from "./policy/Attempt.ts"
import type { Bucket, HedgePolicy } from "./policy/HedgePolicy.ts"
import type { Added, Any, Bound, Checked, Env, Policy, Takes } from "./policy/HttpPolicy.ts"
import { complete } from "./policy/HttpPolicy.ts"
import { isClient, made } from "./client/MadeClient.ts"
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
 * Attempt headers with the number of the attempt: `x-retry-attempt: 1` and so on.
 *
 * @category constructors
 */
export const attemptNumber = (header = "x-retry-attempt"): NonNullable<Policy["attemptHeaders"]> => {
  const name = Token.sentHeader("HttpRetry.attemptNumber", "header", header)
  return ({ number }) => ({ [name]: String(number) })
}

type With<E, R> = HttpClient.HttpClient.With<E, R>

/**
 * Sends requests again as a policy says, `standard` without one; what a policy leaves out is that of `standard`:
 * `HttpRetry.withRetry({ maxAttempts: 5 })`.
 *
 * Responses and errors share one count of attempts. A response that is given up on is returned, an error is failed
 * with; an error of the policy itself, such as a timeout, is the `cause` of a `RequestError`. An attempt is over when
 * the headers of its response are in: a body that breaks later is not retried. Responses in between are released.
 *
 * Source of the rules of repetition: RFC 9110, section 9.2.2, https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2.
 *
 * @category running
 */
export function withRetry<E = never, R = never, P extends Bound<E> = Bound<E>>(
  self: With<E, R>,
  policy: Checked<P>
): With<E | Added<P>, Env<P, R>>
export function withRetry<E, R>(self: With<E, R>): With<E | HttpClientError.RequestError, R>
export function withRetry(): <E, R>(self: With<E, R>) => With<E | HttpClientError.RequestError, R>
export function withRetry<P extends Bound<E0>, E0 = never>(
  policy: Checked<P>
): <E extends Takes<P, E>, R>(self: With<E, R> | Piped<P, With<E0, any>>) => With<E | Added<P>, Env<P, R>>
export function withRetry(...given: Given): any {
  return opened("HttpRetry.withRetry", given, false)
}

/**
 * Sends requests again as a policy says, like `withRetry`, and says why it gave up: the client fails with core's
 * `RetryStopped`, which has the reason, the number of attempts and the latest failures. Its `error` is what `withRetry`
 * would have ended with: the last response, whose body is still to be read, or the last error.
 *
 * A response that is not a failure, such as a 404, is returned as it is. A request that could not be prepared counts as
 * stopped after 0 attempts. An unread body is kept until the scope of `HttpClient.withScope` ends, or until the response
 * is garbage-collected, as with every response of the platform.
 *
 * @category running
 */
export function orStopped<E = never, R = never, P extends Bound<E> = Bound<E>>(
  self: With<E, R>,
  policy: Checked<P>
): With<Retry.RetryStopped<Outcome<E | Added<P>>>, Env<P, R>>
export function orStopped<E, R>(
  self: With<E, R>
): With<Retry.RetryStopped<Outcome<E | HttpClientError.RequestError>>, R>
export function orStopped(): <E, R>(
  self: With<E, R>
) => With<Retry.RetryStopped<Outcome<E | HttpClientError.RequestError>>, R>
export function orStopped<P extends Bound<E0>, E0 = never>(
  policy: Checked<P>
): <E extends Takes<P, E>, R>(
  self: With<E, R> | Piped<P, With<E0, any>>
) => With<Retry.RetryStopped<Outcome<E | Added<P>>>, Env<P, R>>
export function orStopped(...given: Given): any {
  return opened("HttpRetry.orStopped", given, true)
}

const opened = (owner: string, given: Given, stops: boolean) =>
  dual(
    given,
    (self: With<unknown, unknown>, policy: Any = {}) => retried(owner, self, policy, stops),
    given.length > 1 || isClient(given[0])
  )

/**
 * Sends a request again before it is answered, and takes the first answer: for requests that are safe to repeat. Others, by
 * their method, their body and `idempotency`, are sent once.
 *
 * The hedge is that of core, `Hedge.hedge`. Responses that `classifier` calls retryable count as failures: the next
 * request is sent at once, or when the wait that the server asks for has passed. The bodies of all other responses are
 * released, and their requests aborted. An error of the hedge itself is the `cause` of a `RequestError`.
 *
 * Where a client also retries, the hedge is inside: `client.pipe(HttpRetry.withHedge(hedge), HttpRetry.withRetry(policy))`.
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

/** A client that sends again, and where it `stops`, fails with a `RetryStopped`. */
const retried = (owner: string, self: With<unknown, unknown>, policy: Any, stops: boolean): With<unknown, unknown> => {
  const retry = retrying(complete(owner, policy), stops)
  const { postprocess, preprocess } = made(owner, self)
  const send: Send = (request) => postprocess(Effect.succeed(request))
  return HttpClient.makeWith<unknown, unknown, unknown, unknown>(
    (prepared) =>
      isReady(prepared) ? retry(send, prepared.value) : Effect.flatMap(prepared, (request) => retry(send, request)),
    stops ? (request) => Effect.mapError(preprocess(request), Stopped.unprepared) : preprocess
  )
}

type Prepared = Effect.Effect<HttpClientRequest.HttpClientRequest, unknown, unknown>

/** Whether a request needs no preparation, as most of them do not. */
const isReady = (prepared: Prepared): prepared is Exit.Success<HttpClientRequest.HttpClientRequest, never> =>
  Exit.isExit(prepared) && Exit.isSuccess(prepared)

/**
 * Sends the requests of an effect for themselves: the reader of a `HttpRetry.execute` around it does not read their
 * responses.
 *
 * For combinators of a client that look something up before they answer, through the same client.
 *
 * @category combinators
 */
export const besides = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, CurrentReading, undefined)

/**
 * Checks a policy and answers it. `withRetry` checks as well: `make` is for finding out early.
 *
 * @category constructors
 */
export const make = <P extends Bound<never>>(policy: Checked<P>): P => {
  complete("HttpRetry.make", policy)
  return policy
}
