/**
 * What a policy can read about an attempt that is about to be sent: its number, the time left, and the outcome of the
 * attempt before it.
 */
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Retry } from "@effect-retry/core"
import type { Verdict } from "@effect-retry/core"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import { requestError } from "../client/RequestErrors.ts"

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
  /** Time until the attempt's timeout or the deadline, whichever comes first; `None` without either. */
  readonly timeLeft: Option.Option<Duration.Duration>
  /** How the last sent attempt failed; `None` for the first one. */
  readonly previous: Option.Option<Failed<E>>
}

/** An attempt that failed. */
export interface Failed<out E = unknown> {
  /**
   * The response, whose body has been released, or the error. A timeout of the policy is the `cause` of a `RequestError`.
   */
  readonly outcome: Outcome<E> | HttpClientError.RequestError
  /** The status of the response, even if it is inside an error; `undefined` if there was none. */
  readonly status: number | undefined
  readonly verdict: Verdict.Verdict
}

/** The running attempt of core. A separate tag, so that a request changes nothing for an operation around it. */
export class CurrentAttempt extends Context.Tag("@effect-retry/http/CurrentAttempt")<CurrentAttempt, Retry.Attempt>() {}

/** Whether a policy reads the running attempt. */
export const isWanted = (policy: Policy): boolean =>
  policy.attemptHeaders !== undefined || policy.beforeRetry !== undefined

/** Whether core provides the attempt: only core knows its time limit, and whether it timed out. */
export const isTimed = (policy: Policy): boolean =>
  isWanted(policy) && (policy.attemptTimeout !== undefined || policy.deadline !== undefined)

interface Policy {
  readonly attemptHeaders?: unknown
  readonly attemptTimeout?: unknown
  readonly beforeRetry?: unknown
  readonly deadline?: unknown
}

interface Operation {
  readonly policy: Policy
  readonly request: HttpClientRequest.HttpClientRequest
  /** The error or response that was judged last, and its verdict. */
  readonly judged: unknown
  readonly verdict: Verdict.Verdict
  /** Whether the latest attempt was passed to the client. */
  readonly isSent: boolean
  readonly attempts: number
  previous: Attempt["previous"]
}

/** The attempt that is running, in the terms of HTTP. */
export const current = (operation: Operation): Effect.Effect<Attempt, never, CurrentAttempt> =>
  isTimed(operation.policy)
    ? Effect.flatMap(CurrentAttempt, ({ previous, timeLeft }) =>
        Effect.map(timeLeft, (timeLeft) =>
          next(operation, timeLeft, () => Option.map(previous, (failed) => failedOf(operation, failed)))
        )
      )
    : Effect.sync(() =>
        next(operation, Option.none(), () => Option.some(failedWith(operation.judged, operation.verdict)))
      )

const next = (operation: Operation, timeLeft: Attempt["timeLeft"], previous: () => Attempt["previous"]): Attempt => {
  // An attempt that ended before it was sent changes nothing that is known about the request.
  if (operation.attempts > 1 && operation.isSent) operation.previous = previous()
  return { number: operation.attempts, timeLeft, previous: operation.previous }
}

const failedOf = ({ judged, request }: Operation, { error, verdict }: Retry.FailedAttempt<unknown>): Failed => {
  const failed = error instanceof Retry.ResultRejected ? error.result : error
  return failedWith(error === judged || failed === judged ? judged : requestError(request, error), verdict)
}

const failedWith = (outcome: unknown, verdict: Verdict.Verdict): Failed => ({
  outcome,
  status: HttpClassifier.responseOf(outcome)?.status,
  verdict
})
