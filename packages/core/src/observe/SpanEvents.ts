/**
 * Events on the current span. Where there is none, the observer only looks for it in the context.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { Observer, RetryEvent } from "../loop/RetryEvent.ts"
import { attributes } from "./Attributes.ts"

/**
 * Adds `retry.attempt_failed`, `retry.scheduled`, `retry.succeeded`, `retry.gave_up` and `retry.nested` to the current
 * span, with the event's attributes. A success at the first attempt adds nothing.
 *
 * @category constructors
 */
export const spanEvents: Observer = (event) =>
  event._tag === "Succeeded" && event.attempt === 1
    ? Effect.void
    : Effect.contextWithEffect((context: Context.Context<never>) => {
        // `Effect.currentSpan` fails where there is none, with an error whose stack takes ten microseconds.
        const span = Context.getOption(context, Tracer.ParentSpan)
        return Option.isNone(span) || span.value._tag !== "Span" ? Effect.void : added(span.value, event)
      })

const added = (span: Tracer.Span, event: RetryEvent): Effect.Effect<void> =>
  Effect.flatMap(attributes(event), (shown) =>
    Effect.clockWith((clock) => Effect.sync(() => span.event(names[event._tag], clock.unsafeCurrentTimeNanos(), shown)))
  )

const names: { readonly [T in RetryEvent["_tag"]]: string } = {
  AttemptFailed: "retry.attempt_failed",
  RetryScheduled: "retry.scheduled",
  Succeeded: "retry.succeeded",
  GaveUp: "retry.gave_up",
  NestingNoticed: "retry.nested"
}
