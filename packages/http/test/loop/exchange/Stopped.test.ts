import { HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { HttpClassifier, HttpRetry } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Data, Duration, Effect, Option } from "effect"
import * as Faults from "../../support/Faults.ts"
import * as Scripted from "../../support/ScriptedClient.ts"

const { make: scripted, world } = Scripted

const url = "http://api.test/"
const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }
const post = HttpClientRequest.post(url)
const resetFault = Faults.fetchFailed(Faults.reset)

const responseOf = (outcome: unknown): HttpClientResponse.HttpClientResponse => {
  if (!HttpClassifier.isResponse(outcome)) throw new Error("not a response")
  return outcome
}

describe("HttpRetry.orStopped", () => {
  it.effect("answers with what is not a failure", () =>
    Effect.gen(function* () {
      const { client } = scripted(503, 404)
      expect((yield* HttpRetry.orStopped(client, policy).get(url)).status).toBe(404)
    }).pipe(world)
  )

  it.effect.each([
    {
      of: "spent attempts",
      request: HttpClientRequest.get(url),
      steps: [503, resetFault, { status: 500, body: "broken" }],
      reason: "all attempts spent",
      attempts: 3,
      elapsed: 2000,
      delays: [1000, 1000, undefined]
    },
    {
      of: "a request that must not be repeated",
      request: post,
      steps: [{ status: 503, body: "busy" }],
      reason: "not retryable: POST without Idempotency-Key",
      attempts: 1,
      elapsed: 0,
      delays: [undefined]
    },
    {
      of: "a status that is not retryable",
      request: HttpClientRequest.get(url),
      steps: [503, { status: 501, body: "never" }],
      reason: "not retryable: status 501",
      attempts: 2,
      elapsed: 1000,
      delays: [1000, undefined]
    },
    {
      of: "a hint that is too long",
      request: HttpClientRequest.get(url),
      steps: [{ status: 503, headers: { "retry-after": "61" }, body: "later" }],
      reason: "the server asked for 1m 1s, more than the policy waits",
      attempts: 1,
      elapsed: 0,
      delays: [undefined]
    }
  ] as const)(
    "fails with the last response beside the reason: $of",
    ({ attempts, delays, elapsed, reason, ...given }) =>
      Effect.gen(function* () {
        const { client } = scripted(given.steps[0], ...given.steps.slice(1))
        const stopped = yield* Effect.flip(HttpRetry.orStopped(client, policy).execute(given.request))
        const last = given.steps.at(-1)
        const response = responseOf(stopped.error)
        expect(stopped._tag).toBe("RetryStopped")
        expect([Retry.format(stopped.reason), stopped.attempts]).toEqual([reason, attempts])
        expect(Duration.toMillis(stopped.elapsed)).toBe(elapsed)
        expect([response.status, yield* response.text]).toEqual(
          typeof last === "object" && "status" in last ? [last.status, "body" in last ? last.body : ""] : []
        )
        const { history } = stopped
        expect(history.map(({ attempt }) => attempt)).toEqual(delays.map((_, index) => index + 1))
        expect(history.map(({ delay }) => Option.getOrUndefined(Option.map(delay, Duration.toMillis)))).toEqual(delays)
        expect(history.at(-1)?.error).toBe(stopped.error)
      }).pipe(world)
  )

  it.effect("fails with the last error beside the reason, and keeps the outcomes before it", () =>
    Effect.gen(function* () {
      const { client } = scripted(503, resetFault, resetFault)
      const stopped = yield* Effect.flip(HttpRetry.orStopped(client, policy).get(url))
      expect([Retry.format(stopped.reason), stopped.attempts]).toEqual(["all attempts spent", 3])
      expect(stopped.error).toMatchObject({ _tag: "RequestError", cause: resetFault })
      expect(
        stopped.history.map(({ error }) => (HttpClassifier.isResponse(error) ? error.status : error._tag))
      ).toEqual([503, "RequestError", "RequestError"])
    }).pipe(world)
  )

  it.effect.each([
    ["a response", Scripted.make(503).client.get(url)],
    ["no response", Effect.succeed("none")]
  ] as const)("has an error of the client as it came, even that of a retry that rejected %s", ([, rejecting]) =>
    Effect.gen(function* () {
      const own = new Retry.ResultRejected({ result: yield* rejecting })
      const failing = HttpClient.transformResponse(scripted(200).client, Effect.zipRight(Effect.fail(own)))
      const shown = HttpClassifier.isResponse(own.result) ? own.result : own
      const previous: Array<unknown> = []
      const beforeRetry = (request: HttpClientRequest.HttpClientRequest, attempt: HttpRetry.Attempt) => {
        previous.push(Option.getOrUndefined(attempt.previous)?.outcome)
        return Effect.succeed(request)
      }
      const opinion = () => Verdict.transient
      for (const bounds of [{}, { attemptTimeout: AttemptTimeout.constant("1 minute") }]) {
        const twice = { ...policy, ...bounds, beforeRetry, maxAttempts: 2, opinion }
        const stopped = yield* Effect.flip(HttpRetry.orStopped(failing, twice).get(url))
        expect(stopped).toMatchObject({ _tag: "RetryStopped", attempts: 2 })
        const { error, history } = stopped as Retry.RetryStopped<unknown>
        expect(error).toBe(own)
        expect(history.map(({ error }) => error)).toEqual([shown, shown])
      }
      expect(previous).toEqual([own, own])
    }).pipe(world)
  )

  it.effect("has a data-first and a data-last form, with and without a policy", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const clients = [
        HttpRetry.orStopped(client, HttpRetry.standard),
        client.pipe(HttpRetry.orStopped(HttpRetry.standard)),
        HttpRetry.orStopped(client, { maxAttempts: 5 }),
        client.pipe(HttpRetry.orStopped({ maxAttempts: 5 }))
      ]
      const counts: Array<number> = []
      for (const stopping of clients) {
        const { attempts } = yield* Effect.flip(stopping.get(url))
        counts.push(attempts, calls.splice(0).length)
      }
      expect(counts).toEqual([3, 3, 3, 3, 5, 5, 5, 5])
    }).pipe(world)
  )

  it("names itself when a policy has a bad value, or when a client is not one", () => {
    const { client } = scripted(200)
    const orStopped = HttpRetry.orStopped as (...args: ReadonlyArray<unknown>) => unknown
    expect(() => orStopped(HttpClient.HttpClient, policy)).toThrow("HttpRetry.orStopped: client must be made by")
    expect(() => HttpRetry.orStopped(client, { maxAttempts: 0 })).toThrow("HttpRetry.orStopped: maxAttempts must be")
  })

  it.effect("counts a request that could not be prepared as stopped after no attempt", () =>
    Effect.gen(function* () {
      class Expired extends Data.TaggedError("Expired") {}
      const { calls, client } = scripted(200)
      const stopped = yield* client
        .pipe(
          HttpClient.mapRequestEffect(() => Effect.fail(new Expired())),
          HttpRetry.orStopped(policy)
        )
        .get(url)
        .pipe(Effect.flip)
      expect([Retry.format(stopped.reason), stopped.attempts, calls.length]).toEqual([
        "not retryable: the request could not be prepared",
        0,
        0
      ])
      expect(stopped.error).toBeInstanceOf(Expired)
      expect([stopped.history, stopped.delay, stopped.elapsed]).toEqual([[], Option.none(), Duration.zero])
    }).pipe(world)
  )

  it.effect.each([
    ["a timeout", { attemptTimeout: AttemptTimeout.constant("1 second") }, "AttemptTimedOut", "all attempts spent"],
    [
      "a cut deadline",
      { deadline: Deadline.cut("2 seconds") },
      "DeadlineExceeded",
      "the deadline of 2s would pass or has passed"
    ]
  ] as const)("has the policy's own errors as the cause of a RequestError: %s", ([, bounds, cause, reason]) =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 200, after: "1 hour" })
      const stopped = yield* Effect.flip(HttpRetry.orStopped(client, { ...policy, ...bounds }).get(url))
      expect([stopped.error, Retry.format(stopped.reason)]).toMatchObject([
        { _tag: "RequestError", cause: { _tag: cause } },
        reason
      ])
      expect(stopped.history.map(({ error }) => error)).toMatchObject(
        stopped.history.map(() => ({ _tag: "RequestError", cause: { _tag: cause } }))
      )
    }).pipe(world)
  )

  it.effect("has the tokens that are left in a bucket that refused", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 14 })
      const { client } = scripted(503)
      const stopped = yield* Effect.flip(HttpRetry.orStopped(client, { ...policy, bucket }).get(url))
      expect([stopped.reason._tag, stopped.attempts, yield* stopped.level]).toEqual(["BucketEmpty", 2, Option.some(0)])
      expect(responseOf(stopped.error).status).toBe(503)
    }).pipe(world)
  )

  it.effect("has a response that can be read when the next attempt was refused after the wait", () =>
    Effect.gen(function* () {
      const rateLimiter = yield* RateLimiter.fixed({ rate: 0.001, burst: 1 })
      const { client } = scripted({ status: 429, body: "slow down" })
      const deadline = Deadline.refuse("1 minute")
      const stopping = HttpRetry.orStopped(client, { ...policy, deadline, rateLimiter })
      const stopped = yield* Effect.flip(stopping.get(url))
      const response = responseOf(stopped.error)
      expect([stopped.reason._tag, response.status, yield* response.text]).toEqual([
        "RateLimiterRefused",
        429,
        "slow down"
      ])
    }).pipe(world)
  )

  it.effect("has the refusal of a first attempt", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(200)
      const stopping = HttpRetry.orStopped(client, { ...policy, rateLimiter: TokenBucket.empty })
      const stopped = yield* Effect.flip(stopping.get(url))
      expect([stopped.reason._tag, stopped.attempts, calls.length]).toEqual(["RateLimiterRefused", 0, 0])
      expect(stopped.error).toMatchObject({ _tag: "RequestError", cause: { _tag: "AttemptRefused" } })
    }).pipe(world)
  )

  it.effect("prints neither the body of the response nor the query of the URL as its cause", () =>
    Effect.gen(function* () {
      const answered = scripted({
        status: 503,
        body: '{"card":"4111"}',
        headers: { "content-type": "application/json" }
      })
      const broken = scripted(resetFault)
      for (const { client } of [answered, broken]) {
        const failing = HttpRetry.orStopped(client, policy).get("http://user:word@api.test/?key=secret")
        const cause = yield* Effect.map(Effect.sandbox(failing), () => Cause.empty).pipe(Effect.merge)
        expect(Cause.pretty(cause, { renderErrorCause: true })).toMatch(/^(?![^]*(4111|secret|word))[^]*all attempts/)
      }
    }).pipe(world)
  )

  it.effect.each([
    ["all of it before a response", [200], "quoting a body"],
    ["nothing after one, whose body it may quote", [503, 200], ""]
  ] as const)("prints of what an error of the client's own says: %s", ([, steps, message]) =>
    Effect.gen(function* () {
      const { client } = scripted(steps[0], ...steps.slice(1))
      const failing = HttpClient.transformResponse(
        client,
        Effect.flatMap((response) =>
          response.status === 503 ? Effect.succeed(response) : Effect.fail(new Error("quoting a body"))
        )
      )
      const { cause, history } = yield* Effect.flip(HttpRetry.orStopped(failing, policy).get(url))
      expect([cause?.message, history.at(-1)?.cause?.message]).toEqual([message, message])
    }).pipe(world)
  )

  it.effect("prints an error as its cause, and nothing of a response", () =>
    Effect.gen(function* () {
      const causes = yield* Effect.forEach([scripted(resetFault), scripted(503)], ({ client }) =>
        Effect.map(Effect.flip(HttpRetry.orStopped(client, policy).get(url)), ({ cause }) => cause)
      )
      expect(causes).toMatchObject([{ name: "RequestError" }, { message: "", cause: undefined }])
    }).pipe(world)
  )
})

