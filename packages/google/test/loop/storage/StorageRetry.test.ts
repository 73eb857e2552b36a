import { HttpBody, HttpClient, HttpClientError, HttpClientRequest } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Hint, Observe, Retry, TokenBucket } from "@effect-retry/core"
import { StorageChoices, StorageIdempotency, StorageRetry } from "@effect-retry/google"
import { HttpRetry, Idempotency } from "@effect-retry/http"
import { reasonOf } from "@effect-retry/http/unstable/ClientLine"
import { VirtualClock } from "@effect-retry/testing"
import { assertType, describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Context, Duration, Effect, Logger, Option } from "effect"
import * as Scripted from "../../support/ScriptedClient.ts"

const { json, make: scripted, refused, reset, world } = Scripted

const base = "https://storage.googleapis.com"
const bucket = `${base}/storage/v1/b/photos`
const insert = (parameters: Record<string, string> = {}) =>
  HttpClientRequest.post(`${base}/upload/storage/v1/b/photos/o`, {
    urlParams: { uploadType: "media", name: "cat", ...parameters },
    body: HttpBody.text("a cat")
  })

/** What gave up, and what it says of it. */
const reasons = () => {
  const said: Array<string> = []
  const observe: ReadonlyArray<Observe.Observer> = [
    (event) =>
      Effect.sync(() => {
        if (event._tag === "GaveUp") said.push(Retry.format(event.reason))
      })
  ]
  return { observe, said }
}

describe("StorageRetry.withRetry", () => {
  it.effect("repeats a write only with its precondition", () =>
    Effect.gen(function* () {
      const without = scripted(503, 200)
      const withIt = scripted(503, reset, 200)
      const one = yield* StorageRetry.withRetry(without.client, StorageRetry.standard).execute(insert())
      const two = yield* StorageRetry.withRetry(withIt.client, StorageRetry.standard).execute(
        insert({ ifGenerationMatch: "0" })
      )
      expect([one.status, without.calls.length]).toEqual([503, 1])
      expect([two.status, withIt.calls.length]).toEqual([200, 3])
    }).pipe(world)
  )

  it.effect.each([
    [insert(), "not retryable: objects.insert without ifGenerationMatch"],
    [insert({ ifGenerationMatch: "0" }), "all attempts spent"],
    [HttpClientRequest.post(`${bucket}/acl`), "not retryable: bucket_acl.insert may never be repeated"],
    [HttpClientRequest.put(`${base}/photos/cat`), "not retryable: objects.insert without ifGenerationMatch"],
    [HttpClientRequest.put(`${base}/photos/cat?acl`), "not retryable: PUT calls no known operation of Cloud Storage"],
    [HttpClientRequest.get(bucket), "all attempts spent"]
  ] as const)("says why it gave up: %#", ([request, why]) =>
    Effect.gen(function* () {
      const { observe, said } = reasons()
      for (const step of [503, reset]) {
        yield* Effect.exit(StorageRetry.withRetry(scripted(step).client, { observe }).execute(request))
      }
      expect(said).toEqual([why, why])
    }).pipe(world)
  )

  it.effect("writes the reason into the log of an operator", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      yield* StorageRetry.withRetry(scripted(503).client, { name: "upload", observe: [Observe.logs()] })
        .execute(insert())
        .pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      expect(lines.join("\n")).toContain("not retryable: objects.insert without ifGenerationMatch")
      expect(lines.join("\n")).not.toContain("cat")
    }).pipe(world)
  )

  it.effect("shows observers the reason that the error body gives", () =>
    Effect.gen(function* () {
      const shown: Array<unknown> = []
      const observer: Observe.Observer = (event) =>
        Effect.sync(() => {
          const { attributes, outcome } = event.details()
          if (event._tag === "GaveUp")
            shown.push([outcome, attributes["error.type"], attributes["http.request.method"]])
        })
      const { client } = scripted(json(403, rateLimited))
      yield* StorageRetry.withRetry(client, { maxAttempts: 1, observe: [observer] }).get(bucket)
      expect(shown).toEqual([["403 userRateLimitExceeded", "userRateLimitExceeded", "GET"]])
    }).pipe(world)
  )

  it.effect.each([
    ["always", StorageIdempotency.always, 200, 3],
    ["conditional", StorageIdempotency.standard, 503, 1],
    ["never", StorageIdempotency.never, 503, 1],
    ["as Python since 3.0", StorageChoices.python, 200, 3],
    ["as Python before", StorageChoices.python2, 503, 1]
  ] as const)("follows the idempotency of its policy: %s", ([, idempotency, status, sent]) =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 429, 200)
      const response = yield* StorageRetry.withRetry(client, { idempotency }).execute(insert())
      expect([response.status, calls.length]).toEqual([status, sent])
    }).pipe(world)
  )

  it.effect("sends again what was not sent, and with the strategy never not even that", () =>
    Effect.gen(function* () {
      const [one, two] = [scripted(refused, 200), scripted(refused, 200)]
      yield* StorageRetry.withRetry(one.client, StorageRetry.standard).execute(insert())
      yield* Effect.exit(
        StorageRetry.withRetry(two.client, { idempotency: StorageIdempotency.never }).execute(insert())
      )
      expect([one.calls.length, two.calls.length]).toEqual([2, 1])
    }).pipe(world)
  )

  it.effect("takes the caller's word for a request", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 200)
      yield* StorageRetry.withRetry(client, StorageRetry.standard)
        .execute(insert())
        .pipe(Idempotency.declared("each name is used once"))
      expect(calls.length).toBe(2)
    }).pipe(world)
  )

  it.effect("makes six attempts, and waits first one second, then twice as long each time", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const failing = HttpClient.tapRequest(scripted(503).client, () => Effect.void)
      const timed = HttpClient.transformResponse(failing, (sent) =>
        Effect.zipRight(
          Effect.map(VirtualClock.now, (now) => times.push(Duration.toMillis(now))),
          sent
        )
      )
      yield* StorageRetry.withRetry(timed, StorageRetry.standard).get(bucket)
      expect(times).toEqual([0, 500, 1500, 3500, 7500, 15_500])
    }).pipe(world)
  )

  it.effect("takes what a policy leaves out from its own standard", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      yield* StorageRetry.withRetry(client, { maxAttempts: undefined, hint: undefined }).get(bucket)
      yield* StorageRetry.withRetry(client, { maxAttempts: 2 }).get(bucket)
      yield* StorageRetry.withRetry(client, {}).get(bucket)
      expect(calls.length).toBe(6 + 2 + 6)
    }).pipe(world)
  )
})

