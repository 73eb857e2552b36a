/**
 * Events on the current span. Without a span, the observer costs only a lookup.
 */
import * as Effect from "effect/Effect"
import type * as Tracer from "effect/Tracer"
import * as AtOnce from "../fund/fiber/AtOnce.ts"
import * as Line from "../fund/fiber/Line.ts"
import type { Observer, RetryEvent } from "../loop/policy/RetryEvent.ts"
import { isAnswered } from "./Answered.ts"
import { attributes } from "./Attributes.ts"
import * as Telemetry from "./TelemetryLine.ts"

/**
 * Adds `retry.attempt_failed`, `retry.scheduled`, `retry.succeeded`, `retry.gave_up`, `retry.nested`,
 * `retry.hedge_started` and `retry.hedge_refused` to the current span, with the event's attributes. A success at the
 * first attempt adds nothing; an answer after retries that is no success for the caller, such as a 404, is
 * `retry.answered`.
 *
 * @category constructors
 */
export const spanEvents: Observer = (event) =>
  event._tag === "Succeeded" && event.attempt === 1
    ? Effect.void
    : AtOnce.suspend(() => {
        const span = Telemetry.spanOf(AtOnce.currentFiber())
        return span === undefined || span._tag !== "Span" ? Effect.void : added(span, event)
      })

const added = (span: Tracer.Span, event: RetryEvent): Effect.Effect<void> =>
  Effect.flatMap(attributes(event), (shown) =>
    Effect.clockWith((clock) => Effect.sync(() => span.event(nameOf(event), Line.wallNanos(clock), shown)))
  )

/** The name of an event on a span. */
export const nameOf = (event: RetryEvent): string =>
  event._tag === "Succeeded" && isAnswered(event) ? "retry.answered" : names[event._tag]

const names: { readonly [T in RetryEvent["_tag"]]: string } = {
  AttemptFailed: "retry.attempt_failed",
  RetryScheduled: "retry.scheduled",
  Succeeded: "retry.succeeded",
  GaveUp: "retry.gave_up",
  NestingNoticed: "retry.nested",
  HedgeStarted: "retry.hedge_started",
  HedgeRefused: "retry.hedge_refused"
}
