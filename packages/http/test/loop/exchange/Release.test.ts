import { HttpClient, type HttpClientError, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, TokenBucket, Verdict } from "@effect-retry/core"
import type { Observe } from "@effect-retry/core"
import { HttpClassifier, HttpRetry } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it, vi } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber } from "effect"
import * as Faults from "../../support/Faults.ts"
import * as Scripted from "../../support/ScriptedClient.ts"

const { world } = Scripted

/** Is throttled first, and then answers after a time. */
const throttledThen = (after: Duration.DurationInput) => {
  const { body, seen } = Scripted.watchedBody(1_000)
  const signals: Array<AbortSignal> = []
  const client = HttpClient.make((request, _, signal) => {
    signals.push(signal)
    const web = signals.length === 1 ? new Response("slow down", { status: 429 }) : new Response(body)
    return Effect.delay(
      Effect.sync(() => HttpClientResponse.fromWeb(request, web)),
      after
    )
  })
  return { client, seen, isAborted: () => signals[1]?.aborted }
}

const policy = { maxAttempts: 2, backoff: Backoff.constant({ delay: "1 second" }) }

/** Grants so many attempts of an operation. */
const granting = (attempts: number): TokenBucket.TokenBucket => ({
  ...TokenBucket.unlimited,
  acquire: (request) => (request.attempt <= attempts ? TokenBucket.unlimited : TokenBucket.empty).acquire(request)
})

