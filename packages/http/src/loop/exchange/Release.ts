/**
 * Releases what attempts leave open: the bodies of unread responses.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Policy as Core } from "@effect-retry/core"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as ClientLine from "../../classify/ClientLine.ts"
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
        : Effect.sync(() => bodyOf(FiberLine.exitOf(draining)))
  })
}

/** What has been read of a body by now. */
const bodyOf = (exit: Exit.Exit<Option.Option<Uint8Array>> | undefined): Option.Option<Uint8Array> =>
  exit !== undefined && Exit.isSuccess(exit) ? exit.value : Option.none()

/** An interrupted operation stops draining; one that has ended otherwise may still need the body. */
const interruptWith = (operation: FiberLine.AnyFiber, draining: FiberLine.AnyFiber): void => {
  const keep = FiberLine.onEnd(operation, (exit) => {
    if (Exit.isInterrupted(exit)) FiberLine.interruptNow(draining, operation)
  })
  FiberLine.onEnd(draining, keep)
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
      : Effect.fail(ClientLine.withResponse(outcome as ClientLine.ResponseError, replaced))
  })
}
