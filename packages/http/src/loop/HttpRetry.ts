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
import { HttpClient } from "@effect/platform"
import type { HttpClientError } from "@effect/platform"
import { Hint, Policy as Core } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/Argument"
import { Effect, Predicate } from "effect"
import { dual } from "effect/Function"
import * as Token from "../accept/Token.ts"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Idempotency from "../decide/Idempotency.ts"
import * as Discard from "./Discard.ts"
import type { Send } from "./Exchange.ts"
import type { Any, Checked, Env, Erased, Failure, Fields, In, Policy, Preset } from "./HttpPolicy.ts"
import { check } from "./HttpPolicy.ts"
import { retrying } from "./Retrying.ts"

export type { Any, Checked, Env, Failure, Fields, In, Outcome, Policy, Preset } from "./HttpPolicy.ts"

/**
 * What a client does that is given no policy: three attempts for what HTTP itself calls safe to repeat.
 *
 * - `classifier`: `HttpClassifier.standard`: 408, 421, 425, 429, 500, 502, 503, 504, 413 with a hint, and transport errors.
 * - `idempotency`: `Idempotency.standard`: GET, HEAD, OPTIONS, TRACE, PUT, DELETE and QUERY, and what carries an
 *   `Idempotency-Key` or a precondition; no key is created.
 * - `maxAttempts`, `backoff`: `Policy.standard` of core: 3 attempts, exponential from 100 milliseconds, capped at 20 seconds,
 *   full jitter.
 * - `hint`: what the server asks for is a floor, of at most 1 minute, beyond which the operation stops; up to a tenth more,
 *   so that clients with the same hint do not return together.
 * - `drain`: 128 KiB within 1 second.
 * - No timeout, no deadline, no bucket, no rate limiter, no added headers, no observers.
 *
 * @category constructors
 */
export const standard: Preset = {
  classifier: HttpClassifier.standard,
  idempotency: Idempotency.standard,
  ...Core.standard,
  hint: /*#__PURE__*/ Hint.floor({ atMost: "1 minute", otherwise: "giveUp", jitterRatio: 0.1 }),
  drain: Discard.standard
}

/**
 * Attempt headers with the number of the attempt: `x-retry-attempt: 1` and so on.
 *
 * @category constructors
 */
export const attemptNumber = (header = "x-retry-attempt"): NonNullable<Policy["attemptHeaders"]> => {
  const name = Token.sentHeader("HttpRetry.attemptNumber", "header", header)
  return (attempt) => ({ [name]: String(attempt) })
}

type With<E, R> = HttpClient.HttpClient.With<E, R>
type InPipe<E> = unknown extends E ? never : unknown

/**
 * Sends requests again as a policy says, `standard` without one.
 *
 * Responses and errors share one count of attempts. A response that is given up on is returned, an error is failed with;
 * what the policy itself fails an attempt with is the `cause` of a `RequestError`. An attempt is over when the headers of
 * its response are in: a body that breaks later is not retried. Responses in between are released.
 *
 * Source of the rules of repetition: RFC 9110, section 9.2.2, https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2.
 *
 * @category running
 */
export const withRetry: {
  (): <E, R>(self: With<E, R>) => With<E | HttpClientError.RequestError, R>
  <E, P extends Fields<E>>(policy: Checked<P> & InPipe<E>): <R>(self: With<E, R>) => With<Failure<P, E>, Env<P, R>>
  <P extends Any>(policy: Checked<P>): <E extends In<P>, R>(self: With<E, R>) => With<Failure<P, E>, Env<P, R>>
  <E, R>(self: With<E, R>): With<E | HttpClientError.RequestError, R>
  <E, R, P extends Fields<E>>(self: With<E, R>, policy: Checked<P>): With<Failure<P, E>, Env<P, R>>
} = /*#__PURE__*/ dual(
  (args) => args.length > 1 || isClient(args[0]),
  (self: With<unknown, unknown>, policy: Erased = standard): With<unknown, unknown> => {
    check("HttpRetry.withRetry", policy)
    const { postprocess, preprocess } = made(self)
    const retry = retrying(policy)
    const send: Send = (request) => postprocess(Effect.succeed(request))
    return HttpClient.makeWith<unknown, unknown, unknown, unknown>(
      Effect.flatMap((request) => retry(send, request)),
      preprocess
    )
  }
)

const isClient = (self: unknown): boolean => Predicate.hasProperty(self, HttpClient.TypeId)

/** What every client of the platform is made of: its own combinators rely on it, its types do not show it. */
interface Made {
  readonly preprocess: HttpClient.HttpClient.Preprocess<unknown, unknown>
  readonly postprocess: HttpClient.HttpClient.Postprocess<unknown, unknown>
}

const made = (self: unknown): Made =>
  Predicate.hasProperty(self, "preprocess") && Predicate.hasProperty(self, "postprocess")
    ? (self as unknown as Made)
    : Argument.refuse("HttpRetry.withRetry", "client", "made by HttpClient.make or HttpClient.makeWith", self)

/**
 * Checks a policy and answers it. `withRetry` checks as well: `make` is for finding out early.
 *
 * @category constructors
 */
export const make = <P extends Any>(policy: Checked<P>): P => check("HttpRetry.make", policy)
