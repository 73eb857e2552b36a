import { Hedge, TokenBucket } from "@effect-retry/core"
import { Load } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"

const options = { load: 0.3, seed: 1, requests: 600 } as const

const millis = ({ p50, p95, p99, p999 }: Load.Latency) => [p50, p95, p99, p999].map(Duration.toMillis)

const p95 = { maxAttempts: 2, delay: Hedge.percentile({ at: 0.95 }) }

describe("Load.latency", () => {
  it.effect("gives the same outcome for the same seed", () =>
    Effect.gen(function* () {
      const client = { hedge: p95, bucket: TokenBucket.requestRatio({ ratio: 0.1, floorPerSecond: 0 }) }
      const few = { ...options, requests: 200 }
      const [first, second] = yield* Effect.all([Load.latency(client, few), Load.latency(client, few)])
      expect(second).toEqual(first)
      expect(yield* Load.latency(client, { ...few, seed: 2 })).not.toEqual(first)
    })
  )

  it.effect("sends each request once without a hedge, and does no more work than it takes", () =>
    Effect.gen(function* () {
      const outcome = yield* Load.latency({}, options)
      expect(outcome.hedges).toBe(0)
      expect(outcome.work).toBeCloseTo(1, 12)
      expect(millis(outcome)).toEqual(millis(outcome).toSorted((one, other) => one - other))
    })
  )

  it.effect("has the service times of its servers when nothing waits", () =>
    Effect.gen(function* () {
      const { p50, p95, p99 } = yield* Load.latency({}, { ...options, load: 0.001, slow: 0, requests: 4_000 })
      // Of an exponential distribution with a mean of 10 ms.
      const expected = [0.5, 0.95, 0.99].map((share) => -10 * Math.log(1 - share))
      for (const [index, time] of [p50, p95, p99].entries()) {
        expect(Math.abs(Duration.toMillis(time) / expected[index]! - 1)).toBeLessThan(0.15)
      }
    })
  )

  it.effect("is that of servers ten times as slow when all requests are slow", () =>
    Effect.gen(function* () {
      const slow = yield* Load.latency({}, { ...options, slow: 1, serviceTime: "10 millis" })
      const slower = yield* Load.latency({}, { ...options, slow: 0, serviceTime: "100 millis" })
      for (const [index, time] of millis(slow).entries()) expect(time).toBeCloseTo(millis(slower)[index]!, 6)
    })
  )

  it.effect("halves the 99th percentile by a hedge at the 95th, for about one more request in twenty", () =>
    Effect.gen(function* () {
      const many = { ...options, requests: 1_500 }
      const [alone, hedged] = yield* Effect.all([Load.latency({}, many), Load.latency({ hedge: p95 }, many)])
      expect(Duration.toMillis(hedged.p99)).toBeLessThan(Duration.toMillis(alone.p99) / 2)
      expect(hedged.hedges).toBeGreaterThan(0.03)
      expect(hedged.hedges).toBeLessThan(0.12)
    })
  )

  it.effect("works more when servers serve clients that have gone", () =>
    Effect.gen(function* () {
      const hedge = { maxAttempts: 2, delay: 20 }
      const busy = { ...options, load: 0.6 }
      const dropped = yield* Load.latency({ hedge }, { ...busy, abandoned: "drop" })
      const served = yield* Load.latency({ hedge }, { ...busy, abandoned: "serve" })
      expect(served.work).toBeGreaterThan(dropped.work)
    })
  )

  it.effect("hedges no more than the bucket pays for", () =>
    Effect.gen(function* () {
      const bucket = TokenBucket.requestRatio({ ratio: 0.05, floorPerSecond: 0, window: "1 hour" })
      const { hedges } = yield* Load.latency({ hedge: { maxAttempts: 2, delay: 5 }, bucket }, options)
      // The first tenth, which is not measured, may leave its part of them.
      expect(hedges).toBeLessThanOrEqual(0.05 * (1500 / 1350))
      expect(hedges).toBeGreaterThan(0.04)
    })
  )

  it.each<[object, string]>([
    [{ load: 0 }, "load must be > 0, got 0"],
    [{ slow: 2 }, "slow must be >= 0 and <= 1, got 2"],
    [{ servers: 1 }, "servers must be a whole number >= 2, got 1"],
    [{ requests: 5 }, "requests must be a whole number >= 10, got 5"],
    [{ serviceTime: 0 }, "serviceTime must be a finite duration > 0, got 0"],
    [{ abandoned: "keep" }, 'abandoned must be one of drop, serve, got "keep"']
  ])("refuses %o", (wrong, message) => {
    expect(() => Load.latency({}, { ...options, ...wrong })).toThrow(`Load.latency: ${message}`)
  })
})
