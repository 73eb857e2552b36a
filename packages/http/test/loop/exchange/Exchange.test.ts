import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Retry, Verdict } from "@effect-retry/core"
import { type HttpClassifier, HttpRetry, Idempotency } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Option } from "effect"
import * as Faults from "../../support/Faults.ts"
import * as Scripted from "../../support/ScriptedClient.ts"

const { make: scripted, world } = Scripted

const url = "http://api.test/"
const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "100 millis" }) }

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** A body of which nothing comes, and whose cancelling ends when it is said to. */
const silent = (cancelling: Promise<void> = Promise.resolve()) => {
  const seen = { cancelled: 0 }
  const body = () =>
    new ReadableStream({
      pull: () => new Promise(() => undefined),
      cancel: () => {
        seen.cancelled += 1
        return cancelling
      }
    })
  return { body, seen }
}

/** A client that pays no attention to the signal it is given. */
const deaf = (status: number, body: () => ReadableStream) =>
  HttpClient.make((request) => Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(body(), { status }))))

describe("Exchange release", () => {
  it.effect.each([{ status: 503 }, { status: 429 }])(
    "cancels the bodies of a client that ignores its signal: $status",
    ({ status }) =>
      Effect.gen(function* () {
        const { body, seen } = silent()
        const { text } = yield* HttpRetry.withRetry(deaf(status, body), policy).get(url)
        yield* Effect.sleep("2 seconds")
        expect(seen.cancelled).toBe(2)
        yield* Fiber.interrupt(yield* Effect.fork(text))
      }).pipe(world)
  )

  it.effect("adds nothing to the delay, nor to the deadline, while it drains", () =>
    Effect.gen(function* () {
      const { body } = silent()
      const bounded = { ...policy, maxAttempts: 9, deadline: Deadline.refuse("350 millis") }
      const { status } = yield* HttpRetry.withRetry(deaf(429, body), bounded).get(url)
      expect([status, yield* nowMillis]).toEqual([429, 300])
    }).pipe(world)
  )

  it.effect("does not wait for a body whose cancelling never ends", () =>
    Effect.gen(function* () {
      const { body } = silent(new Promise(() => undefined))
      const { status } = yield* HttpRetry.withRetry(deaf(429, body), policy).get(url)
      expect([status, yield* nowMillis]).toEqual([429, 200])
    }).pipe(world)
  )

  it.effect("survives a response that cannot be looked at", () =>
    Effect.gen(function* () {
      const hostile = HttpClient.make((request) => {
        const response = HttpClientResponse.fromWeb(request, new Response("x", { status: 429 }))
        const broken = () => {
          throw new Error("broken")
        }
        return Effect.succeed(Object.create(response, { stream: { get: broken } }))
      })
      expect((yield* HttpRetry.withRetry(hostile, policy).get(url)).status).toBe(429)
    }).pipe(world)
  )

  it.effect("aborts every request for the same reason", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ status: 503, body: "down" })
      yield* HttpRetry.withRetry(client, policy).get(url)
      const reasons = calls.slice(0, 2).map(({ signal }): unknown => signal.reason)
      expect(reasons[0]).toBeInstanceOf(DOMException)
      expect(reasons[1]).toBe(reasons[0])
    }).pipe(world)
  )
})

describe("Exchange interruption", () => {
  it.effect.each([
    ["no bound", policy],
    ["an attempt timeout", { ...policy, attemptTimeout: AttemptTimeout.constant("1 minute") }],
    ["a deadline", { ...policy, deadline: Deadline.refuse("1 minute") }],
    ["a deadline that cuts", { ...policy, deadline: Deadline.cut("1 minute") }]
  ] as const)("leaves no response open wherever it comes, under %s", ([, bounded]) =>
    Effect.gen(function* () {
      for (let yields = 0; yields < 25; yields++) {
        const { body, seen } = silent()
        let opened = 0
        const client = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
          Effect.flatMap((request) =>
            Effect.sync(() => {
              opened += 1
              return HttpClientResponse.fromWeb(request, new Response(body(), { status: 503 }))
            })
          ),
          Effect.succeed
        )
        const fiber = yield* Effect.fork(HttpRetry.withRetry(client, bounded).get(url))
        yield* Effect.repeatN(Effect.yieldNow(), yields)
        yield* Fiber.interrupt(fiber)
        expect([yields, seen.cancelled]).toEqual([yields, opened])
      }
    }).pipe(world)
  )

  it.effect("ends what is still being drained", () =>
    Effect.gen(function* () {
      const { body, seen } = silent()
      const fiber = yield* Effect.fork(HttpRetry.withRetry(deaf(429, body), policy).get(url))
      yield* Effect.sleep("50 millis")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      yield* Effect.sleep("1 milli")
      expect([seen.cancelled, yield* VirtualClock.sleepers]).toEqual([1, 0])
    }).pipe(world)
  )
})

