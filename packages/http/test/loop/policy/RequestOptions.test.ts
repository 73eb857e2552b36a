import { HttpClient, HttpClientRequest } from "@effect/platform"
import { AttemptTimeout, Backoff, Classifier, Deadline, Hint, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { HttpRetry, Idempotency, IdempotencyKey } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scripted from "../../support/ScriptedClient.ts"

const { make: scripted, world } = Scripted

const url = "http://api.example.com/things"

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

describe("HttpRetry.withOptions", () => {
  const fields: ReadonlyArray<readonly [string, HttpRetry.Options, steps: ReadonlyArray<Scripted.Step>, unknown]> = [
    ["backoff", { backoff: Backoff.constant({ delay: "5 seconds" }) }, [503, 200], [0, 5_000]],
    ["hint", { hint: Hint.ignore }, [{ status: 503, headers: { "retry-after": "7" } }, 200], [0, 1_000]],
    ["classifier", { classifier: Classifier.never }, [503], [0]],
    ["opinion", { opinion: () => Verdict.terminal("no") }, [503], [0]],
    ["attemptsByKind", { attemptsByKind: { Server: 2 } }, [503], [0, 1_000]],
    [
      "attemptTimeout",
      { attemptTimeout: AttemptTimeout.constant("1 second") },
      [{ status: 200, after: "1 minute" }, 200],
      [0, 2_000]
    ],
    ["deadline", { deadline: Deadline.refuse("1500 millis") }, [503], [0, 1_000]],
    ["bucket", { bucket: TokenBucket.empty }, [503], [0]],
    [
      "beforeRetry",
      { beforeRetry: (request) => Effect.delay(Effect.succeed(request), "3 seconds") },
      [503, 200],
      [0, 4_000]
    ]
  ]

  it.effect.each(fields)("takes a field of a policy for one request: %s", ([, options, steps, times]) =>
    Effect.gen(function* () {
      const { calls, client } = scripted(steps[0] ?? 200, ...steps.slice(1))
      yield* HttpRetry.withRetry(client, policy).get(url).pipe(HttpRetry.withOptions(options))
      expect(Scripted.times(calls)).toEqual(times)
    }).pipe(world)
  )

  it.effect("leaves the client's own policy as it is, for what is left out and for other requests", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const retried = HttpRetry.withRetry(client, { ...policy, attemptHeaders: HttpRetry.attemptNumber() })
      yield* HttpRetry.withOptions(retried.get(url), { maxAttempts: 2, backoff: undefined })
      yield* retried.get(url)
      expect(Scripted.times(calls)).toEqual([0, 1_000, 1_000, 2_000, 3_000])
      expect(Scripted.sent(calls, "x-retry-attempt")).toEqual(["1", "2", "1", "2", "3"])
    }).pipe(world)
  )

  it.effect("makes requests repeatable that the client's own rules do not", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const keyed = HttpRetry.withOptions({ idempotency: { ...Idempotency.standard, createKeyFor: ["POST"] } })
      yield* keyed(HttpRetry.withRetry(client, policy).post(url))
      expect(Scripted.sent(calls, "idempotency-key")).toEqual(["key-1", "key-1", "key-1"])
    }).pipe(Effect.provide(IdempotencyKey.layerSequence), world)
  )

  it.effect("reaches the client under every combinator, and holds for all requests of the effect", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const retried = client.pipe(
        HttpRetry.withRetry(policy),
        HttpClient.mapRequest(HttpClientRequest.setHeader("x-own", "1")),
        HttpClient.tap(() => Effect.void),
        HttpClient.transformResponse(Effect.interruptible)
      )
      const both = Effect.zip(retried.get(url), retried.get(url), { concurrent: true })
      yield* both.pipe(HttpRetry.withOptions({ maxAttempts: 1 }))
      expect(calls.length).toBe(2)
    }).pipe(world)
  )

  it.effect("adds to the options around it, and goes before them", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const outer = HttpRetry.withOptions({ maxAttempts: 4, backoff: Backoff.constant({ delay: "2 seconds" }) })
      const inner = HttpRetry.withOptions({ maxAttempts: 2 })
      const request = HttpRetry.withRetry(client, policy).get(url)
      yield* outer(Effect.zipRight(inner(request), request))
      expect(Scripted.times(calls)).toEqual([0, 2_000, 2_000, 4_000, 6_000, 8_000])
    }).pipe(world)
  )

  it.effect("is for the client that is asked, not for one underneath, nor for the requests of a hook", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const inner = HttpRetry.withRetry(client, { ...policy, maxAttempts: 2 })
      const outer = HttpRetry.withRetry(inner, { ...policy, maxAttempts: 2 })
      yield* outer.get(url).pipe(HttpRetry.withOptions({ maxAttempts: 3 }))
      expect(calls.length).toBe(6)
      const tokens = scripted(503)
      const hooked = HttpRetry.withRetry(client, {
        ...policy,
        beforeRetry: (request) => Effect.as(HttpRetry.withRetry(tokens.client, policy).get(url), request)
      })
      yield* hooked.get(url).pipe(HttpRetry.withOptions({ maxAttempts: 2 }))
      expect(tokens.calls.length).toBe(3)
    }).pipe(world)
  )

  it.effect("holds for clients that say why they gave up, and for readings inside the attempt", () =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 503, body: "a" }, { status: 503, body: "b" })
      const once = HttpRetry.withOptions({ maxAttempts: 1 })
      const stopped = yield* Effect.flip(once(HttpRetry.orStopped(client, policy).get(url)))
      expect([stopped.attempts, Retry.format(stopped.reason)]).toEqual([1, "the only attempt spent"])
      const read = HttpRetry.execute(
        HttpRetry.withRetry(client, policy),
        HttpClientRequest.get(url),
        ({ text }) => text
      )
      expect(yield* once(read)).toBe("b")
    }).pipe(world)
  )

  it.effect("says in a RequestError what a timeout or a deadline ended", () =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 200, after: "1 minute" })
      const get = HttpRetry.withRetry(client, policy).get(url)
      const timedOut = yield* Effect.flip(
        get.pipe(HttpRetry.withOptions({ maxAttempts: 1, attemptTimeout: AttemptTimeout.constant("1 second") }))
      )
      const cut = yield* Effect.flip(get.pipe(HttpRetry.withOptions({ deadline: Deadline.cut("1 second") })))
      expect([timedOut, cut].map(({ _tag, cause }) => [_tag, (cause as { readonly _tag: string })._tag])).toEqual([
        ["RequestError", "AttemptTimedOut"],
        ["RequestError", "DeadlineExceeded"]
      ])
    }).pipe(world)
  )

  it.effect("is read once", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const changing = { maxAttempts: 1 }
      const options = HttpRetry.withOptions(changing)
      changing.maxAttempts = 3
      yield* options(HttpRetry.withRetry(client, policy).get(url))
      expect(calls.length).toBe(1)
    }).pipe(world)
  )

  it("is checked at once, and refuses unknown fields", () => {
    const misspelt = { maxAttemps: 1 } as HttpRetry.Options
    const bad = { maxAttempts: 0 }
    expect(() => HttpRetry.withOptions(misspelt)).toThrow("HttpRetry.withOptions: maxAttemps must be absent")
    expect(() => HttpRetry.withOptions(bad)).toThrow("HttpRetry.withOptions: maxAttempts must be")
    expect(() => HttpRetry.withOptions(Effect.void, bad)).toThrow("HttpRetry.withOptions: maxAttempts must be")
    expect(() => HttpRetry.withOptions(undefined as never)).toThrow("HttpRetry.withOptions: policy must be a record")
  })
})
