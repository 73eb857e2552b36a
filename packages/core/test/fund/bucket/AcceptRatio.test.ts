import type { TokenBucket } from "@effect-retry/core"
import { RateLimiter, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { abandon, acquire, fail, isGranted, succeed } from "../Asking.ts"

const first = { attempt: 1 } as const

type Result = "Succeeded" | "Failed" | "Throttled"

const hear = (rate: TokenBucket.TokenBucket, result: Result) =>
  result === "Succeeded" ? succeed(rate) : fail(rate, result === "Throttled" ? Verdict.throttling : Verdict.server)

/** How many of so many attempts were let through, each answered with what `server` says. */
const sent = (rate: TokenBucket.TokenBucket, attempts: number, server: (attempt: number) => Result) =>
  Effect.gen(function* () {
    let sent = 0
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (!(yield* isGranted(rate, first))) continue
      sent += 1
      yield* hear(rate, server(attempt))
    }
    return sent
  })

/** The chance that a rate has counted: attempts are refused below it and let through from it on. */
const refusedAt = (rate: TokenBucket.TokenBucket, u: number) =>
  Effect.provide(
    Effect.map(isGranted(rate, first), (ok) => !ok),
    SeededRandom.layerConstant(u)
  )

describe("RateLimiter.acceptRatio", () => {
  it.effect("draws nothing and sends everything while the server accepts half of it", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio()
      expect(yield* sent(rate, 1000, (attempt) => (attempt % 2 === 1 ? "Succeeded" : "Throttled"))).toBe(1000)
    }).pipe(Effect.provide(SeededRandom.layerFixed([])), VirtualClock.run)
  )

  it.effect("has as its level the number of attempts that it sends without a draw", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio({ K: 3 })
      yield* Effect.replicateEffect(hear(rate, "Succeeded"), 2)
      const before = yield* rate.level
      yield* Effect.replicateEffect(isGranted(rate, first), 2)
      expect([before, yield* rate.level]).toEqual([7, 5])
    }).pipe(Effect.provide(SeededRandom.layerFixed([])), VirtualClock.run)
  )

  it.effect("counts what it refuses, and refuses by the formula", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio()
      // The chances are 0 and then n / (n + 1).
      yield* Effect.replicateEffect(isGranted(rate, first), 1)
      for (let requests = 1; requests < 20; requests++) {
        const chance = requests / (requests + 1)
        expect(yield* refusedAt(rate, requests % 2 === 0 ? chance : chance - 1e-9)).toBe(requests % 2 === 1)
      }
    }).pipe(VirtualClock.run)
  )

  it.effect("lets through about K times what the server accepts", () =>
    Effect.gen(function* () {
      for (const K of [1.1, 2, 3]) {
        const rate = yield* RateLimiter.acceptRatio({ K })
        // The server takes a tenth of all attempts, as long as they are sent.
        let accepted = 0
        const attempts = 10_000
        const count = yield* sent(rate, attempts, (attempt) =>
          accepted < attempt / 10 && (accepted += 1) > 0 ? "Succeeded" : "Throttled"
        )
        expect(Math.abs(count / (K * accepted) - 1)).toBeLessThan(0.1)
      }
    }).pipe(Effect.provide(SeededRandom.layer("accept ratio")), VirtualClock.run)
  )

  it.effect("refuses at once and never waits", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio()
      const count = yield* sent(rate, 1000, () => "Throttled")
      expect(count).toBeLessThan(20)
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
    }).pipe(Effect.provide(SeededRandom.layer("outage")), VirtualClock.run)
  )

  it.effect("recovers slowly when the server is back", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio({ window: "10 seconds" })
      const second = (server: Result) =>
        Effect.zipLeft(
          sent(rate, 100, () => server),
          Effect.sleep("1 second")
        )
      yield* Effect.replicateEffect(second("Throttled"), 20)
      const back = yield* Effect.replicateEffect(second("Succeeded"), 300)
      expect(back[0]).toBeLessThan(10)
      expect(back.slice(-5)).toEqual([100, 100, 100, 100, 100])
    }).pipe(Effect.provide(SeededRandom.layer("recovery")), VirtualClock.run)
  )

  it.effect("forgets what is older than its window", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio({ window: "10 seconds" })
      yield* isGranted(rate, first)
      yield* Effect.sleep("10 seconds")
      expect(yield* refusedAt(rate, 0)).toBe(true)
      yield* Effect.sleep("12 seconds")
      expect(yield* refusedAt(rate, 0)).toBe(false)
    }).pipe(VirtualClock.run)
  )

  it.effect("forgets as before whatever the wall clock is set to", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio({ window: "10 seconds" })
      yield* isGranted(rate, first)
      yield* VirtualClock.setWallTime("10000 days")
      expect(yield* refusedAt(rate, 0)).toBe(true)
      yield* VirtualClock.stepBack("20000 days")
      yield* Effect.sleep("12 seconds")
      expect(yield* refusedAt(rate, 0)).toBe(false)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { failures: undefined, refused: false },
    { failures: "accepted", refused: false },
    { failures: "rejected", refused: true }
  ] as const)("counts failures as accepted or rejected: $failures", ({ failures, refused }) =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio(failures && { failures })
      yield* isGranted(rate, first)
      yield* hear(rate, "Failed")
      expect(yield* refusedAt(rate, 0)).toBe(refused)
    }).pipe(VirtualClock.run)
  )

  it.effect("counts a throttle that must not be retried as rejected", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio()
      yield* isGranted(rate, first)
      yield* fail(rate, Verdict.terminal("not again", { kind: "Throttling" }))
      yield* abandon(rate)
      expect(yield* refusedAt(rate, 0)).toBe(true)
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses with no more than the greatest chance", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio({ maxRejectionProbability: 0.8 })
      yield* Effect.replicateEffect(isGranted(rate, first), 1000)
      expect([yield* refusedAt(rate, 0.8 - 1e-9), yield* refusedAt(rate, 0.8)]).toEqual([true, false])
      const never = yield* RateLimiter.acceptRatio({ maxRejectionProbability: 0 })
      expect(yield* sent(never, 1000, () => "Throttled")).toBe(1000)
    }).pipe(Effect.provide(SeededRandom.layer("greatest chance")), VirtualClock.run)
  )

  it.effect("does not count an attempt that is refunded", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.acceptRatio()
      for (let attempt = 0; attempt < 10; attempt++) {
        const { refund, tokens } = Option.getOrThrow(yield* acquire(rate, first))
        expect([tokens, yield* rate.level]).toEqual([1, 0])
        yield* refund
        expect(yield* rate.level).toBe(1)
      }
    }).pipe(Effect.provide(SeededRandom.layerFixed([])), VirtualClock.run)
  )
})
