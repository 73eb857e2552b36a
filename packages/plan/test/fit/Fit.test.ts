import { TokenBucket } from "@effect-retry/core"
import { Fit, Load, Plan } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import * as Draws from "../../src/chance/Draws.ts"
import * as LatencyModel from "../../src/fit/LatencyModel.ts"
import * as Trial from "../../src/fit/Trial.ts"

interface Changes {
  readonly server?: Partial<Fit.Options["server"]>
  readonly wish?: Partial<Fit.Options["wish"]>
  readonly seed?: number | string
  readonly operations?: number
}

const options = ({ operations = 500, seed = 1, server, wish }: Changes): Fit.Options => ({
  server: { failureProbability: 0.1, latency: "20 millis", ...server },
  wish: { succeeded: 0.9, within: "2 seconds", ...wish },
  seed,
  operations
})

const fit = (changes: Changes) => Fit.fit(options(changes))

const met = (changes: Changes): Effect.Effect<Fit.Fitted> =>
  Effect.map(fit(changes), (found) => {
    expect(found._tag).toBe("Met")
    return found._tag === "Met" ? found.best : found.nearest
  })

const figuresOf = (client: Fit.Fitted["client"], setting: Trial.Setting): Trial.Figures =>
  Trial.figures(Trial.run(client, setting), setting, Infinity)

const outage = { lasts: "4 seconds", every: "30 seconds" } as const

const seeds = [1, "two"]

