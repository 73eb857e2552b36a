import { AttemptTimeout, Backoff, Classifier, Observe, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Logger, Tracer } from "effect"
import * as Events from "./Events.ts"
import * as Spans from "../support/Spans.ts"

const policy = {
  name: "fetch",
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

const observed = { ...policy, observe: [Observe.spanEvents] }

/** Fails twice, then succeeds. */
const twoFailures = () => {
  let attempts = 0
  return Effect.suspend(() => (++attempts < 3 ? Effect.fail("busy") : Effect.succeed("done")))
}

describe("Observe.spanEvents", () => {
  it.effect("adds events with names, times and attributes to the span around the operation", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      const operation = Effect.withSpan(Retry.retry(twoFailures(), observed), "request")
      yield* provide(Effect.withSpan(operation, "program"))
      expect(spans.map(({ events, name }) => [name, events.map(({ atMillis, name }) => [name, atMillis])])).toEqual([
        ["program", []],
        [
          "request",
          [
            ["retry.attempt_failed", 0],
            ["retry.scheduled", 0],
            ["retry.attempt_failed", 1000],
            ["retry.scheduled", 1000],
            ["retry.succeeded", 2000]
          ]
        ]
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("shows of each event its attributes", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      yield* provide(Effect.withSpan(Effect.forEach(Events.all, Observe.spanEvents), "request"))
      expect(spans[0]?.events.map(({ attributes, name }) => [name, attributes])).toEqual([
        ["retry.nested", Events.attributes.NestingNoticed],
        ["retry.attempt_failed", Events.attributes.AttemptFailed],
        ["retry.scheduled", Events.attributes.RetryScheduled],
        ["retry.hedge_started", Events.attributes.HedgeStarted],
        ["retry.hedge_refused", Events.attributes.HedgeRefused],
        ["retry.succeeded", Events.attributes.Succeeded],
        ["retry.gave_up", Events.attributes.GaveUp]
      ])
    })
  )

  it.effect("calls an answer that is no success for the caller an answer", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      const details = Observe.describing(() => ({ attributes: { "error.type": "404" } }))
      yield* provide(Effect.withSpan(details(Observe.spanEvents)(Events.succeeded), "request"))
      expect(spans[0]?.events.map(({ name }) => name)).toEqual(["retry.answered"])
    })
  )

  it.effect("adds nothing for a success on the first attempt", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      yield* provide(Effect.withSpan(Retry.retry(Effect.succeed("done"), observed), "request"))
      expect(spans.map(({ events }) => events)).toEqual([[]])
    })
  )

  it.effect("changes nothing without a span, and with one of another process", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const logged = Effect.provide(Logger.add(logger))
      expect(yield* logged(Retry.retry(twoFailures(), observed))).toBe("done")
      const parent = Tracer.externalSpan({ spanId: "span", traceId: "trace" })
      expect(yield* logged(Effect.withParentSpan(Retry.retry(twoFailures(), observed), parent))).toBe("done")
      expect(lines).toEqual([])
    }).pipe(VirtualClock.run)
  )
})

describe("Retry.retry with a span around each attempt", () => {
  const spanned = { ...policy, attemptSpan: "attempt" }

  it.effect("is the current span inside the attempt, while events go to the one around the operation", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      const inside = Effect.withSpan(twoFailures(), "call")
      yield* provide(Effect.withSpan(Retry.retry(inside, { ...spanned, ...observed }), "request"))
      expect(spans.map(({ events, name, parent }) => [name, parent, events.length])).toEqual([
        ["request", undefined, 5],
        ["attempt", "request 1", 0],
        ["call", "attempt 2", 0],
        ["attempt", "request 1", 0],
        ["call", "attempt 4", 0],
        ["attempt", "request 1", 0],
        ["call", "attempt 6", 0]
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("ends as interrupted when the attempt ran out of time", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      const timed = { ...spanned, maxAttempts: 1, attemptTimeout: AttemptTimeout.constant("3 seconds") }
      const error = yield* Effect.flip(provide(Retry.retry(Effect.never, timed)))
      expect(error).toEqual(new AttemptTimeout.AttemptTimedOut({ attempt: 1, after: Duration.seconds(3) }))
      expect(spans.map(({ ended }) => ended)).toEqual(["interrupted"])
    }).pipe(VirtualClock.run)
  )

  it.effect("is left out when the first attempt is refused", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      const refused = { ...spanned, rateLimiter: TokenBucket.empty }
      yield* Effect.flip(provide(Retry.retry(Effect.succeed("done"), refused)))
      expect(spans).toEqual([])
    })
  )
})