const clientHeader = "x-goog-api-client"

describe("StorageRetry.withRetry headers", () => {
  const sent = (calls: ReadonlyArray<HttpClientRequest.HttpClientRequest>) =>
    calls.map(({ headers }) => [headers[clientHeader], headers["x-goog-gcs-idempotency-token"]])

  it.effect("name the operation and count its attempts, with one token for all", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, reset, 200)
      const storage = StorageRetry.withRetry(client, StorageRetry.standard)
      yield* storage.get(bucket)
      yield* storage.get(bucket)
      expect(sent(calls)).toEqual([
        ["gccl-invocation-id/key-1 gccl-attempt-count/1", "key-1"],
        ["gccl-invocation-id/key-1 gccl-attempt-count/2", "key-1"],
        ["gccl-invocation-id/key-1 gccl-attempt-count/3", "key-1"],
        ["gccl-invocation-id/key-2 gccl-attempt-count/1", "key-2"]
      ])
    }).pipe(world)
  )

  it.effect("are those of an operation for each run of its effect", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(200)
      const get = StorageRetry.withRetry(client, StorageRetry.standard).get(bucket)
      yield* get
      yield* get
      expect(sent(calls).map(([, token]) => token)).toEqual(["key-1", "key-2"])
    }).pipe(world)
  )

  it.effect("are added to those that the caller has set", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 200)
      const headers = { [clientHeader]: " gl-node/20.19.0  gccl/1.0.0 ", "x-goog-gcs-idempotency-token": "own" }
      yield* StorageRetry.withRetry(client, StorageRetry.standard).get(bucket, { headers })
      yield* StorageRetry.withRetry(client, StorageRetry.standard).get(bucket, {
        headers: { [clientHeader]: "gccl-invocation-id/mine gccl-attempt-count/7", "x-goog-gcs-idempotency-token": " " }
      })
      expect(sent(calls)).toEqual([
        ["gl-node/20.19.0 gccl/1.0.0 gccl-invocation-id/key-1 gccl-attempt-count/1", "own"],
        ["gl-node/20.19.0 gccl/1.0.0 gccl-invocation-id/key-1 gccl-attempt-count/2", "own"],
        ["gccl-invocation-id/mine gccl-attempt-count/1", "key-2"]
      ])
    }).pipe(world)
  )

  it.effect("go with what the caller's hook and attempt headers change", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 503, 200)
      yield* StorageRetry.withRetry(client, {
        attemptHeaders: ({ number }) => ({ "x-number": String(number), "x-goog-gcs-idempotency-token": "other" }),
        beforeRetry: (request, { number }) =>
          Effect.succeed(HttpClientRequest.setHeader(request, "x-hook", String(number)))
      }).get(bucket)
      expect(calls.map(({ headers }) => [headers["x-number"], headers["x-hook"]])).toEqual([
        ["1", undefined],
        ["2", "2"],
        ["3", "3"]
      ])
      expect(sent(calls).at(-1)).toEqual(["gccl-invocation-id/key-1 gccl-attempt-count/3", "key-1"])
    }).pipe(world)
  )

  it.effect("count the attempts of a request with a beforeRetry of its own", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 503, 200)
      const got = StorageRetry.withRetry(client, StorageRetry.standard).get(bucket)
      yield* HttpRetry.withOptions(got, { beforeRetry: (request) => Effect.succeed(request) })
      expect(sent(calls).map(([client]) => client?.slice(-1))).toEqual(["1", "2", "3"])
    }).pipe(world)
  )

  it.effect("refuse a hook that answers no effect", () =>
    Effect.gen(function* () {
      const { client } = scripted(503, 200)
      const beforeRetry = (() => "request") as never
      const got = Effect.catchAllDefect(StorageRetry.withRetry(client, { beforeRetry }).get(bucket), Effect.fail)
      expect(String(yield* Effect.flip(got))).toContain(
        'beforeRetry must be a function that returns an effect of a request, got "string"'
      )
    }).pipe(world)
  )

  it.effect("count an attempt that ran into its timeout", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ status: 200, after: "2 seconds" }, 200)
      const attemptTimeout = AttemptTimeout.constant("1 second")
      yield* StorageRetry.withRetry(client, { attemptTimeout }).get(bucket)
      expect(sent(calls).map(([client]) => client?.slice(-1))).toEqual(["1", "2"])
    }).pipe(world)
  )

  it.effect("leave the credentials of the request as they are", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 200)
      yield* StorageRetry.withRetry(client, StorageRetry.standard).get(bucket, {
        headers: { authorization: "Bearer t" }
      })
      expect(calls.map(({ headers }) => headers["authorization"])).toEqual(["Bearer t", "Bearer t"])
    }).pipe(world)
  )
})

