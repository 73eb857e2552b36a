/**
 * Connections after a transient failure can no longer be trusted, so they are closed instead of reused.
 *
 * Cancelling the body of a discarded response closes its connection. With node:http this always works; undici, and
 * `fetch` on top of it, free a connection as soon as a short body has arrived, before a caller can prevent it. The
 * interceptor makes undici wait.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Predicate from "effect/Predicate"

/**
 * Statuses after which a connection is not reused: those of failing servers, and 421, which asks for another connection.
 *
 * @category constructors
 */
export const transientStatuses: ReadonlySet<number> = new Set([421, 500, 502, 503, 504])

/** The part of undici's handler that is used here. */
interface Handler {
  onRequestStart?(...parameters: ReadonlyArray<unknown>): void
  onRequestUpgrade?(...parameters: ReadonlyArray<unknown>): void
  onResponseStart?(...parameters: ReadonlyArray<unknown>): void
  onResponseData?(...parameters: ReadonlyArray<unknown>): void
  onResponseEnd?(...parameters: ReadonlyArray<unknown>): void
  onResponseError?(...parameters: ReadonlyArray<unknown>): void
}

interface Controller {
  pause(): void
}

/**
 * An interceptor of undici 7: `new Agent().compose(Connections.undiciInterceptor())`.
 *
 * After one of `statuses` the connection stays busy until the body is read, which frees it, or cancelled, which closes
 * it. Clients of this package cancel it.
 * Source: `undici` 7.30.2, docs/docs/api/Dispatcher.md, `compose`, read 2026-11-20.
 *
 * @category constructors
 */
export const undiciInterceptor = (statuses: ReadonlySet<number> = transientStatuses) => {
  checkStatuses("Connections.undiciInterceptor", statuses)
  return <Dispatch extends (options: never, handler: never) => boolean>(dispatch: Dispatch): Dispatch => {
    const send = dispatch as unknown as (options: unknown, handler: Handler) => boolean
    const held = (options: unknown, handler: Handler): boolean => send(options, holding(handler, statuses))
    return held as unknown as Dispatch
  }
}

const checkStatuses = (owner: string, statuses: ReadonlySet<number>): void => {
  if (!Predicate.isSet(statuses)) return Argument.refuse(owner, "statuses", "a set of statuses", statuses)
  for (const status of statuses) {
    Argument.number(owner, "statuses", status, { min: 100, max: 599, integer: true })
  }
}

const holding = (handler: Handler, statuses: ReadonlySet<number>): Handler => ({
  onRequestStart: (...parameters) => handler.onRequestStart?.(...parameters),
  onRequestUpgrade: (...parameters) => handler.onRequestUpgrade?.(...parameters),
  onResponseStart: (controller, status, ...rest) => {
    handler.onResponseStart?.(controller, status, ...rest)
    if (statuses.has(status as number)) (controller as Controller).pause()
  },
  onResponseData: (...parameters) => handler.onResponseData?.(...parameters),
  onResponseEnd: (...parameters) => handler.onResponseEnd?.(...parameters),
  onResponseError: (...parameters) => handler.onResponseError?.(...parameters)
})
