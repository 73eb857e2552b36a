import { Backoff, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { TokenBucketContract, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option } from "effect"
import { acquire, isGranted } from "../Asking.ts"
import { clockReads } from "../ClockReads.ts"

type Options = NonNullable<Parameters<typeof RateLimiter.adaptiveConcurrency>[0]>

TokenBucketContract.suite(
  { describe, expect, it },
  "RateLimiter.adaptiveConcurrency that refuses",
  RateLimiter.adaptiveConcurrency({ initial: 5, samples: 1000, whenShort: "refuse" }),
  { returns: true }
)

TokenBucketContract.suite(
  { describe, expect, it },
  "RateLimiter.adaptiveConcurrency",
  RateLimiter.adaptiveConcurrency({ initial: 5, samples: 1000 }),
  { returns: true, waits: true }
)

const policy = {
  classifier: () => Verdict.server,
  maxAttempts: 1,
  backoff: Backoff.constant({ delay: 0 })
}

/** A server that works on so many requests at once, each for 10 ms, and has the others wait. */
const serverOf = (capacity: number) =>
  Effect.map(Effect.makeSemaphore(capacity), (places) => places.withPermits(1)(Effect.sleep(10)))

describe("RateLimiter.adaptiveConcurrency", () => {
  it.effect.each(["gradient", "aimd"] as const)("finds how many attempts a server takes at once, by %s", (rule) =>
    VirtualClock.run(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.adaptiveConcurrency({ rule, slowerThan: "25 millis" })
        const server = yield* serverOf(10)
        let running = 0
        const most: Array<number> = []
        const call = Effect.suspend(() => {
          most.push((running += 1))
          return Effect.ensuring(
            server,
            Effect.sync(() => void (running -= 1))
          )
        })
        const caller = Effect.replicateEffect(Retry.retry(call, { ...policy, rateLimiter: bucket }), 60)
        yield* Effect.all(
          Array.from({ length: 60 }, () => caller),
          { concurrency: "unbounded" }
        )
        const settled = most.slice(-1_000)
        expect(Math.max(...settled)).toBeLessThanOrEqual(rule === "gradient" ? 20 : 30)
        expect(Math.max(...settled)).toBeGreaterThanOrEqual(9)
      })
    )
  )

  it.effect("frees the place of an attempt that is interrupted or dies, and learns nothing from it", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.adaptiveConcurrency({ initial: 4, samples: 1 })
        const under = (call: Effect.Effect<unknown>) => Retry.retry(call, { ...policy, rateLimiter: bucket })
        const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.fork(under(Effect.never)))
        yield* Effect.sleep(100)
        expect(yield* bucket.level).toBe(1)
        yield* Fiber.interruptAll(fibers)
        expect(yield* bucket.level).toBe(4)
        yield* Effect.exit(under(Effect.die("defect")))
        yield* Effect.exit(under(Effect.fail("at once") as Effect.Effect<never>))
        expect(yield* bucket.level).toBe(4)
      })
    )
  )

  it.effect("interrupts no attempt when the limit falls, and grants none until there is room", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.adaptiveConcurrency({ initial: 10, samples: 1, whenShort: "refuse" })
        const grants = yield* Effect.replicateEffect(acquire(bucket), 10)
        const [first, ...others] = grants.flatMap(Option.toArray)
        yield* bucket.record({ _tag: "Failed", attempt: 1, granted: first!, verdict: Verdict.throttling })
        expect(yield* isGranted(bucket)).toBe(false)
        expect(yield* bucket.level).toBe(0)
        for (const granted of others) yield* bucket.record({ _tag: "Abandoned", attempt: 1, granted })
        expect(yield* bucket.level).toBe(9)
      })
    )
  )

  it.effect("ignores attempts that it has not granted", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.adaptiveConcurrency({ samples: 1 })
        const granted: TokenBucket.Grant = { tokens: 1, refund: Effect.void }
        for (const _tag of ["Succeeded", "Abandoned"] as const) yield* bucket.record({ _tag, attempt: 1, granted })
        yield* bucket.record({ _tag: "Failed", attempt: 1, granted, verdict: Verdict.throttling })
        expect(yield* bucket.level).toBe(20)
      })
    )
  )

  it.effect.each(["gradient", "aimd"] as const)(
    "keeps its least limit, and grants, whatever it is told of the time that attempts ran: %s",
    (rule) =>
      VirtualClock.run(
        Effect.gen(function* () {
          const bucket = yield* RateLimiter.adaptiveConcurrency({ samples: 1, rule })
          for (const ran of [Duration.infinity, Duration.millis(1e308), Duration.infinity, Duration.zero]) {
            for (let step = 0; step < 20; step += 1) {
              const granted = Option.getOrThrow(yield* acquire(bucket, { atMostMillis: 0 }))
              yield* bucket.record({ _tag: "Succeeded", attempt: 1, granted, ran })
            }
            expect(yield* bucket.level).toBeGreaterThanOrEqual(3)
          }
        })
      )
  )

  it.effect.each<{ options: Options; limit: number }>([
    { options: {}, limit: 20 },
    { options: { most: 10 }, limit: 10 },
    { options: { most: 1 }, limit: 1 },
    { options: { least: 30 }, limit: 30 },
    { options: { least: 2_000 }, limit: 2_000 },
    { options: { initial: 7 }, limit: 7 }
  ])("starts at $limit with $options", ({ limit, options }) =>
    Effect.gen(function* () {
      const bucket = yield* RateLimiter.adaptiveConcurrency(options)
      expect(yield* bucket.level).toBe(limit)
    })
  )

  type End =
    | { readonly _tag: "Abandoned" | "Succeeded"; readonly ran?: Duration.Duration }
    | { readonly _tag: "Failed"; readonly verdict: Verdict.Verdict }

  // The limit is ten, and the attempt that ends was granted as the fifth.
  it.effect.each<{ end: string; told: End; limit: number }>([
    { end: "a success", told: { _tag: "Succeeded" }, limit: 11 },
    { end: "a success after five seconds", told: { _tag: "Succeeded", ran: Duration.millis(5_000) }, limit: 11 },
    { end: "a later success", told: { _tag: "Succeeded", ran: Duration.millis(5_001) }, limit: 9 },
    { end: "throttling", told: { _tag: "Failed", verdict: Verdict.throttling }, limit: 9 },
    { end: "a timeout", told: { _tag: "Failed", verdict: Verdict.retryable("Timeout") }, limit: 9 },
    { end: "another failure", told: { _tag: "Failed", verdict: Verdict.server }, limit: 10 },
    { end: "a terminal failure", told: { _tag: "Failed", verdict: Verdict.terminal("no") }, limit: 10 },
    { end: "an unknown failure", told: { _tag: "Failed", verdict: Verdict.noOpinion }, limit: 10 },
    { end: "an interruption", told: { _tag: "Abandoned" }, limit: 10 }
  ])("has by aimd a limit of $limit after $end", ({ limit, told }) =>
    Effect.gen(function* () {
      const bucket = yield* RateLimiter.adaptiveConcurrency({ initial: 10, rule: "aimd" })
      const grants = (yield* Effect.replicateEffect(acquire(bucket), 5)).map(Option.getOrThrow)
      yield* bucket.record({ ...told, attempt: 1, granted: grants[4]! })
      expect(yield* bucket.level).toBe(limit - 4)
      // The third was granted with less than half of the limit in flight, so its success changes nothing.
      yield* bucket.record({ _tag: "Succeeded", attempt: 1, granted: grants[2]! })
      expect(yield* bucket.level).toBe(limit - 3)
    })
  )

  it.effect("makes a step after twenty attempts", () =>
    Effect.gen(function* () {
      const bucket = yield* RateLimiter.adaptiveConcurrency()
      const grants = (yield* Effect.replicateEffect(acquire(bucket), 20)).map(Option.getOrThrow)
      const ended = (granted: TokenBucket.Grant) =>
        bucket.record({ _tag: "Succeeded", attempt: 1, granted, ran: Duration.millis(10) })
      yield* Effect.forEach(grants.slice(1), ended)
      expect(yield* bucket.level).toBe(19)
      yield* ended(grants[0]!)
      // floor(1.25 * 20 + sqrt(1.25 * 20))
      expect(yield* bucket.level).toBe(30)
    })
  )

  it.effect.each([
    { ran: 25, limit: 10 },
    { ran: 26, limit: 9 }
  ])(
    "has a limit of $limit after an attempt of a policy has run for $ran ms, where 25 are not slow",
    ({ limit, ran }) =>
      VirtualClock.run(
        Effect.gen(function* () {
          const options = { initial: 10, rule: "aimd", slowerThan: "25 millis" } as const
          const rateLimiter = yield* RateLimiter.adaptiveConcurrency(options)
          yield* Retry.retry(Effect.sleep(ran), { ...policy, rateLimiter })
          expect(yield* rateLimiter.level).toBe(limit)
        })
      )
  )

  it.effect("reads no clock when an attempt need not wait", () =>
    Effect.gen(function* () {
      const using = Effect.gen(function* () {
        const bucket = yield* RateLimiter.adaptiveConcurrency()
        yield* bucket.started!({ attempt: 1 })
        const granted = Option.getOrThrow(yield* acquire(bucket))
        yield* bucket.record({ _tag: "Succeeded", attempt: 1, granted })
        expect(yield* bucket.level).toBe(20)
      })
      expect(yield* clockReads(using)).toBe(0)
    })
  )

  it.effect("bounds how many attempts wait", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.adaptiveConcurrency({ initial: 3, maxWaiting: 1 })
        yield* Effect.replicateEffect(acquire(bucket), 3)
        const waits = yield* Effect.fork(acquire(bucket))
        yield* Effect.sleep(1)
        expect(yield* isGranted(bucket)).toBe(false)
        yield* Fiber.interrupt(waits)
      })
    )
  )

  it("refuses bad options, and names the field", () => {
    const bad: ReadonlyArray<readonly [Options, string]> = [
      [{ least: 0 }, "least"],
      [{ most: 0 }, "most"],
      [{ most: 10n as never }, "most"],
      [{ most: Symbol("many") as never }, "most"],
      [{ least: 10, most: 9 }, "most"],
      [{ initial: 2 }, "initial"],
      [{ initial: 1_001 }, "initial"],
      [{ initial: 5.5 }, "initial"],
      [{ samples: 0 }, "samples"],
      [{ slowerThan: 0 }, "slowerThan"],
      [{ rule: "vegas" as "aimd" }, "rule"],
      [{ maxWaiting: 1, whenShort: "refuse" }, "maxWaiting"]
    ]
    for (const [options, field] of bad) {
      expect(() => RateLimiter.adaptiveConcurrency(options)).toThrow(
        `RateLimiter.adaptiveConcurrency: ${field} must be`
      )
    }
  })
})
