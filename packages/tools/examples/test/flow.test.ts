import { Backoff, Classifier, Deadline, Retry, RetryBucket, SendRate, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Clock, Context, Effect, Fiber, Layer, Logger, Option, Ref, Schedule } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { read, root } from "./rows.ts"

const path = "docs/flow.md"

/** A bucket and a send rate that grant everything, and what was said, with the milliseconds before it. */
const noted = () => {
  const log: Array<string> = []
  const say = (what: string) => Effect.map(Clock.currentTimeMillis, (now) => void log.push(`${now} ${what}`))
  const bucket: RetryBucket.RetryBucket = {
    ...RetryBucket.unlimited,
    take: () => Effect.as(say("bucket paid"), Option.some(1)),
    ended: () => say("bucket heard")
  }
  const rate: SendRate.SendRate = {
    acquire: () => Effect.as(say("rate granted"), true),
    heard: () => say("rate heard")
  }
  return { log, say, bucket, rate }
}

describe(`${path} ## The stages`, () => {
  const modules = Array.from(read(path).matchAll(/`([a-z]+\/[A-Za-z]+\.ts)`/g), ([, module = ""]) => module)

  it.each([...new Set(modules)])("%s exists", (module) => {
    expect(existsSync(new URL(`packages/core/src/${module}`, root))).toBe(true)
  })

  it("every module is named, in the paragraph of its stage", () => {
    const paragraphs = read(path).split("\n\n")
    const files = readdirSync(new URL("packages/core/src/", root), { recursive: true, encoding: "utf8" })
    const missing = files.filter((file) => {
      const [stage = ""] = file.split("/")
      const paragraph = paragraphs.find((text) => text.startsWith(`**${stage}**`)) ?? ""
      return file.includes("/") && !paragraph.includes(`\`${file}\``)
    })
    expect(missing).toEqual([])
  })
})

describe(`${path} ## The order of decisions`, () => {
  const obstacles = [
    ["Terminal", { classifier: () => Verdict.terminal("gone") }],
    ["AttemptsSpent", { maxAttempts: 1 }],
    ["StoodDown", { whenNested: "standDown" }],
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
        const outer = { ...free, name: "outer" }
        const ended = yield* Retry.retry(Effect.flip(Retry.orStopped(Effect.fail("down"), policy)), outer)
        expect(ended.reason._tag).toBe(reason)
      }).pipe(Effect.provide(RetryBucket.layerEmpty(RetryBucket.Default)))
  )

  it.effect("a bucket that charges first attempts is asked before the send rate, and refuses in the same way", () =>
    Effect.gen(function* () {
      class Charging extends Context.Tag("Charging")<Charging, RetryBucket.ChargingBucket>() {}
      const { log, rate, say } = noted()
      const takeFirst = () => Effect.as(say("bucket asked"), Option.some(1))
      const policy = {
        sendRate: SendRate.Default,
        classifier: Classifier.always,
        maxAttempts: 1,
        backoff: Backoff.fromDelays([]),
        bucket: Charging
      }
      const operation = Effect.provideService(Retry.retry(say("attempt"), policy), SendRate.Default, rate)
      yield* Effect.provideService(operation, Charging, { ...RetryBucket.unlimited, takeFirst })
      expect(log).toEqual(["0 bucket asked", "0 rate granted", "0 attempt", "0 rate heard"])
      const refusing = { ...RetryBucket.unlimited, takeFirst: () => Effect.succeedNone }
      expect(yield* Effect.flip(Effect.provideService(operation, Charging, refusing))).toEqual(
        new Retry.SendRefused({ by: "bucket" })
      )
    }).pipe(VirtualClock.run)
  )

  it.effect("a bucket that is told to waits for its turn, and the delay comes after that", () =>
    Effect.gen(function* () {
      const quota = { capacity: 5, cost: { orElse: 5 }, refillPerSecond: 1, whenShort: "wait" } as const
      const policy = {
        classifier: Classifier.always,
        maxAttempts: 3,
        backoff: Backoff.constant({ delay: "1 second" }),
        bucket: RetryBucket.Default
      }
      const { log, say } = noted()
      const call = Effect.zipRight(say("call"), Effect.fail("down"))
      yield* Effect.flip(Effect.provide(Retry.retry(call, policy), RetryBucket.layerQuota(RetryBucket.Default, quota)))
      // The first retry has emptied the bucket; a second later four of the five tokens are still missing.
      expect(log).toEqual(["0 call", "1000 call", "6000 call"])
    }).pipe(VirtualClock.run)
  )
})

describe(`${path} ## The order of events`, () => {
  const policyOf = (say: (what: string) => Effect.Effect<void>) => {
    const observer: Retry.Observer = ({ _tag }) => say(_tag)
    return {
      observe: [observer],
      sendRate: SendRate.Default,
      classifier: Classifier.always,
      maxAttempts: 2,
      backoff: Backoff.constant({ delay: "1 second" }),
      bucket: RetryBucket.Default
    }
  }

  it.effect("is that of the list", () =>
    Effect.gen(function* () {
      const { bucket, log, rate, say } = noted()
      const policy = policyOf(say)
      const operation = Retry.retry(Effect.zipRight(say("attempt"), Effect.fail("down")), policy)
      const outer = { ...policy, observe: [], bucket: undefined, sendRate: undefined, maxAttempts: 2, name: "outer" }
      yield* Retry.retry(Effect.exit(operation), outer).pipe(
        Effect.provideService(RetryBucket.Default, bucket),
        Effect.provideService(SendRate.Default, rate)
      )
      expect(log).toEqual([
        "0 NestingNoticed",
        "0 rate granted",
        "0 attempt",
        "0 rate heard",
        "0 bucket heard",
        "0 AttemptFailed",
        "0 bucket paid",
        "0 RetryScheduled",
        "1000 rate granted",
        "1000 attempt",
        "1000 rate heard",
        "1000 bucket heard",
        "1000 AttemptFailed",
        "1000 GaveUp"
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("ends with a success, and after a defect with nothing", () =>
    Effect.gen(function* () {
      const tags: Array<string> = []
      const { bucket: _, sendRate: __, ...policy } = policyOf((what) => Effect.sync(() => tags.push(what)))
      yield* Retry.retry(Effect.succeed("up"), policy)
      expect(tags.splice(0)).toEqual(["Succeeded"])
      yield* Effect.exit(Retry.retry(Effect.die("bug"), policy))
      expect(tags).toEqual([])
    })
  )

  it.effect("a slow observer delays the operation, and one that dies does not", () =>
    Effect.gen(function* () {
      const slow: Retry.Observer = () => Effect.sleep("5 seconds")
      const dying: Retry.Observer = () => Effect.die("bug")
      const { log, say } = noted()
      const { bucket: _, sendRate: __, ...policy } = policyOf(say)
      const call = Effect.zipRight(say("call"), Effect.fail("down"))
      const operation = Retry.retry(call, { ...policy, observe: [dying, slow] })
      yield* Effect.flip(operation).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
      expect(log).toEqual(["0 call", "11000 call"])
    }).pipe(VirtualClock.run)
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
