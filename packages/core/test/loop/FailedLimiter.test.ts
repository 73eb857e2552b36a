import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect } from "effect"

const away = new Error("the store is away")

const failing = (acquire: TokenBucket.TokenBucket<Error>["acquire"]): TokenBucket.TokenBucket<Error> => ({
  acquire,
  record: () => Effect.void,
  level: Effect.succeed(0)
})

const policy = { classifier: Classifier.always, maxAttempts: 2, backoff: Backoff.constant({ delay: "1 millis" }) }

/** What a first attempt fails with. */
const refused = (rateLimiter: TokenBucket.TokenBucket) =>
  Effect.flip(Retry.retry(Effect.void, { ...policy, rateLimiter })).pipe(VirtualClock.run)

describe("AttemptRefused", () => {
  it.effect("has the error of a rate limiter that failed closed as its cause", () =>
    Effect.gen(function* () {
      const closed = TokenBucket.failClosed({ within: "1 second" })
      const atOnce = yield* refused(closed(failing(() => Effect.fail(away))))
      const later = yield* refused(closed(failing(() => Effect.delay(Effect.fail(away), "10 millis"))))
      const never = yield* refused(closed(failing(() => Effect.never)))
      expect(atOnce.error).toBe(away)
      expect(later.cause?.original).toBe(away)
      expect(never.error).toBeInstanceOf(Cause.TimeoutException)
    })
  )

  it.effect("has none when the rate limiter decided", () =>
    Effect.gen(function* () {
      expect((yield* refused(TokenBucket.empty)).cause).toBeUndefined()
    })
  )

  it.effect("has it through buckets around the one that failed", () =>
    Effect.gen(function* () {
      const closed = TokenBucket.failClosed(
        failing(() => Effect.fail(away)),
        { within: "1 second" }
      )
      expect((yield* refused(TokenBucket.all(TokenBucket.unlimited, closed))).error).toBe(away)
    })
  )
})
