import { HttpClient, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff } from "@effect-retry/core"
import type { Observe } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { type Duration, Effect, Fiber } from "effect"
import * as Scripted from "../support/ScriptedClient.ts"

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

describe("HttpRetry.withRetry", () => {
  it.effect("cancels the response of an interrupted operation, whatever the attempt before came to", () =>
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
})
