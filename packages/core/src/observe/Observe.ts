/**
 * Observers ready to use: metrics, span events, log lines and a subscription.
 *
 * A policy names them in `observe`; one that names none pays nothing. Nothing here decides anything.
 */
import type { Effect } from "effect"
import { PubSub } from "effect"
import type { Observer, RetryEvent } from "../loop/RetryEvent.ts"

export type { ActiveOperation } from "../loop/ActiveOperation.ts"
export type {
  AttemptFailed,
  DelaySource,
  GaveUp,
  NestingNoticed,
  Observer,
  RetryEvent,
  RetryScheduled,
  Succeeded
} from "../loop/RetryEvent.ts"
export { attributes } from "./Attributes.ts"
export { type Levels, logs } from "./Logs.ts"
export { metrics } from "./Metrics.ts"
export { spanEvents } from "./SpanEvents.ts"

/**
 * Publishes every event to the application's own `PubSub`: subscribe with `PubSub.subscribe` or `Stream.fromPubSub`.
 *
 * Waits where the `PubSub` does when it is full, and the operation with it: `PubSub.sliding` and `PubSub.dropping` never
 * do. One that is shut down changes nothing, but logs a warning for every event.
 *
 * @category constructors
 */
export const publish =
  (events: PubSub.PubSub<RetryEvent>): Observer =>
  (event): Effect.Effect<void> =>
    PubSub.publish(events, event)
