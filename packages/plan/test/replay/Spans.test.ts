import { Backoff, Hint, Jitter, Verdict } from "@effect-retry/core"
import { type Load, Replay } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { batch, type Recorded, recordBoth } from "./Recording.ts"

const jittered = Backoff.exponential({ base: "50 millis" }).pipe(Backoff.jittered(Jitter.full))

const client: Load.Client = { policy: { maxAttempts: 3, backoff: jittered, hint: Hint.standard } }

const other: Load.Client = { policy: { maxAttempts: 5, backoff: Backoff.constant({ delay: "40 millis" }) } }

const replay = (lines: ReadonlyArray<string>) => Replay.replay({ lines, recorded: client, other, seed: 1 })

const sometimes = (_: number, u: number) => u < 0.3

const recorded: Recorded = { client, fails: sometimes }

describe("Replay.replay of spans", () => {
  it.effect.each<readonly [string, Recorded]>([
    ["successes at once and retries", recorded],
    ["hints", { ...recorded, verdict: Verdict.retryable("Throttling", { hint: "80 millis" }) }],
    ["failures that must not be repeated", { ...recorded, verdict: Verdict.terminal("gone", { kind: "Client" }) }],
    ["an outage", { client, fails: (at) => at >= 500 && at < 1000 }]
  ])("answers as for the lines of the same operations, with %s", ([, recorded]) =>
    Effect.gen(function* () {
      const { lines, spans } = yield* recordBoth(recorded)
      const ofLines = yield* replay(lines)
      expect(ofLines).toMatchObject({ operations: 100, leftOut: 0, faithful: 1 })
      expect(yield* replay([batch(spans)])).toEqual(ofLines)
      const one = spans.map((span) => batch([span])).toReversed()
      expect(yield* replay(one)).toEqual(ofLines)
    })
  )

  it.effect("passes over other spans and events, and leaves out operations that did not end or are mixed up", () =>
    Effect.gen(function* () {
      const { spans } = yield* recordBoth({ ...recorded, operations: 20, fails: () => true })
      const [first, second, third] = spans
      const foreign = { ...first, spanId: "f".repeat(16), name: "GET", events: [{ name: "x".repeat(500) }] }
      expect(yield* replay([batch([...spans, foreign]), "", batch([])])).toMatchObject({ operations: 20, leftOut: 0 })
      const interrupted = { ...first, events: [], status: { code: 2 } }
      expect(yield* replay([batch([interrupted, ...spans.slice(1)])])).toMatchObject({ operations: 19, leftOut: 1 })
      const cut = { ...first, events: first?.events.slice(0, -1) }
      expect(yield* replay([batch([cut, ...spans.slice(1)])])).toMatchObject({ operations: 19, leftOut: 1 })
      const mixed = { ...second, events: [...(second?.events.slice(0, 2) ?? []), ...(third?.events ?? [])] }
      expect(yield* replay([batch([mixed, ...spans.slice(3)])])).toMatchObject({ operations: 17, leftOut: 2 })
      const oneAfterTheOther = { ...second, events: [...(second?.events ?? []), ...(third?.events ?? [])] }
      expect(yield* replay([batch([oneAfterTheOther, ...spans.slice(3)])])).toMatchObject({
        operations: 19,
        leftOut: 0
      })
    })
  )

  const attributes = Object.entries({
    "retry.attempt": { intValue: 1 },
    "retry.elapsed_ms": { intValue: "30" },
    "retry.ran_ms": { doubleValue: 30 },
    "retry.verdict": { stringValue: "Retryable" },
    "retry.kind": { stringValue: "Server" },
    "other.flag": { boolValue: true }
  }).map(([key, value]) => ({ key, value }))
  const event = { name: "retry.attempt_failed", timeUnixNano: "1764268800030000000", attributes }
  const span = {
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId: "eee19b7ec3c1b174",
    name: "order",
    startTimeUnixNano: "1764268800000000000",
    endTimeUnixNano: "1764268801000000000",
    events: [event]
  }
  const withAttribute = (key: string, value: unknown) => ({
    ...span,
    events: [event, { ...event, attributes: [...attributes, { key, value }] }]
  })
  const inSpan = "resourceSpans[0].scopeSpans[0].spans[0]"

  it.effect.each<readonly [string, string, string, string]>([
    ["a batch", `{"resourceSpans":7}`, "resourceSpans", "a list, got 7"],
    ["a resource", `{"resourceSpans":[[]]}`, "resourceSpans[0]", "a JSON object, got []"],
    ["a span", batch([null]), inSpan, "a JSON object, got null"],
    ["an id", batch([{ ...span, spanId: 7 }]), `${inSpan}.spanId`, "a text of at most 200 characters, got 7"],
    [
      "a time",
      batch([{ ...span, startTimeUnixNano: "yesterday" }]),
      `${inSpan}.startTimeUnixNano`,
      `a time in nanoseconds since 1970, got "yesterday"`
    ],
    ["an end", batch([{ ...span, endTimeUnixNano: 1 }]), `${inSpan}.endTimeUnixNano`, "not before startTimeUnixNano"],
    ["a name", batch([{ ...span, name: {} }]), `${inSpan}.name`, "a text, got {}"],
    ["events", batch([{ ...span, events: "none" }]), `${inSpan}.events`, "a list"],
    [
      "the time of an event",
      batch([{ ...span, events: [{ ...event, timeUnixNano: -1 }] }]),
      `${inSpan}.events[0].timeUnixNano`,
      "got -1"
    ],
    [
      "a number",
      batch([withAttribute("retry.attempt", { intValue: "1e400" })]),
      `${inSpan}.events[1].retry.attempt`,
      `a number >= 0 and <= 1000000, got "1e400"`
    ],
    [
      "an infinity",
      batch([withAttribute("retry.elapsed_ms", { doubleValue: "Infinity" })]),
      `${inSpan}.events[1].retry.elapsed_ms`,
      `got "Infinity"`
    ],
    [
      "a kind",
      batch([withAttribute("retry.kind", { stringValue: "__proto__" })]),
      `${inSpan}.events[1].retry.kind`,
      "one of"
    ],
    [
      "no attributes",
      batch([{ ...span, events: [{ ...event, attributes: [{ key: "__proto__", value: {} }] }] }]),
      `${inSpan}.events[0].retry.attempt`,
      "got nothing"
    ]
  ])("refuses invalid %s", ([, line, field, message]) =>
    Effect.gen(function* () {
      const found = yield* Effect.either(replay([batch([span]), line]))
      const error = Either.isLeft(found) ? found.left : undefined
      expect(error).toMatchObject({ _tag: "UnreadableLine", line: 2, field })
      expect(error?.message).toContain(`Replay.replay: line 2: ${field} must be `)
      expect(error?.message).toContain(message)
    })
  )
})
