/**
 * Events on the current span. A program without a span at that place pays a look at its context.
 *
 * Attributes of errors have OpenTelemetry's names (`exception.type`, `exception.message`); for retries it has none, so
 * those begin with `retry.`.
 * Source: https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/, read 2026-11-20.
 */
import { Context, Duration, Effect, Option, Tracer } from "effect"
import { isRetryable } from "../classify/Verdict.ts"
import type { Observer, RetryEvent } from "../loop/RetryEvent.ts"

/**
 * Adds `retry.attempt_failed`, `retry.scheduled`, `retry.succeeded`, `retry.gave_up` and `retry.nested` to the current
 * span. A success at the first attempt adds nothing.
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
  Effect.clockWith((clock) =>
    Effect.sync(() => span.event(names[event._tag], clock.unsafeCurrentTimeNanos(), attributes(event)))
  )

const names: { readonly [T in RetryEvent["_tag"]]: string } = {
  AttemptFailed: "retry.attempt_failed",
  RetryScheduled: "retry.scheduled",
  Succeeded: "retry.succeeded",
  GaveUp: "retry.gave_up",
  NestingNoticed: "retry.nested"
}

/**
 * An event as flat attributes: what spans and log lines show of it.
 *
 * Of an error only its type and message; a message is cut at 200 characters.
 *
 * @category conversions
 */
export const attributes = (event: RetryEvent): Record<string, string | number> => ({
  ...(event.name === "" ? {} : { "retry.operation": event.name }),
  "retry.attempt": event.attempt,
  "retry.elapsed_ms": Duration.toMillis(event.elapsed),
  ...(Option.isNone(event.level) ? {} : { "retry.bucket.level": event.level.value }),
  ...particular(event)
})

const particular = (event: RetryEvent): Record<string, string | number> => {
  switch (event._tag) {
    case "AttemptFailed":
      return {
        ...exception(event.error),
        "retry.verdict": event.verdict._tag,
        ...kind(event.verdict),
        "retry.ran_ms": Duration.toMillis(event.ran),
        ...sendWait(event)
      }
    case "RetryScheduled":
      return {
        "retry.delay_ms": Duration.toMillis(event.delay),
        "retry.delay_source": event.source,
        "retry.cost": event.cost,
        ...kind(event.verdict)
      }
    case "Succeeded":
      return sendWait(event)
    case "GaveUp":
      return { ...exception(event.error), "retry.stop_reason": event.reason._tag }
    case "NestingNoticed":
      return { "retry.outer": event.outer.name, "retry.outer_attempt": event.outer.attempt }
  }
}

const sendWait = ({ sendWait }: { readonly sendWait: Duration.Duration }): Record<string, number> =>
  Duration.toMillis(sendWait) === 0 ? {} : { "retry.send_wait_ms": Duration.toMillis(sendWait) }

const kind = (verdict: Parameters<typeof isRetryable>[0]): Record<string, string> =>
  isRetryable(verdict) ? { "retry.kind": verdict.kind } : {}

const exception = (error: unknown): Record<string, string> => ({
  "exception.type": typeOf(error),
  ...(error instanceof Error ? { "exception.message": String(error.message).slice(0, 200) } : {})
})

const typeOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return typeof error
  return "_tag" in error && typeof error._tag === "string" ? error._tag : (error.constructor?.name ?? "object")
}