describe("HttpRetry.orStopped in a pipeline", () => {
  it.effect("judges the errors of filterStatusOk before it, and has the last one", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 404)
      const filtered = client.pipe(HttpClient.filterStatusOk, HttpRetry.orStopped(policy))
      const stopped = yield* Effect.flip(filtered.get(url))
      expect([Retry.format(stopped.reason), calls.length]).toEqual(["not retryable: status 404", 2])
      expect(stopped.error).toMatchObject({ _tag: "ResponseError", reason: "StatusCode", response: { status: 404 } })
    }).pipe(world)
  )

  it.effect("leaves to filterStatusOk after it what was answered", () =>
    Effect.gen(function* () {
      const { client } = scripted(404, 503)
      const filtered = client.pipe(HttpRetry.orStopped(policy), HttpClient.filterStatusOk)
      const refused = yield* Effect.flip(filtered.get(url))
      expect(refused).toMatchObject({ _tag: "ResponseError", reason: "StatusCode", response: { status: 404 } })
      const stopped = yield* Effect.flip(filtered.get(url))
      expect(stopped).toMatchObject({ _tag: "RetryStopped", error: { status: 503 } })
    }).pipe(world)
  )

  it.effect("can be caught inside the client", () =>
    Effect.gen(function* () {
      const { client } = scripted(503)
      const other = scripted({ status: 200, body: "kept" })
      const falling = client.pipe(
        HttpRetry.orStopped(policy),
        HttpClient.catchTag("RetryStopped", () => other.client.get(url))
      )
      expect(yield* Effect.flatMap(falling.get(url), ({ text }) => text)).toBe("kept")
    }).pipe(world)
  )

  it.effect("leaves the last response to the scope of withScope after it", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const scoped = HttpClient.withScope(HttpRetry.orStopped(client, policy))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const stopped = yield* Effect.flip(scoped.get(url))
          expect(responseOf(stopped.error).status).toBe(503)
          expect(calls[2]?.signal.aborted).toBe(false)
        })
      )
      expect(calls[2]?.signal.aborted).toBe(true)
    }).pipe(world)
  )

  it.effect("releases the responses before the last one, and leaves that to the caller", () =>
    Effect.gen(function* () {
      const bodies = Array.from({ length: 3 }, () => Scripted.watchedBody(100_000))
      const steps = bodies.map(({ body }) => ({ status: 503, body }))
      const { client } = scripted(steps[0]!, ...steps.slice(1))
      const stopped = yield* Effect.flip(HttpRetry.orStopped(client, policy).get(url))
      expect(bodies.map(({ seen }) => seen.cancelled)).toEqual([true, true, false])
      expect((yield* responseOf(stopped.error).arrayBuffer).byteLength).toBe(100_000)
    }).pipe(world)
  )

  it.effect("releases a response when a cut deadline ends the operation", () =>
    Effect.gen(function* () {
      const { body, seen } = Scripted.watchedBody(100_000)
      const { client } = scripted({ status: 503, body })
      const stopping = HttpRetry.orStopped(client, { ...policy, deadline: Deadline.cut("500 millis") })
      const stopped = yield* Effect.flip(stopping.get(url))
      expect(stopped.error).toMatchObject({ _tag: "RequestError", cause: { _tag: "DeadlineExceeded" } })
      expect([seen.cancelled, Duration.toMillis(yield* VirtualClock.now)]).toEqual([true, 500])
    }).pipe(world)
  )
})
