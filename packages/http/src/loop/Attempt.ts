/**
 * What a policy can know of an attempt that is about to be sent: its number, the time left, and what the attempt before
 * it came to.
 */
import type { HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Retry } from "@effect-retry/core"
import type { Verdict } from "@effect-retry/core"
import type { Duration } from "effect"
import { Context, Effect, Option } from "effect"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import { requestError } from "./RequestErrors.ts"

/**
 * What the loop judges: the error of an attempt, or its response.
 *
 * @category models
 */
export type Outcome<E> = E | HttpClientResponse.HttpClientResponse

/**
 * An attempt that is about to be sent. `E` is the client's error.
 *
 * @category models
 */
export interface Attempt<out E = unknown> {
  /** From 1. */
  readonly number: number
  /** Time until the attempt's timeout or the deadline, whichever is first; `None` without either. */
  readonly timeLeft: Option.Option<Duration.Duration>
  /** How the last attempt failed that was sent; `None` for the first one. */
  readonly previous: Option.Option<Failed<E>>
}

/**
 * An attempt that failed.
 *
 * @category models
 */
export interface Failed<out E = unknown> {
  /**
   * The response, whose body is released already, or the error. A timeout of the policy is the `cause` of a
   * `RequestError`.
   */
  readonly outcome: Outcome<E> | HttpClientError.RequestError
  /** Of the response, also where that is in an error; `undefined` where there is none. */
  readonly status: number | undefined
  readonly verdict: Verdict.Verdict
}

/**
 * The running attempt of core. A tag of its own, so that a request changes nothing for an operation around it.
 *
 * @category models
 */
export class CurrentAttempt extends Context.Tag("@effect-retry/http/CurrentAttempt")<CurrentAttempt, Retry.Attempt>() {}

/**
 * Whether a policy asks for the attempt that is running.
 *
 * @category guards
 */
export const isWanted = (policy: { readonly attemptHeaders?: unknown; readonly beforeRetry?: unknown }): boolean =>
  policy.attemptHeaders !== undefined || policy.beforeRetry !== undefined

/** What of an operation is of use here. */
interface Operation {
  readonly request: HttpClientRequest.HttpClientRequest
  /** The error or response of the client that was judged last. */
  readonly judged: unknown
  /** Whether the latest attempt was handed to the client. */
  readonly isSent: boolean
  previous: Attempt["previous"]
}

/**
 * The attempt that is running, in the terms of HTTP.
 *
 * @category running
 */
export const current = (operation: Operation): Effect.Effect<Attempt, never, CurrentAttempt> =>
  Effect.flatMap(CurrentAttempt, ({ number, previous, timeLeft }) =>
    Effect.map(timeLeft, (timeLeft) => {
      // An attempt that ended before it was sent leaves what is known of the request as it was.
      if (operation.isSent) operation.previous = Option.map(previous, (failed) => failedOf(operation, failed))
      return { number, timeLeft, previous: operation.previous }
    })
  )

const failedOf = ({ judged, request }: Operation, { error, verdict }: Retry.FailedAttempt<unknown>): Failed => {
  const failed = error instanceof Retry.ResultRejected ? error.result : error
  const outcome = error === judged || failed === judged ? judged : requestError(request, error)
  return { outcome, status: HttpClassifier.responseOf(outcome)?.status, verdict }
}
