import { Backoff, Classifier, Deadline, Observe, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Clock, Context, Effect, Fiber, Layer, Logger, Option, Ref, Schedule } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { request } from "../../../core/test/fund/Asking.ts"
import { read, root } from "./rows.ts"

const path = "docs/flow.md"

/** A bucket and a rate limiter that grant everything, and a log of what happened, with the milliseconds before it. */
const noted = () => {
  const log: Array<string> = []
  const say = (what: string) => Effect.map(Clock.currentTimeMillis, (now) => void log.push(`${now} ${what}`))
  const granting = (name: string): TokenBucket.TokenBucket => ({
    ...TokenBucket.unlimited,
    acquire: (request) => Effect.zipRight(say(`${name} grants`), TokenBucket.unlimited.acquire(request)),
    record: () => say(`${name} hears`)
  })
  return { log, say, bucket: granting("bucket"), rateLimiter: granting("limiter") }
}

describe(`${path} ## The stages`, () => {
  const modules = Array.from(read(path).matchAll(/`((?:[a-z]+\/)+[A-Za-z]+\.ts)`/g), ([, module = ""]) => module)

  it.each([...new Set(modules)])("%s exists", (module) => {
    expect(existsSync(new URL(`packages/core/src/${module}`, root))).toBe(true)
  })

  it("every module is named, in the paragraph of its stage", () => {
    const paragraphs = read(path).split("\n\n")
    const files = readdirSync(new URL("packages/core/src/", root), { recursive: true, encoding: "utf8" })
    const missing = files.filter((file) => {
      const [stage = ""] = file.split("/")
      const paragraph = paragraphs.find((text) => text.startsWith(`**${stage}**`)) ?? ""
      return file.includes("/") && file.endsWith(".ts") && !paragraph.includes(`\`${file}\``)
    })
    expect(missing).toEqual([])
  })
})

