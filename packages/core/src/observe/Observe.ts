/**
 * Ready-made observers: metrics, span events, log lines, lines of JSON and a subscription; and the types of events and
 * observers.
 *
 * A policy lists them in `observe`, and each receives every event; a policy without observers pays nothing for them. An
 * observer decides nothing: with and without it, the same attempts are made at the same times, unless it takes time.
 */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Untrusted from "../accept/Untrusted.ts"
import type { Details, Observer, RetryEvent } from "../loop/policy/RetryEvent.ts"

export type { Details, Observer, RetryEvent } from "../loop/policy/RetryEvent.ts"
export { attributes } from "./Attributes.ts"
export { circuit } from "./CircuitObserver.ts"
export { jsonLines } from "./JsonLines.ts"
export { logs } from "./Logs.ts"
export { metrics, metricsByKey } from "./MetricsObserver.ts"
export { spanEvents } from "./SpanEvents.ts"

/**
 * Publishes every event to the application's own `PubSub`: subscribe with `PubSub.subscribe` or `Stream.fromPubSub`.
 *
 * If a full `PubSub` makes publishers wait, the operation waits; `PubSub.sliding` and `PubSub.dropping` never wait. A
 * `PubSub` that has been shut down changes nothing, but logs a warning for every event.
 *
 * @category constructors
 */
export const publish =
  (events: PubSub.PubSub<RetryEvent>): Observer =>
  (event): Effect.Effect<void> =>
    PubSub.publish(events, event)

/**
 * Adds to every event what a protocol or a driver knows: what was called, how an attempt ended, attributes.
 *
 * `describe` receives the event when an observer shows it. What it leaves out is unchanged, and its attributes and tags
 * are added to the others. Several can be nested; the innermost applies last.
 *
 * @category combinators
 */
export const describing =
  (describe: (event: RetryEvent) => Partial<Details>) =>
  (observer: (event: RetryEvent) => ReturnType<Observer> | void): Observer =>
  (event) =>
    observer({ ...event, details: () => joined(event.details(), describe(event)) }) ?? Effect.void

/**
 * Everything that may be shown of an error: its class, its code, its message without what may be secret, the places in its
 * stack, and the same of its causes. Safe to print, to log, to write as JSON and to record on a span.
 *
 * Use it for `event.error`, which by itself shows no message, for the `cause` of an error of this library, and for any other
 * error.
 *
 * @category conversions
 */
export const shown = (error: unknown): Untrusted.ShownError => Untrusted.inFull(error)

const joined = (known: Details, added: Partial<Details>): Details => ({
  ...known,
  ...added,
  attributes: { ...known.attributes, ...added.attributes },
  tags: { ...known.tags, ...added.tags }
})
