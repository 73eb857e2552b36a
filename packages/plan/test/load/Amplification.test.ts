import { Backoff, TokenBucket } from "@effect-retry/core"
import { Load } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const threeAttempts = { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }

const options = { failureProbability: 0.5, requests: 10_000, seed: 1 }

describe("Load.amplification", () => {
  it.effect.each([
    { p: 0, loadFactor: 1, succeeded: 1 },
    { p: 0.5, loadFactor: 1 + 0.5 + 0.25, succeeded: 1 - 0.125 },
    { p: 1, loadFactor: 3, succeeded: 0 }
  ])("counts attempts and successes at p = $p", ({ loadFactor, p, succeeded }) =>
    Effect.gen(function* () {
      const outcome = yield* Load.amplification({ policy: threeAttempts }, { ...options, failureProbability: p })
      expect(Math.abs(outcome.loadFactor - loadFactor)).toBeLessThan(0.02)
      expect(Math.abs(outcome.succeeded - succeeded)).toBeLessThan(0.02)
    })
  )

  it.effect("makes as many requests as it is asked for", () =>
    Effect.gen(function* () {
      const few = { ...options, failureProbability: 0, requests: 3 }
      expect(yield* Load.amplification({ policy: threeAttempts }, few)).toEqual({ loadFactor: 1, succeeded: 1 })
    })
  )

  it.effect("refills buckets at the pace of the requests", () =>
    Effect.gen(function* () {
      const client = {
        policy: threeAttempts,
        bucket: TokenBucket.successRatio({ ratio: 0, capacity: 10, floorPerSecond: 10 })
      }
      const amplified = (requestsPerSecond: number) =>
        Load.amplification(client, { ...options, failureProbability: 1, requests: 2_000, requestsPerSecond })
      // Ten retries from the start, and ten a second.
      expect((yield* amplified(100)).loadFactor).toBeCloseTo(1 + (10 + 20 * 10) / 2_000, 2)
      expect((yield* amplified(50)).loadFactor).toBeCloseTo(1 + (10 + 40 * 10) / 2_000, 2)
    })
  )

  it.effect("gives the same outcome for the same seed, and another for another", () =>
    Effect.gen(function* () {
      const few = { ...options, requests: 100 }
      const first = yield* Load.amplification({ policy: threeAttempts }, few)
      expect(yield* Load.amplification({ policy: threeAttempts }, few)).toEqual(first)
      expect(yield* Load.amplification({ policy: threeAttempts }, { ...few, seed: 2 })).not.toEqual(first)
    })
  )

  it.each<readonly [Partial<Load.AmplificationOptions>, string]>([
    [{ failureProbability: 1.5 }, "Load.amplification: failureProbability must be >= 0 and <= 1, got 1.5"],
    [{ requests: 0 }, "Load.amplification: requests must be a whole number >= 1, got 0"],
    [{ requestsPerSecond: 0 }, "Load.amplification: requestsPerSecond must be > 0, got 0"]
  ])("refuses %o", (changed, message) => {
    expect(() => Load.amplification({ policy: threeAttempts }, { ...options, ...changed })).toThrow(message)
  })
})
