/**
 * Releases what attempts leave open: the bodies of unread responses.
 */
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Policy as Core } from "@effect-retry/core"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import * as Discard from "../client/Discard.ts"
import type { Exchange, Response } from "./Exchange.ts"

/** Releases the response of an attempt that will be repeated, or that came too late. */
export const released = (
  exchange: Exchange,
  failed: unknown,
  because: Parameters<Core.Release>[1]
): Effect.Effect<void> => {
  const response = HttpClassifier.responseOf(failed)
  if (response === undefined) return Effect.void
  if (because === "Interrupted") return Discard.cancelled(response)
  if (!exchange.throttled) {
    exchange.released = Effect.succeedNone
    return Discard.cancelled(response)
  }
  // Runs concurrently with the wait, so that its time is not added to the delay or the deadline. The loop releases
  // uninterruptibly, and a fiber inherits that from its parent.
  const { deadline, drain } = exchange.policy
  return Effect.map(Effect.forkDaemon(Effect.interruptible(Discard.drained(response, drain))), (draining) => {
    interruptWith(exchange.fiber, draining)
    exchange.released =
      deadline === undefined
        ? Effect.map(Effect.timeoutOption(Fiber.join(draining), drain.within), Option.flatten)
        : Effect.map(Fiber.poll(draining), Option.match({ onNone: Option.none, onSome: Exit.getOrElse(Option.none) }))
  })
}

/** An interrupted operation stops draining; one that has ended otherwise may still need the body. */
const interruptWith = (
  operation: Fiber.RuntimeFiber<unknown, unknown>,
  draining: Fiber.RuntimeFiber<unknown, unknown>
): void => {
  const interrupt = (exit: Exit.Exit<unknown, unknown>) => {
    if (Exit.isInterrupted(exit)) draining.unsafeInterruptAsFork(operation.id())
  }
  operation.addObserver(interrupt)
  draining.addObserver(() => operation.removeObserver(interrupt))
}

/**
 * The result of an operation whose next attempt was refused after the wait: the outcome of its last attempt, with as
 * much of the body as was read.
 */
export const readable = (exchange: Exchange, outcome: unknown): Effect.Effect<Response, unknown> => {
  const response = HttpClassifier.responseOf(outcome)
  if (response === undefined) return Effect.fail(outcome)
  return Effect.flatMap(exchange.released, (body) => {
    const replaced = Discard.replaced(response, body)
    return outcome === response
      ? Effect.succeed(replaced)
      : Effect.fail(
          new HttpClientError.ResponseError({ ...(outcome as HttpClientError.ResponseError), response: replaced })
        )
  })
}
