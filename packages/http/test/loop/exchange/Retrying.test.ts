/**
 * Attempts that take their time: what bounds them, and what the loop knows of the first one.
 */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as Scripted from "../../support/ScriptedClient.ts"

const { make: scripted, world } = Scripted

const url = "http://api.test/"
const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

describe("HttpRetry.withRetry in time", () => {
  it.effect.each([
    ["no bound", {}],
    ["observers", { observe: [() => Effect.void] }]
  ] as const)("waits for an answer for as long as it takes, with %s", ([, fields]) =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 200, after: "30 days" })
      expect((yield* HttpRetry.withRetry(client, { ...policy, ...fields }).get(url)).status).toBe(200)
    }).pipe(world)
  )

  it.effect.each([
    { deadline: Deadline.refuse("1 minute"), within: "2 seconds", ends: 2000, cause: "AttemptTimedOut" },
    { deadline: Deadline.cut("1 minute"), within: "2 seconds", ends: 2000, cause: "AttemptTimedOut" },
    { deadline: Deadline.refuse("1 second"), within: "2 seconds", ends: 1000, cause: "AttemptTimedOut" },
    { deadline: Deadline.cut("1 second"), within: "2 seconds", ends: 1000, cause: "DeadlineExceeded" },
    { deadline: Deadline.refuse("1 second"), within: undefined, ends: 1000, cause: "AttemptTimedOut" },
    { deadline: Deadline.cut("1 second"), within: undefined, ends: 1000, cause: "DeadlineExceeded" }
  ] as const)("ends an attempt by whatever is first: %j", ({ cause, deadline, ends, within }) =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 200, after: "1 hour" })
      const attemptTimeout = within && { attemptTimeout: AttemptTimeout.constant(within) }
      const bounded = HttpRetry.withRetry(client, { ...policy, ...attemptTimeout, deadline, maxAttempts: 1 })
      expect(yield* Effect.flip(bounded.get(url))).toMatchObject({ _tag: "RequestError", cause: { _tag: cause } })
      expect(yield* nowMillis).toBe(ends)
    }).pipe(world)
  )

  const tooSlow = AttemptTimeout.judged(AttemptTimeout.constant("2 seconds"), Verdict.terminal("too slow"))

  it.effect.each([
    ["GET", AttemptTimeout.constant("2 seconds"), "all attempts spent"],
    ["POST", AttemptTimeout.constant("2 seconds"), "not retryable: POST without Idempotency-Key"],
    ["GET", tooSlow, "not retryable: too slow"],
    ["POST", tooSlow, "not retryable: too slow"]
  ] as const)("says why it does not send a %s again that timed out: %#", ([method, attemptTimeout, why]) =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 200, after: "1 hour" })
      const { observe, reasons } = Scripted.gaveUp()
      const bounded = HttpRetry.withRetry(client, { ...policy, attemptTimeout, observe })
      yield* Effect.flip(bounded.execute(HttpClientRequest.make(method)(url)))
      expect(reasons.map(Retry.format)).toEqual([why])
    }).pipe(world)
  )

  it.effect.each([
    ["no bound", {}],
    ["a timeout", { attemptTimeout: AttemptTimeout.constant("1 minute") }]
  ] as const)("knows of no attempt before the first one, with %s", ([, fields]) =>
    Effect.gen(function* () {
      const known: Array<string> = []
      const attemptHeaders = ({ previous }: HttpRetry.Attempt) => {
        known.push(previous._tag)
        return {}
      }
      yield* HttpRetry.withRetry(scripted(503, 200).client, { ...policy, ...fields, attemptHeaders }).get(url)
      expect(known).toEqual(["None", "Some"])
    }).pipe(world)
  )

  it.effect("counts the first attempt for a back-off that goes by the time", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ status: 503, after: "4500 millis" })
      const backoff = Backoff.within(policy.backoff, "5 seconds")
      yield* HttpRetry.withRetry(client, { ...policy, backoff }).get(url)
      expect(Scripted.times(calls)).toEqual([0])
    }).pipe(world)
  )

  it.effect("counts the first attempt when it says why it stopped", () =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 503, after: "4 seconds" }, 503)
      const stopped = yield* Effect.flip(HttpRetry.orStopped(client, { ...policy, maxAttempts: 2 }).get(url))
      expect(Duration.toMillis(stopped.elapsed)).toBe(5000)
    }).pipe(world)
  )
})

describe("HttpRetry.withRetry key of buckets", () => {
  /** The keys that the attempts of a request are made under. */
  const keysOf = (fields: Partial<HttpRetry.Policy<unknown, AttemptTimeout.AttemptTimedOut>>, to: string) =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const asking = HttpClient.transform(scripted(503, 200).client, (sent) =>
        Effect.zipRight(
          Effect.map(TokenBucket.Key, (key) => keys.push(key)),
          sent
        )
      )
      yield* Effect.exit(HttpRetry.withRetry(asking, { ...policy, ...fields }).get(to))
      return keys
    })

  it.effect.each([
    ["nothing that asks for one", { attemptTimeout: AttemptTimeout.constant("1 minute") }],
    ["a bucket", { bucket: TokenBucket.unlimited }],
    ["a rate limiter", { rateLimiter: TokenBucket.unlimited }]
  ] as const)("is not seen inside its attempts, with %s", ([, fields]) =>
    Effect.gen(function* () {
      expect(yield* keysOf(fields, url)).toEqual(["", ""])
    }).pipe(world)
  )

  it.effect("is that of the caller inside its attempts, if there is one", () =>
    Effect.gen(function* () {
      const keys = Effect.provideService(keysOf({ bucket: TokenBucket.unlimited }, url), TokenBucket.Key, "mine")
      expect(yield* keys).toEqual(["mine", "mine"])
    }).pipe(world)
  )
})
