import { SendRate } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"

const wanted: SendRate.Wanted = { attempt: 1, atMost: Option.none() }

/** How many of so many attempts were let through, each answered with what `server` says. */
const sent = (rate: SendRate.SendRate, attempts: number, server: (attempt: number) => SendRate.Result) =>
  Effect.gen(function* () {
    let sent = 0
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (!(yield* rate.acquire(wanted))) continue
      sent += 1
      yield* rate.heard(server(attempt))
    }
    return sent
  })

/** The chance that a rate has counted: attempts are refused below it and let through from it on. */
const refusedAt = (rate: SendRate.SendRate, u: number) =>
  Effect.provide(
    Effect.map(rate.acquire(wanted), (ok) => !ok),
    SeededRandom.layerConstant(u)
  )

describe("SendRate.chanceOfRejection", () => {
  // Source: https://sre.google/sre-book/handling-overload/, equation of "Client-Side Throttling", read 2026-11-20.
  it.each([
    { requests: 0, accepts: 0, K: 2, chance: 0 },
    { requests: 100, accepts: 100, K: 2, chance: 0 },
    { requests: 100, accepts: 50, K: 2, chance: 0 },
    { requests: 100, accepts: 49, K: 2, chance: 2 / 101 },
    { requests: 100, accepts: 0, K: 2, chance: 100 / 101 },
    { requests: 100, accepts: 50, K: 1.1, chance: 45 / 101 },
    { requests: 99, accepts: 0, K: 1, chance: 0.99 },
    { requests: 1, accepts: 0, K: 2, chance: 0.5 }
  ])("is $chance after $accepts of $requests accepted, with K of $K", ({ K, accepts, chance, requests }) => {
    expect(SendRate.chanceOfRejection(requests, accepts, K)).toBeCloseTo(chance, 12)
  })
})

describe("SendRate.makeAcceptRatio", () => {
  it.effect("draws nothing and sends everything while the server accepts half of it", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAcceptRatio()
      expect(yield* sent(rate, 1000, (attempt) => (attempt % 2 === 1 ? "Succeeded" : "Throttled"))).toBe(1000)
    }).pipe(Effect.provide(SeededRandom.layerFixed([])), VirtualClock.run)
  )

  it.effect("counts what it refuses, and refuses by the formula", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAcceptRatio()
      // The chances are 0 and then n / (n + 1).
      yield* Effect.replicateEffect(rate.acquire(wanted), 1)
      for (let requests = 1; requests < 20; requests++) {
        const chance = requests / (requests + 1)
        expect(yield* refusedAt(rate, requests % 2 === 0 ? chance : chance - 1e-9)).toBe(requests % 2 === 1)
      }
    }).pipe(VirtualClock.run)
  )

  it.effect("lets about K times of what the server accepts through", () =>
    Effect.gen(function* () {
      for (const K of [1.1, 2, 3]) {
        const rate = yield* SendRate.makeAcceptRatio({ K })
        // The server takes a tenth of all attempts, as long as they are sent.
        let accepted = 0
        const attempts = 20_000
        const count = yield* sent(rate, attempts, (attempt) =>
          accepted < attempt / 10 && (accepted += 1) > 0 ? "Succeeded" : "Throttled"
        )
        expect(Math.abs(count / (K * accepted) - 1)).toBeLessThan(0.1)
      }
    }).pipe(Effect.provide(SeededRandom.layer("accept ratio")), VirtualClock.run)
  )

  it.effect("refuses at once and never waits", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAcceptRatio()
      const count = yield* sent(rate, 1000, () => "Throttled")
      expect(count).toBeLessThan(20)
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
    }).pipe(Effect.provide(SeededRandom.layer("outage")), VirtualClock.run)
  )

  it.effect("finds out that the server is back, if slowly", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAcceptRatio({ window: "10 seconds" })
      const second = (server: SendRate.Result) =>
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
      const rate = yield* SendRate.makeAcceptRatio({ window: "10 seconds" })
      yield* rate.acquire(wanted)
      yield* Effect.sleep("10 seconds")
      expect(yield* refusedAt(rate, 0)).toBe(true)
      yield* Effect.sleep("12 seconds")
      expect(yield* refusedAt(rate, 0)).toBe(false)
    }).pipe(VirtualClock.run)
  )

  it.effect("goes on forgetting whatever the clock is set to", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAcceptRatio({ window: "10 seconds" })
      yield* rate.acquire(wanted)
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
  ] as const)("counts failures as told: $failures", ({ failures, refused }) =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAcceptRatio(failures && { failures })
      yield* rate.acquire(wanted)
      yield* rate.heard("Failed")
      expect(yield* refusedAt(rate, 0)).toBe(refused)
    }).pipe(VirtualClock.run)
  )
})
