import { Backoff, Hint, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import type { Asked } from "../Asking.ts"
import { abandon, fail, isGranted, succeed } from "../Asking.ts"

const first: Asked = { attempt: 1 }

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** Tells of a failure whose server asks to wait. */
const ask = (rate: TokenBucket.TokenBucket, hint: Duration.DurationInput) =>
  fail(rate, Verdict.retryable("Throttling", { hint }))

/** Whether and when, in virtual milliseconds, an attempt is granted. */
const granted = (rate: TokenBucket.TokenBucket, asked: Asked = first) => Effect.zip(isGranted(rate, asked), nowMillis)

describe("RateLimiter.serverPause", () => {
  it.effect("grants everything at once while the server asks for nothing", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute" })
      yield* Effect.all([fail(rate, Verdict.throttling), fail(rate, Verdict.noOpinion), succeed(rate), abandon(rate)])
      yield* ask(rate, 0)
      expect([yield* granted(rate), yield* rate.level]).toEqual([[true, 0], Infinity])
    }).pipe(Effect.provide(SeededRandom.layerFixed([])), VirtualClock.run)
  )

  it.effect.each([
    { name: "a retryable failure", verdict: Verdict.retryable("Server", { hint: "10 seconds" }) },
    { name: "a failure that is not retryable", verdict: Verdict.terminal("quota", { hint: "10 seconds" }) }
  ])("holds back first attempts and retries until the hint of $name has passed", ({ verdict }) =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute" })
      yield* fail(rate, verdict)
      expect(yield* rate.level).toBe(0)
      yield* Effect.sleep("4 seconds")
      const attempts = yield* Effect.fork(
        Effect.all([granted(rate), granted(rate, { attempt: 2 })], { concurrency: "unbounded" })
      )
      expect(yield* Fiber.join(attempts)).toEqual([
        [true, 10_000],
        [true, 10_000]
      ])
      expect(yield* rate.level).toBe(Infinity)
    }).pipe(VirtualClock.run)
  )

  it.effect("cuts a longer hint to the longest pause", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute" })
      yield* ask(rate, Duration.infinity)
      expect(yield* granted(rate)).toEqual([true, 60_000])
      // Nothing is drawn if attempts are not spread.
    }).pipe(Effect.provide(SeededRandom.layerFixed([])), VirtualClock.run)
  )

  it.effect("keeps a pause that lasts longer, and makes a shorter one longer for attempts that wait already", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute" })
      yield* ask(rate, "10 seconds")
      yield* ask(rate, "2 seconds")
      const waiting = yield* Effect.fork(granted(rate))
      yield* Effect.sleep("5 seconds")
      yield* ask(rate, "20 seconds")
      yield* succeed(rate)
      expect(yield* Fiber.join(waiting)).toEqual([true, 25_000])
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "the time left to the operation", options: {}, asked: { attempt: 1, atMostMillis: 9999 } },
    { name: "its longest wait", options: { maxWait: 9999 }, asked: first },
    { name: "no wait at all", options: { whenShort: "refuse" as const }, asked: first }
  ])("refuses at once when the pause is longer than $name", ({ asked, options }) =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute", ...options })
      yield* ask(rate, "10 seconds")
      expect(yield* granted(rate, asked)).toEqual([false, 0])
      yield* Effect.sleep("1 millis")
      expect(yield* granted(rate, { attempt: 1, atMostMillis: 9999 })).toEqual(
        "whenShort" in options ? [false, 1] : [true, 10_000]
      )
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses attempts during a pause, and grants them at once before it and from its end on", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute", whenShort: "refuse" })
      const before = yield* granted(rate)
      yield* ask(rate, "10 seconds")
      yield* Effect.sleep(9_999)
      const inside = yield* granted(rate)
      yield* Effect.sleep(1)
      expect([before, inside, yield* granted(rate)]).toEqual([
        [true, 0],
        [false, 9_999],
        [true, 10_000]
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses as soon as a pause becomes longer than an attempt can wait", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute" })
      yield* ask(rate, "2 seconds")
      const waiting = yield* Effect.fork(granted(rate, { attempt: 1, atMostMillis: 3000 }))
      yield* Effect.sleep("1 second")
      yield* ask(rate, "10 seconds")
      expect(yield* Fiber.join(waiting)).toEqual([false, 2000])
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { u: 0, millis: 10_000 },
    { u: 0.5, millis: 12_500 },
    { u: 1 - 1e-9, millis: 14_999 }
  ])("spreads attempts over a share of the pause: a draw of $u waits until $millis", ({ millis, u }) =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute", jitterRatio: 0.5 })
      yield* ask(rate, "10 seconds")
      yield* Effect.sleep("9 seconds")
      expect(yield* granted(rate)).toEqual([true, millis])
    }).pipe(Effect.provide(SeededRandom.layerConstant(u)), VirtualClock.run)
  )

  it.effect("spreads no attempt beyond the time it can wait", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute", jitterRatio: 1 })
      yield* ask(rate, "10 seconds")
      yield* Effect.sleep("1 second")
      expect(yield* granted(rate, { attempt: 1, atMostMillis: 9_100 })).toEqual([true, 10_100])
    }).pipe(Effect.provide(SeededRandom.layerConstant(0.9)), VirtualClock.run)
  )

  it.effect("spreads attempts over a share of the pause that began first, when two end together", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute", jitterRatio: 1 })
      yield* ask(rate, "10 seconds")
      yield* Effect.sleep("5 seconds")
      yield* ask(rate, "5 seconds")
      expect(yield* granted(rate)).toEqual([true, 15_000])
    }).pipe(Effect.provide(SeededRandom.layerConstant(0.5)), VirtualClock.run)
  )

  it.effect("ends its wait when it is interrupted", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.serverPause({ atMost: "1 minute" })
      yield* ask(rate, "10 seconds")
      const waiting = yield* Effect.fork(granted(rate))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(waiting)
      expect(yield* nowMillis).toBe(1000)
    }).pipe(VirtualClock.run)
  )

  it.effect("pauses only one key when it is keyed", () =>
    Effect.gen(function* () {
      const rate = yield* TokenBucket.keyed({
        bucket: RateLimiter.serverPause({ atMost: "1 minute" }),
        maxKeys: 10,
        idleTimeToLive: "1 hour"
      })
      const at = (key: string) => Effect.provideService(TokenBucket.Key, key)
      yield* at("a")(ask(rate, "10 seconds"))
      expect(yield* at("b")(granted(rate))).toEqual([true, 0])
      expect(yield* at("a")(granted(rate))).toEqual([true, 10_000])
    }).pipe(VirtualClock.run)
  )

  it.effect("holds back all operations of a policy when one of them meets a hint", () =>
    Effect.gen(function* () {
      const rateLimiter = yield* RateLimiter.serverPause({ atMost: "1 minute" })
      const policy = {
        rateLimiter,
        classifier: () => Verdict.retryable("Throttling", { hint: "10 seconds" }),
        maxAttempts: 2,
        backoff: Backoff.constant({ delay: "1 second" }),
        hint: Hint.override({ atMost: "1 minute", otherwise: "clamp" })
      }
      let attempts = 0
      const busyOnce = Effect.suspend(() => (attempts++ === 0 ? Effect.fail("busy") : Effect.void))
      const failing = yield* Effect.fork(Retry.retry(busyOnce, policy))
      yield* Effect.sleep("1 second")
      yield* Retry.retry(Effect.void, policy)
      expect(yield* nowMillis).toBe(10_000)
      yield* Fiber.join(failing)
      expect(yield* nowMillis).toBe(10_000)
    }).pipe(VirtualClock.run)
  )
})
