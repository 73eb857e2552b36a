import { Observe, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { describe, expect, it } from "@effect/vitest"
import { Data, Duration, Effect, Option } from "effect"
import * as Events from "./Events.ts"

const { attributes } = Observe

const long = "x".repeat(1000)
const words = "word ".repeat(200)
const cut = "x".repeat(200)

describe("Observe.attributes", () => {
  it.effect.each(Events.all.map((event) => ({ ...event })))("show what an operator looks for: $_tag", (event) =>
    Effect.gen(function* () {
      expect(yield* attributes(event)).toStrictEqual(Events.attributes[event._tag])
    })
  )

  class Tagged extends Data.TaggedError("Tagged")<{ readonly message: string }> {}
  class Custom extends Error {}

  it.effect.each([
    { error: new Tagged({ message: "why" }), type: "Tagged", message: "why" },
    { error: new Custom("why"), type: "Custom", message: "why" },
    { error: new Retry.ResultRejected({ result: 503 }), type: undefined, message: undefined },
    { error: { _tag: "Plain", message: "why" }, type: "Plain", message: undefined },
    { error: { code: 7 }, type: "Object", message: undefined },
    { error: Object.create(null), type: "object", message: undefined },
    { error: { constructor: undefined }, type: "object", message: undefined },
    { error: ["a"], type: "Array", message: undefined },
    { error: "busy", type: "string", message: undefined },
    { error: undefined, type: "undefined", message: undefined },
    { error: null, type: "object", message: undefined },
    { error: Object.assign(new Error(), { message: 7 }), type: "Error", message: "7" },
    { error: new Error(), type: "Error", message: undefined }
  ])(
    "have the error's type as $type, and the message of an Error, but not of a rejected result",
    ({ error, message, type }) =>
      Effect.gen(function* () {
        for (const event of [Events.attemptFailed, Events.retryScheduled, Events.gaveUp]) {
          const shown = yield* attributes({ ...event, error: Untrusted.shown(error) } as Observe.RetryEvent)
          expect([shown["exception.type"], shown["exception.message"]]).toEqual([type, message])
        }
      })
  )

  it.effect.each([
    { error: Object.assign(new Error("why"), { code: "40001" }), type: "40001" },
    { error: new Error("why", { cause: { code: 14 } }), type: "14" },
    { error: new Custom("why"), type: "Custom" }
  ])("have the code of the error or of its cause as error.type, or else the error's type: $type", ({ error, type }) =>
    Effect.gen(function* () {
      const shown = yield* attributes({ ...Events.gaveUp, error: Untrusted.shown(error) })
      expect(shown["error.type"]).toBe(type)
    })
  )

  it.effect.each([
    { of: "a server", verdict: Verdict.retryable("Throttling", { hint: "2 seconds" }), millis: 2000 },
    { of: "one that never wants another call", verdict: Verdict.terminal("gone", { hint: Infinity }), millis: 1e15 },
    { of: "no server", verdict: Verdict.throttling, millis: undefined },
    { of: "no opinion", verdict: Verdict.noOpinion, millis: undefined }
  ])("have the hint of $of", ({ millis, verdict }) =>
    Effect.gen(function* () {
      const shown = yield* attributes({ ...Events.attemptFailed, verdict })
      expect(shown["retry.hint_ms"]).toBe(millis)
    })
  )

  it.effect("leave out what a retry cost without a bucket", () =>
    Effect.gen(function* () {
      expect(yield* attributes({ ...Events.retryScheduled, cost: 0 })).not.toHaveProperty("retry.cost")
    })
  )

  it.effect("leave out the kind of an operation that gave up without a failure", () =>
    Effect.gen(function* () {
      expect(yield* attributes({ ...Events.gaveUp, kind: Option.none() })).not.toHaveProperty("retry.kind")
    })
  )

  it.effect.each([
    { of: "a terminal verdict", verdict: Verdict.terminal("expired"), kind: undefined },
    {
      of: "a terminal verdict with a kind",
      verdict: Verdict.terminal("expired", { kind: "Throttling" }),
      kind: "Throttling"
    }
  ])("show why there is no further attempt: $of", ({ kind, verdict }) =>
    Effect.gen(function* () {
      const failed = yield* attributes({ ...Events.attemptFailed, verdict } as Observe.RetryEvent)
      expect(failed).toMatchObject({ "retry.verdict": "Terminal", "retry.why": "expired" })
      expect(failed["retry.kind"]).toBe(kind)
      const reason: Retry.StopReason = { _tag: "Terminal", why: "expired" }
      expect(yield* attributes({ ...Events.gaveUp, reason } as Observe.RetryEvent)).toMatchObject({
        "retry.stop_reason": "Terminal",
        "retry.stop_message": "not retryable: expired"
      })
    })
  )

  it.effect("cut long texts, and show nothing else of an error", () =>
    Effect.gen(function* () {
      const original = Object.assign(new Error(words, { cause: "secret" }), { _tag: "Long", password: "secret" })
      const error = Untrusted.shown(original)
      const failed = { ...Events.attemptFailed, error, verdict: Verdict.terminal(long) } as Observe.RetryEvent
      const shown = yield* attributes(failed)
      expect(shown).toMatchObject({
        "exception.type": "Long",
        "exception.message": words.slice(0, 200),
        "retry.why": cut
      })
      expect(JSON.stringify(shown)).not.toContain("secret")
      const stopped = { ...Events.gaveUp, error, reason: { _tag: "Terminal", why: long } } as Observe.RetryEvent
      expect((yield* attributes(stopped))["retry.stop_message"]).toBe(`not retryable: ${cut}`.slice(0, 200))
    })
  )

  it.effect.each([
    { text: `${"x ".repeat(99)}x🙂`, shown: `${"x ".repeat(99)}x` },
    { text: `${"x ".repeat(99)}🙂`, shown: `${"x ".repeat(99)}🙂` },
    { text: `${"x ".repeat(99)}🙂y`, shown: `${"x ".repeat(99)}🙂` }
  ])("never cut a character in half", ({ shown, text }) =>
    Effect.gen(function* () {
      const event = { ...Events.gaveUp, error: Untrusted.shown(new Error(text)) } as Observe.RetryEvent
      expect((yield* attributes(event))["exception.message"]).toBe(shown)
    })
  )

  it.effect("leave out a missing name, level and wait, and what is unlimited", () =>
    Effect.gen(function* () {
      const bare = { ...Events.succeeded, name: "", maxAttempts: Infinity }
      for (const level of [Effect.succeed(Option.none()), Effect.asSome(TokenBucket.unlimited.level)]) {
        const event = { ...bare, level } as Observe.RetryEvent
        expect(yield* attributes(event)).toEqual({ "retry.attempt": 2, "retry.elapsed_ms": 1500 })
      }
      const waited = {
        ...bare,
        rateLimiterWait: Duration.millis(1),
        level: Effect.succeedSome(0)
      } as Observe.RetryEvent
      expect(yield* attributes(waited)).toMatchObject({ "retry.rate_limiter_wait_ms": 1, "retry.bucket.level": 0 })
    })
  )
})
