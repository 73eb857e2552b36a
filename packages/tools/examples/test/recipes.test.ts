import { Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Schedule } from "effect"
import { tokensOf } from "../../../core/test/fund/Asking.ts"

const page = "docs/recipes.md"

describe(`${page} ### A bucket for each tenant`, () => {
  const keyed = TokenBucket.keyed({
    bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 1 }),
    maxKeys: 1,
    idleTimeToLive: "10 minutes"
  })
  const isGranted = (bucket: TokenBucket.TokenBucket, key: string) =>
    Effect.map(Effect.provideService(tokensOf(bucket, { kind: "Server" }), TokenBucket.Key, key), Option.isSome)

  it.effect("tenants beyond the bound share a bucket", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed
      expect(yield* isGranted(bucket, "a")).toBe(true)
      expect(yield* isGranted(bucket, "b")).toBe(true)
      expect(yield* isGranted(bucket, "c")).toBe(false)
    }).pipe(VirtualClock.run)
  )

  it.effect("a bucket that is not used makes room, whatever its level", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed
      expect(yield* isGranted(bucket, "a")).toBe(true)
      yield* Effect.sleep("10 minutes")
      expect(yield* isGranted(bucket, "b")).toBe(true)
      // Tenant b has the place of tenant a, which now shares.
      expect(yield* isGranted(bucket, "b")).toBe(false)
      expect(yield* isGranted(bucket, "a")).toBe(true)
    }).pipe(VirtualClock.run)
  )

  it.effect("a bucket in use keeps its place", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed
      expect(yield* isGranted(bucket, "a")).toBe(true)
      yield* Effect.sleep("9 minutes")
      expect(yield* isGranted(bucket, "a")).toBe(false)
      yield* Effect.sleep("9 minutes")
      expect(yield* isGranted(bucket, "a")).toBe(false)
    }).pipe(VirtualClock.run)
  )
})

describe(`${page} ### A retry inside a retry`, () => {
  it.effect("the inner operation names the one that it left the retries to", () =>
    Effect.gen(function* () {
      const policy = { classifier: Classifier.always, maxAttempts: 3, backoff: Schedule.forever }
      const inner = Retry.orStopped(Effect.fail("down"), { ...policy, whenNested: "standDown" })
      const { error } = yield* Effect.flip(Retry.orStopped(inner, { ...policy, name: "job" }))
      expect(error).toMatchObject({ attempts: 1, reason: { _tag: "StoodDown", outer: "job" } })
    })
  )
})

describe(`${page} ### Why an operation stopped`, () => {
  it.effect("the history holds the latest hundred attempts", () =>
    Effect.gen(function* () {
      const policy = { classifier: Classifier.always, maxAttempts: 150, backoff: Schedule.forever }
      const { attempts, history } = yield* Effect.flip(Retry.orStopped(Effect.fail("down"), policy))
      expect({ attempts, first: history[0]?.attempt, length: history.length }).toEqual({
        attempts: 150,
        first: 51,
        length: 100
      })
    })
  )
})

describe(`${page} ### Watching the level of a bucket`, () => {
  it.effect("shows what time and successes have put in", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 4, floorPerSecond: 1 })
      yield* Effect.replicateEffect(tokensOf(bucket, { kind: "Server" }), 3)
      expect(yield* bucket.level).toBe(1)
      yield* Effect.sleep("500 millis")
      expect(yield* bucket.level).toBe(1.5)
    }).pipe(VirtualClock.run)
  )
})
