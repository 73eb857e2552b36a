import { Classifier, Retry, RetryBucket, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Option, Schedule, Stream } from "effect"

const page = "docs/recipes.md"

const restore: RetryBucket.Restore = (effect) => effect

describe(`${page} ## A bucket for each tenant`, () => {
  const keyed = TokenBucket.keyed({
    bucket: RetryBucket.successRatio({ ratio: 0.1, capacity: 1 }),
    maxKeys: 1,
    idleTimeToLive: "10 minutes"
  })
  const request: TokenBucket.Request = {
    attempt: 2,
    kind: Option.some("Server"),
    atMost: Option.none(),
    restore: (effect) => effect
  }
  const isGranted = (bucket: TokenBucket.TokenBucket, key: string) =>
    Effect.map(Effect.provideService(bucket.acquire(request), TokenBucket.Key, key), Option.isSome)

  it.effect("further tenants share one bucket", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed
      const granted = Effect.forEach(["a", "b", "c"], (key) => isGranted(bucket, key))
      expect(yield* granted).toEqual([true, true, false])
    })
  )

  it.effect("a bucket that was not used for a while makes room, and its tenant comes back to a new one", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed
      for (const key of ["a", "b", "a"]) {
        expect(yield* isGranted(bucket, key)).toBe(true)
        expect(yield* isGranted(bucket, key)).toBe(false)
        yield* Effect.sleep("10 minutes")
      }
    }).pipe(VirtualClock.run)
  )
})

describe(`${page} ## A retry inside a retry`, () => {
  it.effect("the inner operation says to whom it left the retries", () =>
    Effect.gen(function* () {
      const policy = { classifier: Classifier.always, maxAttempts: 3, backoff: Schedule.forever }
      const inner = Retry.orStopped(Effect.fail("down"), { ...policy, whenNested: "standDown" })
      const { error } = yield* Effect.flip(Retry.orStopped(inner, { ...policy, name: "job" }))
      expect(error).toMatchObject({ attempts: 1, reason: { _tag: "StoodDown", outer: "job" } })
    })
  )
})

describe(`${page} ## Following the level of a bucket`, () => {
  it.effect("begins with the level now, and shows what time brought with the next change", () =>
    Effect.gen(function* () {
      const bucket = yield* RetryBucket.makeSuccessRatio({ ratio: 0.1, capacity: 4, floorPerSecond: 1 })
      const followed = yield* Effect.fork(Stream.runCollect(Stream.take(bucket.level.changes, 3)))
      yield* Effect.sleep("1 second")
      yield* bucket.take("Server", restore)
      yield* bucket.take("Server", restore)
      yield* Effect.sleep("500 millis")
      expect(Chunk.toReadonlyArray(yield* Fiber.join(followed))).toEqual([4, 3, 2])
      expect(yield* bucket.level.get).toBe(2.5)
      const next = yield* Effect.fork(Stream.runCollect(Stream.take(bucket.level.changes, 2)))
      yield* Effect.sleep("500 millis")
      expect(yield* Fiber.poll(next)).toMatchObject({ _tag: "None" })
      yield* bucket.take("Server", restore)
      expect(Chunk.toReadonlyArray(yield* Fiber.join(next))).toEqual([2.5, 2])
    }).pipe(VirtualClock.run)
  )
})