describe("Exchange repetition", () => {
  it.effect("lets no attempt header stand for the key of the operation", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const fresh = {
        ...policy,
        attemptHeaders: ({ number }: HttpRetry.Attempt) => ({ "Idempotency-Key": `fresh-${number}` })
      }
      const retried = HttpRetry.withRetry(client, fresh)
      yield* retried.post(url, { headers: { "idempotency-key": "mine" } })
      expect(Scripted.sent(calls, "idempotency-key")).toEqual(["mine", "mine", "mine"])
      yield* retried.post(url)
      expect(Scripted.sent(calls.slice(3), "idempotency-key")).toEqual([undefined])
    }).pipe(world)
  )

  it.effect("takes an error with an unreadable cause for any other error of the transport", () =>
    Effect.gen(function* () {
      const { proxy, revoke } = Proxy.revocable(new Error("gone"), {})
      revoke()
      const { observe, reasons } = Scripted.gaveUp()
      const client = HttpClient.make((request) =>
        Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: proxy }))
      )
      const exit = yield* Effect.exit(HttpRetry.withRetry(client, { ...policy, observe }).get(url))
      expect(Exit.isFailure(exit)).toBe(true)
      expect(reasons.map(Retry.format)).toEqual(["all attempts spent"])
    }).pipe(world)
  )
})

describe("Exchange verdicts", () => {
  it.effect.each([
    ["of no use", Verdict.terminal("of no use"), "Throttling"],
    ["of no use, of a kind", Verdict.terminal("of no use", { kind: "Client" }), "Client"],
    ["retryable, of a kind", Verdict.transient, "Transient"]
  ] as const)("have kind and hint of the failure when the opinion says none: %s", ([, opinion, kind]) =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 429, headers: { "retry-after": "5" } })
      const { events, observe } = Scripted.gaveUp()
      yield* HttpRetry.withRetry(client, { ...policy, maxAttempts: 1, observe, opinion: () => opinion }).get(url)
      const verdicts = events.flatMap((event) => (event._tag === "AttemptFailed" ? [event.verdict] : []))
      expect(verdicts.map(({ _tag }) => _tag)).toEqual([opinion._tag])
      expect(verdicts.map(Verdict.kindOf)).toEqual([Option.some(kind)])
      expect(verdicts).toMatchObject([{ hint: Option.some(Duration.seconds(5)) }])
    }).pipe(world)
  )
})

describe("Exchange processing", () => {
  const text = (response: HttpClientResponse.HttpClientResponse) => response.text
  const breaking = () => new ReadableStream({ pull: (controller) => controller.error(Faults.reset) })
  const cases: ReadonlyArray<
    readonly [
      string,
      HttpClient.HttpClient,
      Partial<HttpRetry.Policy<unknown, AttemptTimeout.AttemptTimedOut>>,
      HttpClassifier.Processing
    ]
  > = [
    ["a connection that was refused", scripted(Faults.refused).client, {}, "NotSent"],
    ["a connection that was reset", scripted(Faults.reset).client, {}, "Unknown"],
    ["a status of a request that was not processed", scripted(421).client, {}, "NotProcessed"],
    ["a reading that broke", deaf(200, breaking), {}, "Unknown"],
    [
      "a timeout of the attempt",
      deaf(200, () => silent().body()),
      { attemptTimeout: AttemptTimeout.constant("1 second") },
      "Unknown"
    ]
  ]

  it.effect.each(cases)("is told to a custom rule: %s", ([, client, fields, expected]) =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const rule: Idempotency.Rule = (_, { processing }) => {
        told.push(processing)
        return { _tag: "NotRepeatable", why: "a rule" }
      }
      const { observe, reasons } = Scripted.gaveUp()
      const ruled = { ...policy, ...fields, observe, idempotency: { ...Idempotency.standard, rule } }
      yield* Effect.exit(HttpRetry.execute(HttpRetry.withRetry(client, ruled), HttpClientRequest.get(url), text))
      expect(new Set(told)).toEqual(new Set([expected]))
      expect(reasons.map(Retry.format)).toEqual(["not retryable: a rule"])
    }).pipe(world)
  )

  it.effect("is that of a request that was not sent while the hook before it runs", () =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const rule: Idempotency.Rule = (_, { processing }) => {
        told.push(processing)
        return undefined
      }
      const idempotency = { ...Idempotency.standard, rule }
      const attemptTimeout = AttemptTimeout.constant("1 second")
      const hung = { ...policy, attemptTimeout, idempotency, maxAttempts: 3, beforeRetry: () => Effect.never }
      yield* Effect.exit(HttpRetry.withRetry(scripted(503).client, hung).get(url))
      expect(told).toEqual(["Unknown", "NotSent", "NotSent"])
    }).pipe(world)
  )
})

describe("Exchange verdicts on a request that must not be repeated", () => {
  it.effect.each([
    ["a status that is not retryable", {}, 501, "status 501"],
    ["an opinion that is of no use", { opinion: () => Verdict.terminal("of no use") }, 503, "of no use"],
    ["a status that is retryable", {}, 503, "POST without Idempotency-Key"]
  ] as const)("say the first reason: %s", ([, fields, status, why]) =>
    Effect.gen(function* () {
      const { observe, reasons } = Scripted.gaveUp()
      yield* HttpRetry.withRetry(scripted(status).client, { ...policy, ...fields, observe }).post(url)
      expect(reasons.map(Retry.format)).toEqual([`not retryable: ${why}`])
    }).pipe(world)
  )
})