const rateLimited = { error: { code: 403, errors: [{ domain: "usageLimits", reason: "userRateLimitExceeded" }] } }
const forbidden = { error: { code: 403, errors: [{ domain: "global", reason: "forbidden" }] } }
const throttled = {
  error: { code: 429, details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "20s" }] }
}

describe("StorageRetry.withRetry error bodies", () => {
  it.effect.each([
    [json(403, rateLimited), 6, "all attempts spent"],
    [json(403, forbidden), 1, undefined],
    [{ ...json(403, rateLimited), headers: { "content-type": "text/html" } }, 1, undefined],
    [json(403, rateLimited, { "content-type": "application/problem+json" }), 6, "all attempts spent"],
    [{ ...json(403, rateLimited), body: "{" }, 1, undefined]
  ] as const)("decide what a 403 means, and stay readable: %#", ([answer, sent, why]) =>
    Effect.gen(function* () {
      const { calls, client } = scripted(answer)
      const { observe, said } = reasons()
      const response = yield* StorageRetry.withRetry(client, { observe }).get(bucket)
      expect([response.status, calls.length, said[0]]).toEqual([403, sent, why])
      expect(yield* response.text).toBe(answer.body)
    }).pipe(world)
  )

  it.effect("decide even when the client underneath turns the status into an error", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(json(403, rateLimited))
      const error = yield* Effect.flip(
        StorageRetry.withRetry(HttpClient.filterStatusOk(client), StorageRetry.standard).get(bucket)
      )
      expect(calls.length).toBe(6)
      expect(error).toBeInstanceOf(HttpClientError.ResponseError)
      if (!(error instanceof HttpClientError.ResponseError)) return
      expect([reasonOf(error), error.response.status]).toEqual(["StatusCode", 403])
      expect(yield* error.response.json).toEqual(rateLimited)
    }).pipe(world)
  )

  it.effect.each([
    [StorageRetry.standard.hint, 21_000],
    [Hint.override({ atMost: "1 minute", otherwise: "giveUp" }), 20_000],
    [Hint.ignore, 500]
  ] as const)("say how long to wait, by the rule of the policy: %#", ([hint, millis]) =>
    Effect.gen(function* () {
      const { client } = scripted(json(429, throttled), 200)
      const waits: Array<number> = []
      const observe: ReadonlyArray<Observe.Observer> = [
        (event) =>
          Effect.sync(() => {
            if (event._tag === "RetryScheduled") waits.push(Duration.toMillis(event.delay))
          })
      ]
      yield* StorageRetry.withRetry(client, { observe, hint }).get(bucket)
      expect(waits).toEqual([millis])
    }).pipe(world)
  )
})

