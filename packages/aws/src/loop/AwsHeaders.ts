/**
 * The headers that tell an AWS service which attempts belong to one operation: `amz-sdk-invocation-id`, which is the
 * same for all of them, and `amz-sdk-request`, which counts them.
 *
 * The SDKs send them by themselves; this is for requests that are made without one. They are set before a request is signed.
 * Source: `@smithy/core` 3.41.0, submodules/retry/middleware-retry/retryMiddleware, read 2026-11-20.
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { Retry } from "@effect-retry/core"
import * as Request from "./AwsHeadersRequest.ts"

export { request, ttl } from "./AwsHeadersRequest.ts"
export type { Fields, Ttl } from "./AwsHeadersRequest.ts"

/**
 * The name of the header that is the same on every attempt.
 *
 * @category constructors
 */
export const invocationIdHeader = "amz-sdk-invocation-id"

/**
 * The name of the header that counts the attempts.
 *
 * @category constructors
 */
export const requestHeader = "amz-sdk-request"

const word = /*#__PURE__*/ Effect.map(Random.next, (u) =>
  Math.floor(u * 0x1_0000_0000)
    .toString(16)
    .padStart(8, "0")
)

/**
 * A UUID of version 4 for an operation, made from four draws.
 *
 * Needs `Random`, which is not cryptographic: the id distinguishes operations, and is no secret.
 * Source: RFC 9562, section 5.4, https://www.rfc-editor.org/rfc/rfc9562#section-5.4.
 *
 * @category constructors
 */
export const invocationId: Effect.Effect<string> = /*#__PURE__*/ Effect.map(
  /*#__PURE__*/ Effect.all([word, word, word, word]),
  (words) => {
    const hex = words.join("")
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `${variant}${hex.slice(17, 20)}`,
      hex.slice(20, 32)
    ].join("-")
  }
)

/**
 * Gives a request a new invocation id.
 *
 * For `HttpClient.mapRequestEffect` on a client underneath `HttpRetry.withRetry`, which applies it once for all attempts.
 *
 * @category combinators
 */
export const withInvocationId = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientRequest.HttpClientRequest> =>
  Effect.map(invocationId, (id) => HttpClientRequest.setHeader(request, invocationIdHeader, id))

/**
 * Makes the counting header of an attempt, for `attemptHeaders` of a policy of `@effect-retry/http`.
 *
 * Throws an `InvalidArgument` unless `maxAttempts` is a whole number from 1.
 *
 * @category constructors
 */
export const attemptHeaders = ({ maxAttempts }: { readonly maxAttempts: number }): AttemptHeaders => {
  Request.checkMax("AwsHeaders.attemptHeaders", "maxAttempts", maxAttempts)
  return ({ number }) => ({ [requestHeader]: Request.request({ attempt: number, max: maxAttempts }) })
}

/**
 * Headers of an attempt.
 *
 * @category models
 */
export interface AttemptHeaders {
  (attempt: { /** From 1. */ readonly number: number }): { readonly [requestHeader]: string }
}

/**
 * The options of `current`.
 *
 * @category models
 */
export interface Options {
  /** The id of the operation: make it once, outside the retried effect. */
  readonly invocationId: string
  readonly maxAttempts: number
  /**
   * Adds `ttl`: how long the caller waits for an attempt, and how many milliseconds the server's clock is ahead.
   * @default absent
   */
  readonly ttl?:
    | { readonly readTimeout: Duration.DurationInput; readonly skewMillis?: Effect.Effect<number> | undefined }
    | undefined
}

/**
 * Both headers of the running attempt, under a policy with `attempt: Retry.CurrentAttempt`.
 *
 * Needs `CurrentAttempt`, and `Clock` for `ttl`.
 *
 * @category constructors
 */
export const current = (
  options: Options
): Effect.Effect<
  { readonly [invocationIdHeader]: string; readonly [requestHeader]: string },
  never,
  Retry.CurrentAttempt
> => {
  const max = Request.checkMax(owner, "maxAttempts", options.maxAttempts)
  if (options.ttl !== undefined) Argument.millis(owner, "ttl.readTimeout", options.ttl.readTimeout, { min: 0 })
  return Effect.gen(function* () {
    const { number } = yield* Retry.CurrentAttempt
    const ttl = options.ttl && (yield* until(options.ttl))
    return {
      [invocationIdHeader]: options.invocationId,
      [requestHeader]: Request.request({ attempt: number, max, ttl })
    }
  })
}

const owner = "AwsHeaders.current"

const until = ({ readTimeout, skewMillis = Effect.succeed(0) }: NonNullable<Options["ttl"]>) =>
  Effect.zipWith(Clock.currentTimeMillis, skewMillis, (nowMillis, skewMillis) => ({
    nowMillis,
    readTimeout,
    skewMillis
  }))
