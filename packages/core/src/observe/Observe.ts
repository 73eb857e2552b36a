/**
 * Observers ready to use: metrics, span events, log lines and a subscription.
 *
 * A policy names them in `observe`; one that names none pays nothing. Nothing here decides anything.
 */
import type { Effect } from "effect"
import { PubSub } from "effect"
import type { Observer, RetryEvent } from "../loop/RetryEvent.ts"

export { type Levels, logs } from "./Logs.ts"
export { metrics } from "./Metrics.ts"
export { attributes, spanEvents } from "./SpanEvents.ts"

/**
 * Publishes every event to the application's own `PubSub`.
 *
 * Waits where the `PubSub` does when it is full: `PubSub.sliding` and `PubSub.dropping` never do.
 *
 * @category constructors
 */
export const publish =
  (events: PubSub.PubSub<RetryEvent>): Observer =>
  (event): Effect.Effect<void> =>
    PubSub.publish(events, event)