class MyBucket extends Context.Tag("test/MyBucket")<MyBucket, TokenBucket.TokenBucket>() {}

describe("StorageRetry.withRetry types", () => {
  const { client } = scripted(200)
  const own = client as HttpClient.HttpClient.With<unknown, unknown> as HttpClient.HttpClient.With<"own", "service">

  it("are those of HttpRetry.withRetry", () => {
    assertType<ReadonlyArray<() => HttpClient.HttpClient>>([
      () => StorageRetry.withRetry(client, StorageRetry.standard),
      () => client.pipe(StorageRetry.withRetry(StorageRetry.standard)),
      () => client.pipe((client) => StorageRetry.withRetry(client, StorageRetry.standard)),
      () => client.pipe(StorageRetry.withRetry({ ...StorageRetry.standard, maxAttempts: 3 })),
      () => StorageRetry.withRetry(client, { ...StorageRetry.standard, deadline: Deadline.cut("1 minute") }),
      () =>
        client.pipe(
          StorageRetry.withRetry({ opinion: (outcome) => (assertType<unknown>(outcome), undefined as never) })
        )
    ])
    expectTypeOf(() =>
      StorageRetry.withRetry(own, { ...StorageRetry.standard, bucket: MyBucket })
    ).returns.toEqualTypeOf<HttpClient.HttpClient.With<"own" | HttpClientError.RequestError, "service" | MyBucket>>()
    // @ts-expect-error - a policy has no such field
    expect(() => StorageRetry.withRetry(client, { maxRetries: 3 })).toThrow(
      "StorageRetry.withRetry: maxRetries must be absent (did you mean maxAttempts, which counts the first attempt too?), got 3"
    )
  })

  it("refuses in its own name what they cannot exclude", () => {
    const refusing = (policy: unknown) => () => StorageRetry.withRetry(client, policy as { maxAttempts: number })
    expect(refusing({ maxAttempts: 0 })).toThrow("StorageRetry.withRetry: maxAttempts must be")
    expect(refusing({ beforeRetry: true })).toThrow("StorageRetry.withRetry: beforeRetry must be a function, got true")
    expect(refusing({ idempotency: { ...StorageIdempotency.standard, rule: true } })).toThrow(
      "StorageRetry.withRetry: rule must be a function of a request, got true"
    )
    expect(refusing(null)).toThrow(
      "StorageRetry.withRetry: policy must be a record of fields, such as StorageRetry.standard, got null"
    )
    expect(() => StorageRetry.withRetry("client" as never, {})).toThrow(
      "StorageRetry.withRetry: client must be made by HttpClient.make or HttpClient.makeWith"
    )
    expect(() => StorageRetry.orStopped(client, { maxAttempts: 0 })).toThrow("StorageRetry.orStopped: maxAttempts")
  })
})

describe("StorageRetry.orStopped", () => {
  it.effect("fails with the reason, and the response in it", () =>
    Effect.gen(function* () {
      const storage = StorageRetry.orStopped(scripted(json(503, forbidden)).client, { maxAttempts: 2 })
      const stopped = yield* Effect.flip(storage.execute(insert()))
      expect(stopped.reason).toEqual({ _tag: "Terminal", why: "objects.insert without ifGenerationMatch" })
      expect(Option.map(Option.some(stopped), ({ attempts }) => attempts)).toEqual(Option.some(1))
      const spent = yield* Effect.flip(storage.get(bucket))
      expect([spent.reason._tag, spent.attempts]).toEqual(["AttemptsSpent", 2])
    }).pipe(world)
  )
})

describe("StorageRetry with what HttpRetry offers", () => {
  it.effect("takes the options of a request", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const storage = StorageRetry.withRetry(client, StorageRetry.standard)
      yield* storage.get(bucket).pipe(HttpRetry.withOptions({ maxAttempts: 1 }))
      expect(calls.length).toBe(1)
      yield* storage
        .execute(insert())
        .pipe(
          HttpRetry.withOptions({ idempotency: StorageIdempotency.always, backoff: Backoff.constant({ delay: 0 }) })
        )
      expect(calls.length).toBe(1 + 6)
    }).pipe(world)
  )

  it.effect("reads inside the attempt", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(
        { status: 200, body: new ReadableStream({ pull: (c) => c.error(reset) }) },
        json(200, 7)
      )
      const read = HttpRetry.execute(
        StorageRetry.withRetry(client, StorageRetry.standard),
        HttpClientRequest.get(bucket),
        (response) => response.json
      )
      expect([yield* read, calls.length]).toEqual([7, 2])
    }).pipe(world)
  )
})
