import { Classifier, Retry, RetryBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Schedule, Stream } from "effect"

const page = "docs/recipes.md"

const restore: RetryBucket.Restore = (effect) => effect

describe(`${page} ## A bucket for each tenant`, () => {
  const keyed = (floorPerSecond: number) =>
    RetryBucket.makeKeyed({
      bucket: RetryBucket.makeSuccessRatio({ ratio: 0.1, capacity: 1, floorPerSecond }),
      maxKeys: 1,
      idleTimeToLive: "10 minutes"
    })
  const takenBy = (bucket: RetryBucket.RetryBucket, key: string) =>
    Effect.map(Effect.provideService(bucket.take("Server", restore), RetryBucket.Key, key), (taken) => taken._tag)

  it.effect("without a floor a drained bucket takes up its place, and further keys share one", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed(0)
      expect(yield* takenBy(bucket, "a")).toBe("Some")
      yield* Effect.sleep("1 hour")
      expect(yield* takenBy(bucket, "b")).toBe("Some")
      expect(yield* takenBy(bucket, "c")).toBe("None")
    }).pipe(VirtualClock.run)
  )

  it.effect("new keys go on sharing one until it is full again", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed(0.001)
      expect(yield* takenBy(bucket, "a")).toBe("Some")
      yield* Effect.sleep("10 minutes")
      expect(yield* takenBy(bucket, "b")).toBe("Some")
      yield* Effect.sleep("10 minutes")
      // By now there is room in the place of the first, but what the second took is not back yet.
      expect(yield* takenBy(bucket, "c")).toBe("None")
      yield* Effect.sleep("10 minutes")
      expect(yield* takenBy(bucket, "d")).toBe("Some")
    }).pipe(VirtualClock.run)
  )

  it.effect("with a floor it makes room by itself", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed(0.01)
      expect(yield* takenBy(bucket, "a")).toBe("Some")
      yield* Effect.sleep("1 hour")
      expect(yield* takenBy(bucket, "b")).toBe("Some")
      expect(yield* takenBy(bucket, "c")).toBe("Some")
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
