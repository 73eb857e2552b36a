import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck, Option } from "effect"
import { law } from "../../support/Laws.ts"
import { acquire, isGranted, tokensOf } from "../Asking.ts"

const { operationShare, quota, successRatio } = TokenBucket

/** How many retries one operation gets that always fails. */
const retriesOf = (bucket: TokenBucket.TokenBucket) =>
  Effect.map(
    Effect.flip(
      Retry.orStopped(Effect.fail("busy"), {
        classifier: Classifier.always,
        maxAttempts: 1000,
        backoff: Backoff.constant({ delay: 0 }),
        bucket
      })
    ),
    ({ attempts }) => attempts - 1
  )

describe("TokenBucket.operationShare", () => {
  it.effect.each([
    { share: 1, retries: 100 },
    { share: 0.995, retries: 100 },
    { share: 0.5, retries: 50 },
    { share: 0.2, retries: 20 },
    { share: 0.1, retries: 10 },
    { share: 0.07, retries: 7 },
    { share: 0.001, retries: 1 }
  ])("grants one operation $retries retries of a hundred tokens at a share of $share", ({ retries, share }) =>
    Effect.gen(function* () {
      const bucket = yield* operationShare({ bucket: successRatio({ ratio: 0.1, capacity: 100 }), share })
      expect(yield* retriesOf(bucket)).toBe(retries)
      expect(yield* bucket.level).toBe(100 - retries)
    }).pipe(VirtualClock.run)
  )

  it.effect("counts what a retry costs", () =>
    Effect.gen(function* () {
      const bucket = yield* operationShare({ bucket: quota({ capacity: 500 }), share: 0.1 })
      const granted = yield* Effect.forEach([2, 3, 4, 5, 6], (attempt) => tokensOf(bucket, { attempt }))
      expect(granted).toEqual([Option.some(14), Option.some(14), Option.some(14), Option.some(14), Option.none()])
      expect(yield* bucket.level).toBe(500 - 4 * 14)
    })
  )

  it.effect(
    "leaves the first retry of an operation to the bucket, and grants fewer after it the emptier the bucket is",
    () =>
      Effect.gen(function* () {
        const bucket = yield* operationShare({ bucket: successRatio({ ratio: 0.1, capacity: 10 }), share: 0.2 })
        const shares: Array<number> = []
        for (let operation = 0; operation < 7; operation++) shares.push(yield* retriesOf(bucket))
        expect(shares).toEqual([2, 2, 2, 1, 1, 1, 1])
        expect(yield* retriesOf(bucket)).toBe(0)
      }).pipe(VirtualClock.run)
  )

  it.effect("does not limit first attempts, nor retries that cost nothing", () =>
    Effect.gen(function* () {
      const bucket = yield* operationShare({
        bucket: quota({ capacity: 10, cost: { first: 10, orElse: 0 } }),
        share: 0.1
      })
      expect(yield* tokensOf(bucket, { attempt: 1 })).toEqual(Option.some(10))
      expect(yield* tokensOf(bucket, { attempt: 9 })).toEqual(Option.some(0))
    })
  )

  it.effect("refunds what a refused retry took, and its own grants as the bucket does", () =>
    Effect.gen(function* () {
      const bucket = yield* operationShare({ bucket: successRatio({ ratio: 0.1, capacity: 10 }), share: 0.2 })
      expect(yield* isGranted(bucket, { attempt: 5 })).toBe(false)
      expect(yield* bucket.level).toBe(10)
      const grant = yield* acquire(bucket, { attempt: 3 })
      yield* Option.getOrThrow(grant).refund
      expect(yield* bucket.level).toBe(10)
    })
  )

  it.effect("waits for the first retry only", () =>
    Effect.gen(function* () {
      const shared = quota({ capacity: 10, cost: { orElse: 10 }, refillPerSecond: 10, whenShort: "wait" })
      const bucket = yield* operationShare({ bucket: shared, share: 1 })
      yield* acquire(bucket)
      expect(yield* isGranted(bucket, { attempt: 3 })).toBe(false)
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
      expect(yield* isGranted(bucket, { attempt: 2 })).toBe(true)
      expect(yield* VirtualClock.now).toEqual(Duration.seconds(1))
    }).pipe(VirtualClock.run)
  )

  it.effect.each([0, -1, 1.1, NaN])("refuses a share of %d", (share) =>
    Effect.sync(() => {
      expect(() => operationShare({ bucket: quota(), share })).toThrow(
        `TokenBucket.operationShare: share must be > 0 and <= 1, got ${share}`
      )
    })
  )

  it.effect.prop(
    "lets no operation take more than its share of the tokens that are there without its own retries, rounded up",
    [
      FastCheck.double({ min: 0.01, max: 1, noNaN: true }),
      FastCheck.array(FastCheck.nat(4), { minLength: 1, maxLength: 60 })
    ],
    ([share, turns]) =>
      Effect.gen(function* () {
        const bucket = yield* operationShare({ bucket: successRatio({ ratio: 0.1, capacity: 20 }), share })
        const taken = [0, 0, 0, 0, 0]
        for (const operation of turns) {
          const before = taken[operation] ?? 0
          const level = yield* bucket.level
          const granted = yield* isGranted(bucket, { attempt: before + 2 })
          if (granted) taken[operation] = before + 1
          expect(granted).toBe(level >= 1 && before < share * (level + before) * (1 - 1e-9))
        }
        expect(Math.max(...taken)).toBeLessThanOrEqual(Math.ceil(share * 20))
      }),
    law(200)
  )
})
