/**
 * Ends an operation: turns the result of core's loop into what the client returns or fails with.
 */
import { Deadline, Retry } from "@effect-retry/core"
import * as Effect from "effect/Effect"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import type { Exchange, Response, Sent } from "./Exchange.ts"
import * as Reader from "./Reader.ts"
import * as Release from "./Release.ts"
import * as RequestErrors from "../client/RequestErrors.ts"
import * as Stopped from "./Stopped.ts"

/** Returns the last response, or fails with the last error. A response that has not been read yet is read. */
export const answered = (exchange: Exchange, retried: Sent): Sent =>
  readToTheEnd(
    exchange,
    // Like `catchAll`, which costs a success one more step.
    Effect.catchAllCause(retried, (cause) =>
      Effect.catchAll(Effect.failCause(cause), (error) => brokenOff(exchange, error) ?? endedWith(exchange, error))
    )
  )

type OrStopped = Effect.Effect<Response, Retry.RetryStopped<unknown>, unknown>

/** Fails with the `RetryStopped` of an operation that gave up, which holds the outcome that the client would have ended with. */
export const orStopped = (exchange: Exchange, retried: OrStopped): Sent =>
  readToTheEnd(
    exchange,
    Effect.catchAll(retried, (stopped) => brokenOff(exchange, stopped.error) ?? stoppedWith(exchange, stopped))
  )

const readToTheEnd = (exchange: Exchange, ended: Sent): Sent =>
  exchange.reading === undefined
    ? ended
    : Effect.flatMap(ended, (response) =>
        Effect.mapError(Reader.readLast(exchange, response), (error) => RequestErrors.ofPolicy(exchange.request, error))
      )

const brokenOff = (exchange: Exchange, error: unknown): Sent | undefined =>
  Reader.ended(exchange, error, isLate(exchange, error))

const endedWith = (exchange: Exchange, error: unknown): Sent => {
  // The client's own error is passed through, whatever its class.
  if (error === exchange.judged) return Effect.fail(error)
  if (isLate(exchange, error) && error.cause !== undefined) {
    const last = error.error
    return Release.readable(exchange, last instanceof Retry.ResultRejected ? last.result : last)
  }
  return Effect.fail(RequestErrors.ofPolicy(exchange.request, error))
}

const stoppedWith = (exchange: Exchange, stopped: Retry.RetryStopped<unknown>): Sent => {
  const { error } = stopped
  const ended =
    error !== exchange.judged && error instanceof Retry.ResultRejected
      ? Effect.succeed(error.result)
      : endedWith(exchange, error)
  const outcomeOf = (error: unknown): unknown => {
    if (error instanceof Retry.ResultRejected && HttpClassifier.isResponse(error.result)) return error.result
    return Reader.responseOf(exchange, error) ?? RequestErrors.ofPolicy(exchange.request, error)
  }
  return Effect.flatMap(Effect.catchAll(ended, Effect.succeed), (outcome) =>
    Effect.fail(Stopped.of(exchange, stopped, outcome, outcomeOf))
  )
}

/** Whether an attempt was refused after the response of the one before it had been released. */
const isLate = ({ policy }: Exchange, error: unknown): error is Retry.AttemptRefused | Deadline.DeadlineExceeded =>
  error instanceof Retry.AttemptRefused ||
  (error instanceof Deadline.DeadlineExceeded && policy.deadline?._tag !== "Cut")