describe(`${path} ## Over a fleet, ## A plan, ## Test tools`, () => {
  it.each([
    ["Over a fleet", "packages/fleet/src/fund/"],
    ["A plan", "packages/plan/src/"],
    ["Test tools", "packages/testing/src/"]
  ])("%s has a row for every folder of %s", (title, folder) => {
    const [, section = ""] = read(path).split(`\n## ${title}\n`)
    const [table = ""] = section.split("\n## ")
    const rows = Array.from(table.matchAll(/^\| ([a-z]+) \|/gm), ([, row]) => row)
    const folders = readdirSync(new URL(folder, root)).filter((name) => !name.endsWith(".ts"))
    expect(rows.toSorted()).toEqual(folders.toSorted())
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
    ["BucketEmpty", { bucket: TokenBucket.empty }]
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
      })
  )

  it.effect(
    "a rate limiter that refuses after the wait is the last reason to stop, and of a first attempt an error",
    () =>
      Effect.gen(function* () {
        const policy = {
          classifier: Classifier.always,
          maxAttempts: 2,
          backoff: Backoff.constant({ delay: "1 second" }),
          bucket: TokenBucket.unlimited
        }
        const retries: TokenBucket.TokenBucket = {
          ...TokenBucket.unlimited,
          acquire: (request) => (request.attempt === 1 ? TokenBucket.unlimited : TokenBucket.empty).acquire(request)
        }
        const later = yield* Effect.flip(Retry.orStopped(Effect.fail("down"), { ...policy, rateLimiter: retries }))
        expect(later).toMatchObject({ attempts: 1, error: "down", reason: { _tag: "RateLimiterRefused" } })
        const refused = Retry.retry(Effect.fail("down"), { ...policy, rateLimiter: TokenBucket.empty })
        expect(yield* Effect.flip(refused)).toEqual(new Retry.AttemptRefused({ attempt: 1 }))
      }).pipe(VirtualClock.run)
  )

  it.effect("what the attempt left open is released when the bucket has granted, and before the wait", () =>
    Effect.gen(function* () {
      const { bucket, log, rateLimiter, say } = noted()
      const policy = {
        rateLimiter,
        classifier: Classifier.always,
        maxAttempts: 2,
        backoff: Backoff.constant({ delay: "1 second" }),
        release: () => say("release"),
        bucket
      }
      const answers = [Effect.fail("down"), Effect.succeed("up")]
      yield* Retry.retry(
        Effect.suspend(() => answers.shift() ?? Effect.fail("down")),
        policy
      )
      expect(log).toEqual([
        "0 limiter grants",
        "0 limiter hears",
        "0 bucket hears",
        "0 bucket grants",
        "0 release",
        "1000 limiter grants",
        "1000 limiter hears",
        "1000 bucket hears"
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("a bucket that may wait does so before the delay", () =>
    Effect.gen(function* () {
      const quota = { capacity: 5, cost: { orElse: 5 }, refillPerSecond: 1, whenShort: "wait" } as const
      const policy = {
        classifier: Classifier.always,
        maxAttempts: 3,
        backoff: Backoff.constant({ delay: "1 second" }),
        bucket: yield* TokenBucket.quota(quota)
      }
      const { log, say } = noted()
      const call = Effect.zipRight(say("call"), Effect.fail("down"))
      yield* Effect.flip(Retry.retry(call, policy))
      // The first retry has emptied the bucket; a second later four of the five tokens are still missing.
      expect(log).toEqual(["0 call", "1000 call", "6000 call"])
    }).pipe(VirtualClock.run)
  )
})

describe(`${path} ## The order of events`, () => {
  const policyOf = (say: (what: string) => Effect.Effect<void>) => {
    const observer: Observe.Observer = ({ _tag }) => say(_tag)
    return {
      observe: [observer],
      classifier: Classifier.always,
      maxAttempts: 2,
      backoff: Backoff.constant({ delay: "1 second" })
    }
  }

  it.effect("is that of the list", () =>
    Effect.gen(function* () {
      const { bucket, log, rateLimiter, say } = noted()
      const policy = policyOf(say)
      const release = () => say("release")
      const call = Effect.zipRight(say("attempt"), Effect.fail("down"))
      const operation = Retry.retry(call, { ...policy, rateLimiter, release, bucket })
      yield* Retry.retry(Effect.exit(operation), { ...policy, observe: [], name: "outer" })
      expect(log).toEqual([
        "0 limiter grants",
        "0 attempt",
        "0 limiter hears",
        "0 bucket hears",
        "0 NestingNoticed",
        "0 AttemptFailed",
        "0 bucket grants",
        "0 RetryScheduled",
        "0 release",
        "1000 limiter grants",
        "1000 attempt",
        "1000 limiter hears",
        "1000 bucket hears",
        "1000 AttemptFailed",
        "1000 GaveUp"
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("ends with a success, and after a defect with nothing", () =>
    Effect.gen(function* () {
      const tags: Array<string> = []
      const policy = policyOf((what) => Effect.sync(() => tags.push(what)))
      yield* Retry.retry(Effect.succeed("up"), policy)
      expect(tags.splice(0)).toEqual(["Succeeded"])
      yield* Effect.exit(Retry.retry(Effect.die("bug"), policy))
      expect(tags).toEqual([])
    })
  )

  it.effect("an observer that hangs is interrupted at the deadline", () =>
    Effect.gen(function* () {
      const hanging: Observe.Observer = () => Effect.never
      const { log, say } = noted()
      const policy = { ...policyOf(say), observe: [hanging], deadline: Deadline.refuse("10 seconds") }
      const call = Effect.zipRight(say("call"), Effect.fail("down"))
      yield* Effect.flip(Retry.retry(call, policy)).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
      yield* say("end")
      expect(log).toEqual(["0 call", "10000 end"])
    }).pipe(VirtualClock.run)
  )

  it.effect("a slow observer delays the operation, and one that dies does not", () =>
    Effect.gen(function* () {
      const slow: Observe.Observer = () => Effect.sleep("5 seconds")
      const dying: Observe.Observer = () => Effect.die("bug")
      const { log, say } = noted()
      const policy = policyOf(say)
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
  class Bucket extends Context.Tag("Bucket")<Bucket, TokenBucket.TokenBucket>() {}

  const oneToken = Layer.effect(Bucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 1 }))
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

  it.effect("what was granted for a retry that is not made is refunded", () =>
    Effect.gen(function* () {
      const returned = yield* Ref.make(0)
      const grant = { tokens: 1, refund: Ref.update(returned, (count) => count + 1) }
      const bucket = { ...TokenBucket.unlimited, acquire: () => Effect.succeedSome(grant) }
      const waiting = Retry.retry(Effect.fail("down"), { ...policy, backoff: Backoff.constant({ delay: "1 hour" }) })
      const fiber = yield* Effect.fork(Effect.provideService(waiting, Bucket, bucket))
      yield* Effect.sleep("1 minute")
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(returned)).toBe(1)
    }).pipe(VirtualClock.run)
  )

  it.effect("the null objects of the ports grant everything, grant nothing and end at once", () =>
    Effect.gen(function* () {
      const granted = (bucket: TokenBucket.TokenBucket) =>
        Effect.map(bucket.acquire(request({ kind: "Server" })), Option.isSome)
      expect(yield* granted(TokenBucket.unlimited)).toBe(true)
      expect(yield* granted(TokenBucket.empty)).toBe(false)
      const once = { ...policy, backoff: Backoff.fromDelays([]), bucket: TokenBucket.unlimited }
      expect(yield* Effect.flip(Retry.orStopped(Effect.fail("down"), once))).toMatchObject({ attempts: 1 })
    })
  )
})
