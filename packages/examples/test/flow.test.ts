import { Backoff, Classifier, Deadline, Retry, RetryBucket, SendRate, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Context, Effect, Fiber, Layer, Option, Ref, Schedule } from "effect"
import { existsSync } from "node:fs"
import { read, root } from "./rows.ts"

const path = "docs/flow.md"

describe(`${path} ## The stages`, () => {
  const modules = Array.from(read(path).matchAll(/`([a-z]+\/[A-Za-z]+\.ts)`/g), ([, module = ""]) => module)

  it.each([...new Set(modules)])("%s exists", (module) => {
    expect(existsSync(new URL(`packages/core/src/${module}`, root))).toBe(true)
  })
})

describe(`${path} ## The order of decisions`, () => {
  const obstacles = [
    ["Terminal", { classifier: () => Verdict.terminal("gone") }],
    ["AttemptsSpent", { maxAttempts: 1 }],
    ["BackoffEnded", { backoff: Backoff.fromDelays([]) }],
    ["HintTooLong", { classifier: () => Verdict.retryable("Server", { hint: "1 day" }) }],
    ["DeadlinePassed", { deadline: Deadline.refuse("1 millis") }],
    ["BucketEmpty", { bucket: RetryBucket.Default }]
  ] as const

  it.effect.each(obstacles.map(([reason], index) => ({ reason, index })))(
    "of $reason and everything after it, $reason is the reason",
    ({ index, reason }) =>
      Effect.gen(function* () {
        const free = { classifier: Classifier.always, maxAttempts: 2, backoff: Backoff.constant({ delay: "1 hour" }) }
        // The first obstacle last, so that it wins where two want the same field.
        const policy = obstacles.slice(index).reduceRight((built, [, part]) => ({ ...built, ...part }), free)
        const ended = yield* Effect.flip(Retry.orStopped(Effect.fail("down"), policy))
        expect(ended.reason._tag).toBe(reason)
      }).pipe(Effect.provide(RetryBucket.layerEmpty(RetryBucket.Default)))
  )
})

describe(`${path} ## Pure and thin`, () => {
  it.effect("a step that needs no random number draws none", () =>
    Effect.gen(function* () {
      const delays = yield* Schedule.run(Backoff.exponential({ base: "1 second" }), 0, [1, 2, 3])
      expect(Chunk.size(delays)).toBe(3)
    }).pipe(Effect.provide(SeededRandom.layerFixed([])))
  )
})

describe(`${path} ## Ports`, () => {
  class Bucket extends Context.Tag("Bucket")<Bucket, RetryBucket.RetryBucket>() {}

  const oneToken = Layer.effect(
    Bucket,
    Effect.map(Ref.make(1), (tokens) => ({
      ...RetryBucket.unlimited,
      take: () => Ref.modify(tokens, (left) => (left > 0 ? [Option.some(1), left - 1] : [Option.none(), left]))
    }))
  )
  const policy = {
    classifier: Classifier.always,
    maxAttempts: 9,
    backoff: Backoff.constant({ delay: 0 }),
    bucket: Bucket
  }
  const calls = Effect.map(Effect.flip(Retry.orStopped(Effect.fail("down"), policy)), ({ attempts }) => attempts)

  it.effect("a layer that is provided once is one bucket, and provided twice is two", () =>
    Effect.gen(function* () {
      expect(yield* Effect.provide(Effect.all([calls, calls]), oneToken)).toEqual([2, 1])
      expect(yield* Effect.all([Effect.provide(calls, oneToken), Effect.provide(calls, oneToken)])).toEqual([2, 2])
    })
  )

  it.effect("what was given for a retry that is never sent is given back", () =>
    Effect.gen(function* () {
      const returned = yield* Ref.make(0)
      const bucket = { ...RetryBucket.unlimited, giveBack: () => Ref.update(returned, (count) => count + 1) }
      const waiting = Retry.retry(Effect.fail("down"), { ...policy, backoff: Backoff.constant({ delay: "1 hour" }) })
      const fiber = yield* Effect.fork(Effect.provideService(waiting, Bucket, bucket))
      yield* Effect.sleep("1 minute")
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(returned)).toBe(1)
    }).pipe(VirtualClock.run)
  )

  it.effect("the null layers of the ports grant everything and nothing", () =>
    Effect.gen(function* () {
      const take = Effect.flatMap(RetryBucket.Default, (bucket) => bucket.take("Server", (effect) => effect))
      const acquire = Effect.flatMap(SendRate.Default, (rate) => rate.acquire({ attempt: 1, atMost: Option.none() }))
      expect(yield* Effect.provide(take, RetryBucket.layerUnlimited(RetryBucket.Default))).toEqual(Option.some(0))
      expect(yield* Effect.provide(take, RetryBucket.layerEmpty(RetryBucket.Default))).toEqual(Option.none())
      expect(yield* Effect.provide(acquire, SendRate.layerUnlimited(SendRate.Default))).toBe(true)
    })
  )
})
