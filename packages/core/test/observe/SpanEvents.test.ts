import { AttemptTimeout, Backoff, Classifier, Observe, Retry, RetryBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Context, Data, Duration, Effect, Exit, Option, Tracer } from "effect"
import * as Events from "./Events.ts"

interface Recorded {
  readonly name: string
  readonly parent: string | undefined
  readonly attributes: Record<string, unknown>
  readonly events: Array<{ readonly name: string; readonly atMillis: number; readonly attributes: unknown }>
  ended: "succeeded" | "failed" | "interrupted" | undefined
}

const millis = (nanos: bigint) => Number(nanos / 1_000_000n)

/** A tracer that keeps its spans, in the order in which they began. */
const recording = () => {
  const spans: Array<Recorded> = []
  const tracer = Tracer.make({
    context: (f) => f(),
    span: (name, parent, context, links, startTime, kind) => {
      const recorded: Recorded = {
        name,
        parent: Option.getOrUndefined(Option.map(parent, ({ spanId }) => spanId)),
        attributes: {},
        events: [],
        ended: undefined
      }
      spans.push(recorded)
      return {
        _tag: "Span",
        name,
        spanId: `${name} ${spans.length}`,
        traceId: "trace",
        parent,
        context,
        links,
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        attribute: (key, value) => void (recorded.attributes[key] = value),
        addLinks: () => {},
        event: (name, startTime, attributes) => {
          recorded.events.push({ name, atMillis: millis(startTime), attributes })
        },
        end: (_, exit) => {
          recorded.ended = Exit.isSuccess(exit) ? "succeeded" : Exit.isInterrupted(exit) ? "interrupted" : "failed"
        }
      }
    }
  })
  return { spans, provide: Effect.withTracer(tracer) }
}

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
      const { provide, spans } = recording()
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
      const { provide, spans } = recording()
      yield* provide(Effect.withSpan(Effect.forEach(Events.all, Observe.spanEvents), "request"))
      expect(spans[0]?.events.map(({ attributes, name }) => [name, attributes])).toEqual([
        ["retry.nested", Events.attributes.NestingNoticed],
        ["retry.attempt_failed", Events.attributes.AttemptFailed],
        ["retry.scheduled", Events.attributes.RetryScheduled],
        ["retry.succeeded", Events.attributes.Succeeded],
        ["retry.gave_up", Events.attributes.GaveUp]
      ])
    })
  )

  it.effect("adds nothing for a success at once", () =>
    Effect.gen(function* () {
      const { provide, spans } = recording()
      yield* provide(Effect.withSpan(Retry.retry(Effect.succeed("done"), observed), "request"))
      expect(spans.map(({ events }) => events)).toEqual([[]])
    })
  )

  it.effect("does no harm without a span, nor with one of another process", () =>
    Effect.gen(function* () {
      expect(yield* Retry.retry(twoFailures(), observed)).toBe("done")
      const parent = Tracer.externalSpan({ spanId: "span", traceId: "trace" })
      expect(yield* Effect.withParentSpan(Retry.retry(twoFailures(), observed), parent)).toBe("done")
    }).pipe(VirtualClock.run)
  )
})

describe("Observe.attributes", () => {
  const typed = (error: unknown) => {
    const attributes = Observe.attributes({ ...Events.gaveUp, error } as Retry.RetryEvent)
    return [attributes["exception.type"], attributes["exception.message"]]
  }

  class Tagged extends Data.TaggedError("Tagged")<{ readonly message: string }> {}
  class Custom extends Error {}

  it.each([
    { error: new Tagged({ message: "why" }), type: "Tagged", message: "why" },
    { error: new Custom("why"), type: "Custom", message: "why" },
    { error: { _tag: "Plain" }, type: "Plain", message: undefined },
    { error: { code: 7 }, type: "Object", message: undefined },
    { error: Object.create(null), type: "object", message: undefined },
    { error: ["a"], type: "Array", message: undefined },
    { error: "busy", type: "string", message: undefined },
    { error: undefined, type: "undefined", message: undefined },
    { error: null, type: "object", message: undefined },
    { error: Object.assign(new Error(), { message: 7 }), type: "Error", message: "7" }
  ])("have the error's type as $type, and the message of an Error", ({ error, message, type }) => {
    expect(typed(error)).toEqual([type, message])
  })

  it("cut a long message, and show nothing else of an error", () => {
    const error = Object.assign(new Error("x".repeat(1000)), { password: "secret" })
    expect(typed(error)).toEqual(["Error", "x".repeat(200)])
    expect(JSON.stringify(Observe.attributes({ ...Events.gaveUp, error } as Retry.RetryEvent))).not.toContain("secret")
  })

  it("leave out what there is not: a name, a level, a wait", () => {
    const { level, ...succeeded } = Events.succeeded
    expect(Observe.attributes({ ...succeeded, name: "", level: Option.none() } as Retry.RetryEvent)).toEqual({
      "retry.attempt": 2,
      "retry.elapsed_ms": 1500
    })
    expect(Option.isSome(level)).toBe(true)
  })
})

describe("Retry.retry with a span around each attempt", () => {
  const spanned = { ...policy, attemptSpan: "attempt" }

  it.effect("makes one child of the current span for each attempt, with its number, and how it ended", () =>
    Effect.gen(function* () {
      const { provide, spans } = recording()
      yield* provide(Effect.withSpan(Retry.retry(twoFailures(), spanned), "request"))
      const attempt = (number: number, ended: Recorded["ended"]) => ({
        name: "attempt",
        parent: "request 1",
        attributes: { "retry.attempt": number, "retry.operation": "fetch" },
        events: [],
        ended
      })
      expect(spans.slice(1)).toEqual([attempt(1, "failed"), attempt(2, "failed"), attempt(3, "succeeded")])
    }).pipe(VirtualClock.run)
  )

  it.effect("makes roots where there is no span around, without the name that a policy does not have", () =>
    Effect.gen(function* () {
      const { provide, spans } = recording()
      yield* provide(Retry.retry(Effect.succeed("done"), { ...spanned, name: undefined }))
      expect(spans).toEqual([
        { name: "attempt", parent: undefined, attributes: { "retry.attempt": 1 }, events: [], ended: "succeeded" }
      ])
    })
  )

  it.effect("is the current span inside the attempt, while events go to the one around the operation", () =>
    Effect.gen(function* () {
      const { provide, spans } = recording()
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

  it.effect("ends as interrupted where the attempt ran out of time", () =>
    Effect.gen(function* () {
      const { provide, spans } = recording()
      const timed = { ...spanned, maxAttempts: 1, attemptTimeout: AttemptTimeout.constant("3 seconds") }
      const error = yield* Effect.flip(provide(Retry.retry(Effect.never, timed)))
      expect(error).toEqual(new AttemptTimeout.AttemptTimedOut({ attempt: 1, after: Duration.seconds(3) }))
      expect(spans.map(({ ended }) => ended)).toEqual(["interrupted"])
    }).pipe(VirtualClock.run)
  )

  it.effect("is left out where the first attempt is refused", () =>
    Effect.gen(function* () {
      class Charging extends Context.Tag("test/Charging")<Charging, RetryBucket.ChargingBucket>() {}
      const { provide, spans } = recording()
      const refusing = { ...RetryBucket.empty, takeFirst: () => Effect.succeedNone }
      const operation = Retry.retry(Effect.succeed("done"), { ...spanned, bucket: Charging })
      yield* Effect.flip(provide(Effect.provideService(operation, Charging, refusing)))
      expect(spans).toEqual([])
    })
  )
})
