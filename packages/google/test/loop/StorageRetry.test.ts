import { HttpBody, HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import type { Observe } from "@effect-retry/core"
import { StorageRetry } from "@effect-retry/google"
import { IdempotencyKey } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

/** How one request is answered: with a status, a response, or an error of the transport. */
type Step =
  | number
  | Error
  | { readonly status: number; readonly body: BodyInit; readonly headers?: Record<string, string> }

const scripted = (...steps: readonly [Step, ...ReadonlyArray<Step>]) => {
  const calls: Array<HttpClientRequest.HttpClientRequest> = []
  const client = HttpClient.make((request) => {
    calls.push(request)
    const step = steps[Math.min(calls.length, steps.length) - 1] ?? steps[0]
    if (step instanceof Error) {
      return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: step }))
    }
    const { body, headers, status } = typeof step === "number" ? { status: step, body: null, headers: {} } : step
    return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status, headers: headers ?? {} })))
  })
  return { calls, client }
}

const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" })

const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    VirtualClock.run,
    Effect.provide(SeededRandom.layerConstant(0.5)),
    Effect.provide(IdempotencyKey.layerSequence)
  )

const base = "https://storage.googleapis.com"
const insert = (parameters: Record<string, string> = {}) =>
  HttpClientRequest.post(`${base}/upload/storage/v1/b/photos/o`, {
    urlParams: { uploadType: "media", name: "cat", ...parameters },
    body: HttpBody.text("a cat")
  })

describe("StorageRetry.withRetry", () => {
  it.effect("repeats a write only with its precondition", () =>
    Effect.gen(function* () {
      const without = scripted(503, 200)
      const withIt = scripted(503, reset, 200)
      const one = yield* StorageRetry.withRetry(without.client).execute(insert())
      const two = yield* StorageRetry.withRetry(withIt.client).execute(insert({ ifGenerationMatch: "0" }))
      expect([one.status, without.calls.length]).toEqual([503, 1])
      expect([two.status, withIt.calls.length]).toEqual([200, 3])
    }).pipe(world)
  )

  it.effect("says to an operator why a write is not repeated", () =>
    Effect.gen(function* () {
      const events: Array<Observe.RetryEvent> = []
      const observe: ReadonlyArray<Observe.Observer> = [(event) => Effect.sync(() => events.push(event))]
      yield* StorageRetry.withRetry(scripted(503).client, { observe }).execute(insert())
      expect(events.map((event) => (event._tag === "GaveUp" ? event.reason : event._tag))).toEqual([
        "AttemptFailed",
        { _tag: "Terminal", why: "objects.insert without ifGenerationMatch" }
      ])
    }).pipe(world)
  )

  it.effect("names the operation and counts its attempts, with one token for all", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, reset, 200)
      const request = HttpClientRequest.setHeader(
        HttpClientRequest.get(`${base}/storage/v1/b`),
        "x-goog-api-client",
        "gl-node/20 gccl/1"
      )
      const storage = StorageRetry.withRetry(client)
      yield* storage.execute(request)
      yield* storage.execute(request)
      expect(
        calls.map(({ headers }) => [headers["x-goog-api-client"], headers["x-goog-gcs-idempotency-token"]])
      ).toEqual([
        ["gl-node/20 gccl/1 gccl-invocation-id/key-1 gccl-attempt-count/1", "key-1"],
        ["gl-node/20 gccl/1 gccl-invocation-id/key-1 gccl-attempt-count/2", "key-1"],
        ["gl-node/20 gccl/1 gccl-invocation-id/key-1 gccl-attempt-count/3", "key-1"],
        ["gl-node/20 gccl/1 gccl-invocation-id/key-2 gccl-attempt-count/1", "key-2"]
      ])
    }).pipe(world)
  )

  it.effect(
    "repeats after a 403 whose body says that the rate limit is exceeded, and leaves the body to the caller",
    () =>
      Effect.gen(function* () {
        const body = JSON.stringify({ error: { code: 403, errors: [{ reason: "userRateLimitExceeded" }] } })
        const { calls, client } = scripted({ status: 403, body, headers: { "content-type": "application/json" } })
        const response = yield* StorageRetry.withRetry(client).get(`${base}/storage/v1/b`)
        expect([response.status, calls.length]).toEqual([403, 6])
        expect(yield* response.text).toBe(body)
      }).pipe(world)
  )
})