describe("Fit.fit", () => {
  it.effect("answers with one attempt when nothing fails", () =>
    Effect.gen(function* () {
      const { client, load, outageLoad, succeeded } = yield* met({
        server: { failureProbability: 0 },
        wish: { succeeded: 1 }
      })
      expect(client.policy.maxAttempts).toBe(1)
      expect({ succeeded: succeeded.mean, load: load.mean, outageLoad }).toEqual({
        succeeded: 1,
        load: 1,
        outageLoad: Option.none()
      })
      // Five hundred operations without a failure do not show that there is none.
      expect(succeeded.low).toBeGreaterThan(0.98)
      expect(succeeded.low).toBeLessThan(1)
    })
  )

  // Each wish is half way between 1 - p^(n - 1) and 1 - p^n.
  it.effect.each([
    { p: 0.1, succeeded: 0.945, attempts: 2 },
    { p: 0.3, succeeded: 0.595, attempts: 1 },
    { p: 0.3, succeeded: 0.805, attempts: 2 },
    { p: 0.3, succeeded: 0.941, attempts: 3 },
    { p: 0.5, succeeded: 0.62, attempts: 2 },
    { p: 0.5, succeeded: 0.8125, attempts: 3 },
    { p: 0.5, succeeded: 0.906, attempts: 4 }
  ])("makes the least n attempts with 1 - $p^n >= $succeeded", ({ attempts, p, succeeded }) =>
    Effect.gen(function* () {
      for (const seed of seeds) {
        const { client, load } = yield* met({
          server: { failureProbability: p },
          wish: { succeeded },
          seed,
          operations: 2000
        })
        expect(client.policy.maxAttempts).toBe(attempts)
        const expected = (1 - p ** attempts) / (1 - p)
        expect(load.low - 0.03).toBeLessThan(expected)
        expect(load.high + 0.03).toBeGreaterThan(expected)
      }
    })
  )

  it.effect("takes a bucket when the load in an outage is bounded", () =>
    Effect.gen(function* () {
      const server = { failureProbability: 0.02, outage: { lasts: "20 seconds", every: "2 minutes" } } as const
      const { client, code, outageLoad, succeeded } = yield* met({ server, wish: { succeeded: 0.8, outageLoad: 1.1 } })
      expect(client.policy.maxAttempts).toBe(1)
      const bounded = yield* met({ server, wish: { succeeded: succeeded.mean + 0.01, outageLoad: 1.1 } })
      expect(client.bucket).toBeUndefined()
      expect(bounded.code).toContain("const bucket = TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })")
      expect(code).not.toContain("bucket")
      // Two hundred operations begin in the outage, and the bucket holds ten tokens.
      expect(Option.getOrThrow(bounded.outageLoad).mean).toBeCloseTo(1.05, 1)
      expect(Option.getOrThrow(outageLoad).mean).toBe(1)
    })
  )

  it.effect("waits longer when the outage is short", () =>
    Effect.gen(function* () {
      const server = { failureProbability: 0, outage: { lasts: "1 second", every: "1 minute" } } as const
      const { code } = yield* met({ server, wish: { succeeded: 0.995, within: "5 seconds" } })
      expect(code).toContain('Backoff.exponential({ base: "2 seconds" })')
    })
  )

  it.effect("keeps to the load that is allowed in an outage", () =>
    Effect.gen(function* () {
      const server = { failureProbability: 0, outage: { lasts: "1 second", every: "1 minute" } } as const
      const wish = { succeeded: 0.995, within: "5 seconds" } as const
      const { outageLoad } = yield* met({ server, wish })
      expect(Option.getOrThrow(outageLoad).mean).toBeGreaterThan(1.05)
      expect((yield* fit({ server, wish: { ...wish, outageLoad: 1.05 } }))._tag).toBe("Missed")
    })
  )

  it.effect("cuts attempts off when few of them take very long", () =>
    Effect.gen(function* () {
      const measured = Array.from({ length: 100 }, (_, i) => (i < 97 ? "20 millis" : "1 minute"))
      const server = { failureProbability: 0, latency: { measured } } as const
      const { code } = yield* met({ server, wish: { succeeded: 0.99 } })
      expect(code).toContain('attemptTimeout: AttemptTimeout.constant("20 millis")')
    })
  )

  it.effect("names the nearest policy when none fits", () =>
    Effect.gen(function* () {
      const found = yield* fit({ server: { failureProbability: 0.9 }, wish: { succeeded: 0.99 } })
      expect(found._tag).toBe("Missed")
      expect(found._tag === "Missed" && found.nearest.client.policy.maxAttempts).toBe(8)
      const slow = yield* fit({ server: { latency: "3 seconds" } })
      expect(slow._tag === "Missed" && slow.nearest.succeeded.mean).toBe(0)
      expect(slow._tag === "Missed" && slow.nearest.client.policy.maxAttempts).toBe(1)
    })
  )

  it.effect("names the next best one, with other parts and with no less load", () =>
    Effect.gen(function* () {
      const found = yield* fit({ server: { failureProbability: 0.1, outage }, wish: { succeeded: 0.84 } })
      expect(found._tag).toBe("Met")
      if (found._tag !== "Met") return
      const runnerUp = Option.getOrThrow(found.runnerUp)
      expect(runnerUp.code).not.toBe(found.best.code)
      expect(runnerUp.load.mean).toBeGreaterThanOrEqual(found.best.load.mean)
      expect(runnerUp.succeeded.mean).toBeGreaterThanOrEqual(0.84)
    })
  )

  it.effect("gives the same answer for the same seed, and other figures for another", () =>
    Effect.gen(function* () {
      const shown = (changes: Changes) =>
        Effect.map(met(changes), ({ code, load, outageLoad, succeeded }) => ({ code, load, outageLoad, succeeded }))
      const changes = { server: { outage }, wish: { succeeded: 0.84, outageLoad: 1.3 } }
      const first = yield* shown(changes)
      expect(yield* shown(changes)).toEqual(first)
      expect((yield* shown({ ...changes, seed: 2 })).succeeded).not.toEqual(first.succeeded)
    })
  )

  it.effect("never answers a looser wish with more load", () =>
    Effect.gen(function* () {
      const latency = { p50: "20 millis", p99: "600 millis" } as const
      const server = { failureProbability: 0.2, latency, outage, operationsPerSecond: 2 }
      const loadOf = (wish: Partial<Fit.Options["wish"]>) =>
        Effect.map(fit({ server, wish, operations: 100 }), (found) =>
          found._tag === "Met" ? found.best.load.mean : Infinity
        )
      const loads: Array<number> = []
      for (const succeeded of [0.85, 0.82, 0]) loads.push(yield* loadOf({ succeeded }))
      expect(loads).toEqual(loads.toSorted((a, b) => b - a))
      expect(loads.at(-1)).toBe(1)
      const bounded: Array<number> = []
      for (const outageLoad of [1.2, 2]) bounded.push(yield* loadOf({ succeeded: 0.82, outageLoad }))
      expect(bounded).toEqual(bounded.toSorted((a, b) => b - a))
    })
  )

  it.effect("makes no more simulations than it says", () =>
    Effect.gen(function* () {
      const latency = { p50: "1 millis", p99: "2 millis" } as const
      const server = { failureProbability: 1, latency, outage, operationsPerSecond: 1 }
      const found = yield* fit({ server, wish: { within: "10 seconds", succeeded: 1 }, operations: 100 })
      // Three delays without a bucket, and with two buckets each of them with seven numbers of attempts; timeouts would double it.
      expect(found.simulations).toBeLessThanOrEqual(3 + 2 * 3 * 7)
      expect(found.simulations).toBeGreaterThan(3 + 2 * 3)
    })
  )

  it.effect("can be interrupted between two simulations", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(fit({ server: { failureProbability: 0.9 }, wish: { succeeded: 1 } }))
      yield* Effect.yieldNow()
      expect((yield* Fiber.interrupt(fiber))._tag).toBe("Failure")
    })
  )

  it.effect("gives figures that other simulations agree with", () =>
    Effect.gen(function* () {
      const { client, load, succeeded } = yield* met({ server: { failureProbability: 0.3 }, operations: 4000 })
      const other = { seed: 99, failureProbability: 0.3 }
      const sample = yield* Plan.sample(client.policy, { ...other, samples: 20_000 })
      const amplified = yield* Load.amplification(client, { ...other, requests: 5_000 })
      for (const share of [sample.succeeded, amplified.succeeded]) {
        expect(share).toBeGreaterThan(succeeded.low)
        expect(share).toBeLessThan(succeeded.high)
      }
      for (const factor of [sample.loadFactor, amplified.loadFactor]) {
        expect(factor).toBeGreaterThan(load.low)
        expect(factor).toBeLessThan(load.high)
      }
    })
  )

  it.effect("gives intervals in which other seeds fall, through an outage too", () =>
    Effect.gen(function* () {
      const wish = { succeeded: 0.82, within: "2 seconds", outageLoad: 1.5 } as const
      const { client, load, outageLoad, succeeded } = yield* met({ server: { outage }, wish })
      const again = Array.from({ length: 20 }, (_, i) =>
        figuresOf(client, {
          failureProbability: 0.1,
          latency: LatencyModel.make("test", "latency", "20 millis"),
          requestsPerMilli: 0.01,
          withinMillis: 2000,
          outage: { lastsMillis: 4000, everyMillis: 30_000 },
          calm: 100,
          draws: Draws.make(`other ${i}`)
        })
      )
      const mean = (of: (figures: Trial.Figures) => number) =>
        again.reduce((sum, one) => sum + of(one), 0) / again.length
      const expectWithin = ({ high, low }: Trial.Figures["load"], value: number) => {
        expect(value).toBeGreaterThan(low)
        expect(value).toBeLessThan(high)
      }
      expectWithin(
        succeeded,
        mean((figures) => figures.succeeded.mean)
      )
      expectWithin(
        load,
        mean((figures) => figures.load.mean)
      )
      expectWithin(
        Option.getOrThrow(outageLoad),
        mean((figures) => figures.outageLoad?.mean ?? 0)
      )
      // The true mean is in most of the intervals of the others: 95 of 100, less for so few runs.
      const truth = mean((figures) => figures.load.mean)
      expect(again.filter(({ load }) => load.low <= truth && truth <= load.high).length).toBeGreaterThanOrEqual(17)
    })
  )

  it.effect("answers with a client of its own buckets", () =>
    Effect.gen(function* () {
      const server = { failureProbability: 0.02, outage } as const
      const { client } = yield* met({ server, wish: { succeeded: 0.85, outageLoad: 1.4 } })
      const bucket = yield* client.bucket ?? TokenBucket.successRatio({ ratio: 0, capacity: 1 })
      expect(yield* bucket.level).toBe(10)
      expect(Plan.explain(client.policy).worst.attempts).toBe(client.policy.maxAttempts)
    })
  )

  it.each<readonly [Changes, string]>([
    [{ seed: NaN }, "Fit.fit: seed must be a text or a finite number, got NaN"],
    [{ operations: 10 }, "Fit.fit: operations must be a whole number >= 100 and <= 100000, got 10"],
    [{ wish: { succeeded: 1.5 } }, "Fit.fit: wish.succeeded must be >= 0 and <= 1, got 1.5"],
    [{ wish: { within: 0 } }, "Fit.fit: wish.within must be a finite duration >= 1ms, got 0"],
    [{ wish: { outageLoad: 2 } }, "Fit.fit: wish.outageLoad must be absent where server.outage is, got 2"],
    [{ wish: { outageLoad: 0.5 }, server: { outage } }, "Fit.fit: wish.outageLoad must be >= 1, got 0.5"],
    [{ server: { failureProbability: -1 } }, "Fit.fit: server.failureProbability must be >= 0 and <= 1, got -1"],
    [{ server: { latency: Infinity } }, "Fit.fit: server.latency must be a finite duration >= 0, got Infinity"],
    [
      { server: { latency: { p50: "2 seconds", p99: "1 second" } } },
      "Fit.fit: server.latency.p99 must be a finite duration >= 2s, got"
    ],
    [
      { server: { latency: { measured: [] } } },
      "Fit.fit: server.latency.measured must be an array of 1 to 100000 durations"
    ],
    [
      { server: { latency: { measured: [1, -1] } } },
      "Fit.fit: server.latency.measured[1] must be a finite duration >= 0, got -1"
    ],
    [{ server: { operationsPerSecond: 0 } }, "Fit.fit: server.operationsPerSecond must be > 0, got 0"],
    [
      { server: { operationsPerSecond: 10_000, outage } },
      "Fit.fit: server.operationsPerSecond must be so few that at most 20000 operations begin around an outage"
    ],
    [
      { server: { outage: { lasts: 0, every: "1 minute" } } },
      "Fit.fit: server.outage.lasts must be a finite duration >= 1ms, got 0"
    ],
    [
      { server: { outage: { lasts: "10 seconds", every: "11 seconds" } } },
      "Fit.fit: server.outage.every must be a finite duration >= 14s, got"
    ]
  ])("refuses %o", (changes, message) => {
    expect(() => fit(changes)).toThrow(message)
  })
})
