import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"

class Mine extends Context.Tag("test/Mine")<Mine, TokenBucket.TokenBucket>() {}

const policy = { classifier: Classifier.always, maxAttempts: 4, backoff: Backoff.constant({ delay: "1 second" }) }

/** How many attempts an effect makes that always fails, under a policy with this bucket. */
const attemptsUnder = <I>(bucket: Context.Tag<I, TokenBucket.TokenBucket>) =>
  Effect.map(Effect.flip(Retry.orStopped(Effect.fail("busy"), { ...policy, bucket })), ({ attempts, reason }) => [
    attempts,
    reason._tag
  ])

describe("a policy whose bucket is unlimited", () => {
  it.effect("makes all its attempts, under any tag", () =>
    Effect.gen(function* () {
      expect(yield* attemptsUnder(Mine)).toEqual([4, "AttemptsSpent"])
      expect(yield* attemptsUnder(TokenBucket.RetryBucket)).toEqual([4, "AttemptsSpent"])
    }).pipe(
      Effect.provide(Layer.succeed(Mine, TokenBucket.unlimited)),
      Effect.provide(Layer.succeed(TokenBucket.RetryBucket, TokenBucket.unlimited)),
      VirtualClock.run
    )
  )
})

describe("TokenBucket.RetryBucket", () => {
  it("is the same for another copy of the package", () => {
    const tag = "@effect-retry/core/RetryBucket"
    const context = Context.unsafeMake<TokenBucket.RetryBucket>(new Map([[tag, TokenBucket.empty]]))
    expect(Context.get(context, TokenBucket.RetryBucket)).toBe(TokenBucket.empty)
  })
})

describe("a policy whose bucket is empty", () => {
  it.effect("stops after its first attempt, without a wait", () =>
    Effect.gen(function* () {
      expect(yield* attemptsUnder(Mine)).toEqual([1, "BucketEmpty"])
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
    }).pipe(Effect.provide(Layer.succeed(Mine, TokenBucket.empty)), VirtualClock.run)
  )

  it.effect("leaves another bucket of the program alone", () =>
    Effect.gen(function* () {
      expect(yield* attemptsUnder(Mine)).toEqual([1, "BucketEmpty"])
      expect(yield* attemptsUnder(TokenBucket.RetryBucket)).toEqual([4, "AttemptsSpent"])
    }).pipe(
      Effect.provide(Layer.succeed(Mine, TokenBucket.empty)),
      Effect.provide(Layer.succeed(TokenBucket.RetryBucket, TokenBucket.unlimited)),
      VirtualClock.run
    )
  )
})

/** A bucket of four retries. */
const four = () => Layer.effect(Mine, TokenBucket.successRatio({ ratio: 0.1, capacity: 4 }))

/** A program of its own that needs the bucket: an operation that fails until it is stopped. */
const program = attemptsUnder(Mine)

type Program = Effect.Effect<Effect.Effect.Success<typeof program>, Effect.Effect.Error<typeof program>>

const first = [4, "AttemptsSpent"]
const second = [2, "BucketEmpty"]

describe("a layer of a bucket is shared", () => {
  it.effect("by programs under one provided layer", () =>
    Effect.gen(function* () {
      expect(yield* Effect.provide(Effect.all([program, program]), four())).toEqual([first, second])
    }).pipe(VirtualClock.run)
  )

  it.effect("by programs that are given one built context", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(four())
      expect(yield* Effect.provide(program, context)).toEqual(first)
      expect(yield* Effect.provide(program, context)).toEqual(second)
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("by services that are built on one layer together", () =>
    Effect.gen(function* () {
      class A extends Context.Tag("test/A")<A, Program>() {}
      class B extends Context.Tag("test/B")<B, Program>() {}
      const bucket = four()
      const serve = Effect.map(Effect.context<Mine>(), (context) => Effect.provide(program, context))
      const both = Layer.merge(
        Layer.provide(Layer.effect(A, serve), bucket),
        Layer.provide(Layer.effect(B, serve), bucket)
      )
      const outcomes = Effect.all([Effect.flatten(A), Effect.flatten(B)])
      expect(yield* Effect.provide(outcomes, both)).toEqual([first, second])
    }).pipe(VirtualClock.run)
  )

  it.effect("not by programs that are each given the layer: those have two buckets", () =>
    Effect.gen(function* () {
      const layer = four()
      expect(yield* Effect.provide(program, layer)).toEqual(first)
      expect(yield* Effect.provide(program, layer)).toEqual(first)
    }).pipe(VirtualClock.run)
  )
})
