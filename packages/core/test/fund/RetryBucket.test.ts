import { Backoff, Classifier, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import { RetryBucketContract, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Context, Duration, Effect, Layer, Option, Stream } from "effect"

class Mine extends Context.Tag("test/Mine")<Mine, RetryBucket.RetryBucket>() {}

RetryBucketContract.suite(vitest, "RetryBucket.layerUnlimited", RetryBucket.layerUnlimited(RetryBucket.Default), {
  grants: "all"
})
RetryBucketContract.suite(vitest, "RetryBucket.layerEmpty", RetryBucket.layerEmpty(RetryBucket.Default), {
  grants: "none"
})

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

/** A bucket of four retries. */
const four = () => RetryBucket.layerSuccessRatio(Mine, { ratio: 0.1, capacity: 4 })

/** A program of its own that needs the bucket: an operation that fails until it is stopped. */
const program = attemptsUnder(Mine)

type Program = Effect.Effect<Effect.Effect.Success<typeof program>, Effect.Effect.Error<typeof program>>

const first = [4, "AttemptsSpent"]
const second = [2, "BucketEmpty"]

describe("RetryBucket layers are shared", () => {
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

  it.effect("by nobody when a layer is provided in two places: those are two buckets", () =>
    Effect.gen(function* () {
      const layer = four()
      expect(yield* Effect.provide(program, layer)).toEqual(first)
      expect(yield* Effect.provide(program, layer)).toEqual(first)
    }).pipe(VirtualClock.run)
  )
})