describe("HttpRetry.withRetry", () => {
  it.effect("cancels the response of an interrupted operation, whatever the result of the attempt before", () =>
    Effect.gen(function* () {
      const { client, isAborted, seen } = throttledThen(0)
      const observe: ReadonlyArray<Observe.Observer> = [
        ({ _tag }) => (_tag === "Succeeded" ? Effect.sleep("1 minute") : Effect.void)
      ]
      const fiber = yield* Effect.fork(HttpRetry.withRetry(client, { ...policy, observe }).get("http://api.test/"))
      yield* Effect.sleep("5 seconds")
      expect([isAborted(), seen.cancelled]).toEqual([false, false])
      yield* Fiber.interrupt(fiber)
      expect([isAborted(), seen.cancelled, seen.ended]).toEqual([true, true, false])
    }).pipe(world)
  )

  it.effect("answers with a response that comes at the very end of its attempt's time, its body unread", () =>
    Effect.gen(function* () {
      const { client, isAborted, seen } = throttledThen("1 second")
      const attemptTimeout = AttemptTimeout.constant("1 second")
      const response = yield* HttpRetry.withRetry(client, { ...policy, attemptTimeout }).get("http://api.test/")
      expect([response.status, isAborted(), seen.pulled]).toEqual([200, false, 0])
      expect((yield* response.arrayBuffer).byteLength).toBe(1_000)
    }).pipe(world)
  )

  it.effect("aborts a request whose response has not come by then", () =>
    Effect.gen(function* () {
      const { client, isAborted } = throttledThen("1001 millis")
      const attemptTimeout = AttemptTimeout.constant("1 second")
      const retried = HttpRetry.withRetry(client, { ...policy, attemptTimeout, maxAttempts: 3 })
      const error = yield* Effect.flip(retried.get("http://api.test/"))
      expect([isAborted(), String(error.cause)]).toEqual([true, "AttemptTimedOut: attempt 3 took longer than 1s"])
    }).pipe(world)
  )

  it.effect.each([
    ["that is still being read", {}, true, 500],
    // What is read adds nothing to a deadline.
    ["that is not in by then, under a deadline", { deadline: Deadline.refuse("1 minute") }, false, 100]
  ] as const)("answers a refused retry with the body of the last response: %s", ([, fields, expected, atMillis]) =>
    Effect.gen(function* () {
      const body = new TransformStream<Uint8Array, Uint8Array>()
      const writer = body.writable.getWriter()
      const client = HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body.readable, { status: 429 })))
      )
      const backoff = Backoff.constant({ delay: "100 millis" })
      const written = Effect.sync(() => {
        void writer.write(new TextEncoder().encode("slow down"))
        void writer.close()
      })
      yield* Effect.fork(Effect.delay(written, "500 millis"))
      const retried = HttpRetry.withRetry(client, { ...policy, ...fields, backoff, rateLimiter: granting(1) })
      const response = yield* retried.get("http://api.test/")
      expect([response.status, Duration.toMillis(yield* VirtualClock.now)]).toEqual([429, atMillis])
      expect(Exit.isSuccess(yield* Effect.exit(response.text))).toBe(expected)
    }).pipe(world)
  )

  /** Grants a retry, and not before two minutes. */
  const slow: TokenBucket.TokenBucket = {
    ...TokenBucket.unlimited,
    acquire: (request) => Effect.delay(TokenBucket.unlimited.acquire(request), request.attempt === 1 ? 0 : "2 minutes")
  }

  it.effect.each([
    ["a rate limiter that refuses", { rateLimiter: granting(1) }],
    ["a deadline that has passed meanwhile", { rateLimiter: slow, deadline: Deadline.refuse("1 minute") }]
  ] as const)("ends a refused retry with the outcome before it, as it came, after %s", ([, fields]) =>
    Effect.gen(function* () {
      const retried = HttpRetry.withRetry({ ...policy, ...fields })
      const throttled = Scripted.make({ status: 429, body: "slow down" }).client
      const response = yield* retried(throttled).get("http://api.test/")
      expect([response.status, yield* response.text]).toEqual([429, "slow down"])
      const refused = yield* Effect.flip(retried(HttpClient.filterStatusOk(throttled)).get("http://api.test/"))
      expect(refused).toMatchObject({ _tag: "ResponseError", reason: "StatusCode", response: { status: 429 } })
      expect(refused._tag === "ResponseError" && (yield* refused.response.text)).toBe("slow down")
      const broken = yield* Effect.flip(retried(Scripted.make(Faults.reset).client).get("http://api.test/"))
      expect(broken).toMatchObject({ _tag: "RequestError", cause: Faults.reset })
    }).pipe(world)
  )

  it.effect("answers a refused retry with no body of an earlier response", () =>
    Effect.gen(function* () {
      const { client } = Scripted.make({ status: 429, body: "slow down" }, { status: 503, body: "broken" })
      const retried = HttpRetry.withRetry(client, { ...policy, maxAttempts: 3, rateLimiter: granting(2) })
      const response = yield* retried.get("http://api.test/")
      expect([response.status, Exit.isFailure(yield* Effect.exit(response.text))]).toEqual([503, true])
    }).pipe(world)
  )

  it.effect("leaves the response inside an error of the client's own as it is", () =>
    Effect.gen(function* () {
      const { body, seen } = Scripted.watchedBody(1_000)
      let calls = 0
      const client = HttpClient.makeWith<
        never,
        never,
        { readonly response: HttpClientResponse.HttpClientResponse },
        never
      >(
        Effect.flatMap((request) => {
          const response = HttpClientResponse.fromWeb(request, new Response(calls === 0 ? body : null))
          return ++calls === 1 ? Effect.fail({ response }) : Effect.succeed(response)
        }),
        Effect.succeed
      )
      const opinion = (outcome: unknown) => (HttpClassifier.isResponse(outcome) ? Verdict.noOpinion : Verdict.transient)
      yield* HttpRetry.withRetry(client, { ...policy, opinion }).get("http://api.test/")
      expect([calls, seen.cancelled, seen.pulled]).toEqual([2, false, 0])
    }).pipe(world)
  )

  it.effect("reads nothing of an error without a response that the caller calls throttling", () =>
    Effect.gen(function* () {
      const { client } = Scripted.make(Faults.reset, 200)
      const opinion = (outcome: unknown) =>
        HttpClassifier.isResponse(outcome) ? Verdict.noOpinion : Verdict.throttling
      expect((yield* HttpRetry.withRetry(client, { ...policy, opinion }).get("http://api.test/")).status).toBe(200)
    }).pipe(world)
  )

  it.effect("reads on after a throttling answer while the operation succeeds", () =>
    Effect.gen(function* () {
      const seen = { cancelled: false }
      const body = new ReadableStream({
        pull: () => new Promise(() => undefined),
        cancel: () => {
          seen.cancelled = true
        }
      })
      const answers = [new Response(body, { status: 429 })]
      const client = HttpClient.make((request) =>
        Effect.sync(() => HttpClientResponse.fromWeb(request, answers.shift() ?? new Response(null)))
      )
      const quick = { ...policy, backoff: Backoff.constant({ delay: "100 millis" }) }
      expect((yield* HttpRetry.withRetry(client, quick).get("http://api.test/")).status).toBe(200)
      yield* Effect.sleep("100 millis")
      expect(seen.cancelled).toBe(false)
      yield* Effect.sleep("1 second")
      expect(seen.cancelled).toBe(true)
    }).pipe(world)
  )

  it.effect("reads on after the operation has succeeded, up to the bounds", () =>
    Effect.gen(function* () {
      const body = new TransformStream<Uint8Array, Uint8Array>()
      const writer = body.writable.getWriter()
      const answers = [new Response(body.readable, { status: 429 })]
      const client = HttpClient.make((request) =>
        Effect.sync(() => HttpClientResponse.fromWeb(request, answers.shift() ?? new Response(null)))
      )
      const quick = { ...policy, backoff: Backoff.constant({ delay: "100 millis" }) }
      const fiber = yield* Effect.fork(HttpRetry.withRetry(client, quick).get("http://api.test/"))
      expect((yield* Fiber.join(fiber)).status).toBe(200)
      yield* Effect.sleep("100 millis")
      // The writing end of a cancelled body fails.
      expect(yield* Effect.promise(() => writer.write(new Uint8Array(1)).then(() => "read", String))).toBe("read")
    }).pipe(world)
  )

  it.effect("leaves no observer at the fiber of an operation once a body is read", () =>
    Effect.withFiberRuntime<void, HttpClientError.HttpClientError>((fiber) =>
      Effect.gen(function* () {
        const left = new Set<unknown>()
        const added = vi.spyOn(fiber, "addObserver").mockImplementation((observer) => void left.add(observer))
        const removed = vi.spyOn(fiber, "removeObserver").mockImplementation((observer) => void left.delete(observer))
        const { client } = Scripted.make({ status: 429, body: "slow down" })
        yield* HttpRetry.withRetry(client, policy).get("http://api.test/")
        expect([added.mock.calls.length, left.size]).toEqual([1, 0])
        for (const spy of [added, removed]) spy.mockRestore()
      })
    ).pipe(world)
  )
})
