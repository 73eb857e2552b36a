/**
 * What attempts leave open: the bodies of responses that nobody will read.
 */
import { HttpClientError } from "@effect/platform"
import type { Policy as Core } from "@effect-retry/core"
import { Cause, Effect, Exit, Fiber, Option } from "effect"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Transport from "../classify/Transport.ts"
import * as Discard from "./Discard.ts"
import type { Exchange, Response } from "./Exchange.ts"

/**
 * Lets go of the response of an attempt that another one replaces.
 *
 * @category running
 */
export const released = (
  exchange: Exchange,
  failed: unknown,
  because: Parameters<Core.Release>[1]
): Effect.Effect<void> => {
  const response = responseOf(exchange, failed)
  exchange.arrived = undefined
  if (response === undefined) return Effect.void
  const isTrusted =
    failed === exchange.failed && exchange.verdict._tag === "Retryable" && exchange.verdict.kind === "Throttling"
  if (!isTrusted || because === "Interrupted") {
    exchange.released = { response, body: Effect.succeedNone }
    return Discard.cancelled(response)
  }
  // Beside the wait: what it takes is not added to the delay, and not to the deadline.
  const { deadline, drain = Discard.standard } = exchange.policy
  return Effect.map(Effect.forkDaemon(Discard.drained(response, drain)), (draining) => {
    const body =
      deadline === undefined
        ? Effect.map(Effect.timeoutOption(Fiber.join(draining), drain.within), Option.flatten)
        : Effect.map(Fiber.poll(draining), Option.match({ onNone: Option.none, onSome: Exit.getOrElse(Option.none) }))
    exchange.released = { response, body, draining }
  })
}

/**
 * Lets go of a response that was lost to a timeout or an interruption, and of one that is being drained.
 *
 * @category running
 */
export const abandoned = ({ arrived, released }: Exchange, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (arrived !== undefined) return Discard.cancelled(arrived)
  const draining = Cause.isInterrupted(cause) ? released?.draining : undefined
  return draining === undefined ? Effect.void : Effect.asVoid(Fiber.interruptFork(draining))
}

/**
 * What an operation ends with, in a form that can be read: a response may be let go of for a retry that is refused when
 * its wait is over.
 *
 * @category conversions
 */
export const readable = ({ released }: Exchange, response: Response): Effect.Effect<Response> =>
  released?.response === response
    ? Effect.map(released.body, (body) => Discard.replaced(response, body))
    : Effect.succeed(response)

/**
 * Fails with an error whose response can be read.
 *
 * @category conversions
 */
export const failing = (exchange: Exchange, error: unknown): Effect.Effect<never, unknown> => {
  const response = responseOf(exchange, error)
  return response !== undefined && response === exchange.released?.response
    ? Effect.flatMap(readable(exchange, response), (response) =>
        Effect.fail(new HttpClientError.ResponseError({ ...(error as HttpClientError.ResponseError), response }))
      )
    : Effect.fail(error)
}

/** The response of an attempt that is not to be read any more. */
const responseOf = ({ arrived, failed: latest }: Exchange, failed: unknown): Response | undefined => {
  // What ended the attempt may be a timeout that came after the response.
  if (failed !== latest) return arrived
  if (HttpClassifier.isResponse(failed)) return failed
  const response = Transport.property(failed, HttpClientError.TypeId) && Transport.property(failed, "response")
  return HttpClassifier.isResponse(response) ? response : undefined
}
