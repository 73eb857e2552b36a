import { Backoff, Classifier, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Context, Duration, Effect, Option, Stream } from "effect"

class Mine extends Context.Tag("test/Mine")<Mine, RetryBucket.RetryBucket>() {}

const policy = { classifier: Classifier.always, maxAttempts: 4, backoff: Backoff.constant({ delay: "1 second" }) }

const unmoved = (bucket: RetryBucket.RetryBucket) =>
  Effect.gen(function* () {
    const before = yield* bucket.level.get
    yield* bucket.giveBack(5)
    yield* bucket.ended({ _tag: "Succeeded", attempt: 1, cost: 5 })
    yield* bucket.ended({ _tag: "Failed", attempt: 1, kind: Option.some("Transient") })
    yield* Effect.forEach(Verdict.kinds, (kind) => bucket.take(kind, (wait) => wait))
    expect(yield* bucket.level.get).toBe(before)
    return Chunk.toReadonlyArray(yield* Stream.runCollect(bucket.level.changes))
  })

describe("RetryBucket.unlimited", () => {
  it.effect("grants every kind of retry for nothing", () =>
    Effect.gen(function* () {
      const costs = yield* Effect.forEach(Verdict.kinds, (kind) => RetryBucket.unlimited.take(kind, (wait) => wait))
      expect(costs).toEqual(Verdict.kinds.map(() => Option.some(0)))
    })
  )

  it.effect("is always full, whatever it hears", () =>
    Effect.gen(function* () {
      expect(yield* unmoved(RetryBucket.unlimited)).toEqual([Infinity])
    })
  )
})

describe("RetryBucket.empty", () => {
  it.effect("grants no kind of retry", () =>
    Effect.gen(function* () {
      const costs = yield* Effect.forEach(Verdict.kinds, (kind) => RetryBucket.empty.take(kind, (wait) => wait))
      expect(costs).toEqual(Verdict.kinds.map(() => Option.none()))
    })
  )

  it.effect("is always empty, whatever it hears", () =>
    Effect.gen(function* () {
      expect(yield* unmoved(RetryBucket.empty)).toEqual([0])
    })
  )
})

/** How many attempts an effect makes that always fails, under a policy with this bucket. */
const attemptsUnder = <I>(bucket: Context.Tag<I, RetryBucket.RetryBucket>) =>
  Effect.map(Effect.flip(Retry.orStopped(Effect.fail("busy"), { ...policy, bucket })), ({ attempts, reason }) => [
    attempts,
    reason._tag
  ])

describe("RetryBucket.layerUnlimited", () => {
  it.effect("lets a policy spend all its attempts, under any tag", () =>
    Effect.gen(function* () {
      expect(yield* attemptsUnder(Mine)).toEqual([4, "AttemptsSpent"])
      expect(yield* attemptsUnder(RetryBucket.Default)).toEqual([4, "AttemptsSpent"])
    }).pipe(
      Effect.provide(RetryBucket.layerUnlimited(Mine)),
      Effect.provide(RetryBucket.layerUnlimited(RetryBucket.Default)),
      VirtualClock.run
    )
  )
})

describe("RetryBucket.layerEmpty", () => {
  it.effect("stops a policy after its first attempt, without a wait", () =>
    Effect.gen(function* () {
      expect(yield* attemptsUnder(Mine)).toEqual([1, "BucketEmpty"])
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
    }).pipe(Effect.provide(RetryBucket.layerEmpty(Mine)), VirtualClock.run)
  )

  it.effect("leaves another bucket of the program alone", () =>
    Effect.gen(function* () {
      expect(yield* attemptsUnder(Mine)).toEqual([1, "BucketEmpty"])
      expect(yield* attemptsUnder(RetryBucket.Default)).toEqual([4, "AttemptsSpent"])
    }).pipe(
      Effect.provide(RetryBucket.layerEmpty(Mine)),
      Effect.provide(RetryBucket.layerUnlimited(RetryBucket.Default)),
      VirtualClock.run
    )
  )
})
