/**
 * Adds retries to a client of Cloud Storage: requests that may be repeated are sent again.
 *
 * Works over any `HttpClient` that signs its requests. `StorageIdempotency` decides which operations are repeated, and
 * `GoogleClassifier.http` after which failures; everything else is a policy of `@effect-retry/http`, whose
 * `HttpRetry.withOptions`, `HttpRetry.execute` and `Idempotency.declared` work with this client as well.
 *
 * @example
 * ```ts
 * import { StorageRetry } from "@effect-retry/google"
 * import { Backoff } from "@effect-retry/core"
 * import { HttpClient, HttpClientResponse } from "@effect/platform"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const counts: Array<string | undefined> = []
 * const unavailable = HttpClient.make((request) => {
 *   counts.push(request.headers["x-goog-api-client"]?.match(/gccl-attempt-count\/\d+/)?.[0])
 *   return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: 503 })))
 * })
 * const storage = StorageRetry.withRetry(unavailable, {
 *   ...StorageRetry.standard,
 *   maxAttempts: 2,
 *   backoff: Backoff.constant({ delay: "1 milli" })
 * })
 *
 * const base = "https://storage.googleapis.com"
 * const read = storage.get(`${base}/storage/v1/b/photos`)
 * // Without ifGenerationMatch it is sent once.
 * const written = storage.post(`${base}/upload/storage/v1/b/photos/o?uploadType=media&name=cat`)
 *
 * Effect.runPromise(Effect.all([read, written])).then((responses) => {
 *   assert.deepStrictEqual(
 *     responses.map(({ status }) => status),
 *     [503, 503]
 *   )
 *   assert.deepStrictEqual(counts, ["gccl-attempt-count/1", "gccl-attempt-count/2", "gccl-attempt-count/1"])
 * })
 * ```
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type { Retry } from "@effect-retry/core"
import { Backoff, Jitter, Observe } from "@effect-retry/core"
import type { Given } from "@effect-retry/core/unstable/Dual"
import { isObservers } from "@effect-retry/core/unstable/PolicyCheck"
import type { Piped } from "@effect-retry/core/unstable/PolicyTypes"
import { HttpRetry } from "@effect-retry/http"
import {
  type Added,
  asked,
  type Bound,
  type Checked,
  type Env,
  type Takes
} from "@effect-retry/http/unstable/HttpPolicy"
import * as Owner from "../../accept/Owner.ts"
import { said } from "../../accept/Said.ts"
import * as GoogleClassifier from "../../classify/GoogleClassifier.ts"
import * as GoogleStatus from "../../classify/GoogleStatus.ts"
import * as StorageIdempotency from "../../decide/StorageIdempotency.ts"
import { made } from "@effect-retry/http/unstable/MadeClient"
import * as Attempts from "./Attempts.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as Headers from "./Headers.ts"

/**
 * The default policy of a Cloud Storage client: 6 attempts, exponential from 1 second, doubled, capped at 32 seconds,
 * full jitter, for operations that the documented table allows; the server's hint is a floor of at most 1 minute.
 *
 * These are the numbers of the client for Java, without its limit of 50 seconds in all, which would abort a large
 * upload in one piece; add `deadline` to have a limit.
 * Source: https://cloud.google.com/storage/docs/retry-strategy, "Java", and googleapis/sdk-platform-java 56aa343,
 * `ServiceOptions.getDefaultRetrySettings`.
 *
 * @category constructors
 */
export const standard = {
  ...HttpRetry.standard,
  classifier: GoogleClassifier.http,
  idempotency: StorageIdempotency.standard,
  maxAttempts: 6,
  backoff: /*#__PURE__*/ Backoff.jittered(
    /*#__PURE__*/ Backoff.capped(/*#__PURE__*/ Backoff.exponential({ base: "1 second" }), "32 seconds"),
    Jitter.full
  )
}

type With<E, R> = HttpClient.HttpClient.With<E, R>
type Any = HttpRetry.Fields<never>

/**
 * Sends requests of Cloud Storage again as a policy says, such as `StorageRetry.standard`. Fields that a policy leaves
 * out are those of `standard`: `StorageRetry.withRetry({ idempotency: StorageIdempotency.always })`.
 *
 * Every attempt carries `x-goog-api-client`, with the id of the operation and the number of the attempt, and
 * `x-goog-gcs-idempotency-token`. If a response with a status from 400 on has a JSON body, up to 64 KiB that arrive
 * within a second are read inside the attempt, so that the classifier knows its reasons; the caller can still read the
 * body. The wait in a `google.rpc.RetryInfo` is a hint: the minimum wait, or with `Hint.override` the exact one.
 *
 * @category running
 */
export function withRetry<P extends Bound<E0>, E0 = never>(
  policy: Checked<P>
): <E extends Takes<P, E>, R>(self: With<E, R> | Piped<P, With<E0, any>>) => With<E | Added<P>, Env<P, R>>
export function withRetry<E = never, R = never, P extends Bound<E> = Bound<E>>(
  self: With<E, R>,
  policy: Checked<P>
): With<E | Added<P>, Env<P, R>>
export function withRetry(...given: Given): any {
  return opened("StorageRetry.withRetry", given, HttpRetry.withRetry as Door)
}

/**
 * Like `withRetry`, but the client says why it gave up: it fails with core's `RetryStopped`, whose reason is, for
 * instance, `objects.insert without ifGenerationMatch`; see `HttpRetry.orStopped`.
 *
 * @category running
 */
export function orStopped<P extends Bound<E0>, E0 = never>(
  policy: Checked<P>
): <E extends Takes<P, E>, R>(
  self: With<E, R> | Piped<P, With<E0, any>>
) => With<Retry.RetryStopped<HttpRetry.Outcome<E | Added<P>>>, Env<P, R>>
export function orStopped<E = never, R = never, P extends Bound<E> = Bound<E>>(
  self: With<E, R>,
  policy: Checked<P>
): With<Retry.RetryStopped<HttpRetry.Outcome<E | Added<P>>>, Env<P, R>>
export function orStopped(...given: Given): any {
  return opened("StorageRetry.orStopped", given, HttpRetry.orStopped as Door)
}

/** A door of `HttpRetry` without its types, which are the same as in this module. */
type Door = (policy: Any) => (self: With<unknown, unknown>) => With<unknown, unknown>

/** The body of a door, called with a client and a policy, or first with the policy and then with the client. */
const opened = (owner: string, given: Given, door: Door): unknown => {
  const policy = completed(owner, given.length > 1 ? given[1] : given[0])
  const retry = Owner.calling(owner, () => door(policy))
  const stored = (self: unknown): With<unknown, unknown> => retried(owner, self, retry)
  return given.length > 1 ? stored(given[0]) : stored
}

const completed = (owner: string, given: unknown): Any => ({
  ...standard,
  ...said(described(asked(owner, given, "StorageRetry.standard")))
})

/** Adds what the error body says to what observers see. */
const described = (given: Any): Any =>
  isObservers(given.observe)
    ? { ...given, observe: given.observe.map(Observe.describing(GoogleStatus.details)) }
    : given

const retried = (owner: string, self: unknown, retry: ReturnType<Door>): With<unknown, unknown> => {
  made(owner, self)
  const counted = Attempts.counting(self as With<unknown, unknown>, Headers.counted)
  return Attempts.operations(retry(ErrorBody.reading(counted)), Headers.first)
}
