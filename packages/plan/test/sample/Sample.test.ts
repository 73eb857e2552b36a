import { AttemptTimeout, Backoff, Deadline, Jitter, Policy, Verdict } from "@effect-retry/core"
import { Plan, SeededRandom } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck as fc, Random, Schedule } from "effect"
import { law } from "../../../core/test/support/Laws.ts"
import { operation, policies } from "../Operations.ts"

const full = Backoff.exponential({ base: 100 }).pipe(Backoff.jittered(Jitter.full))

const options = { seed: "plan", samples: 2_000, failureProbability: 1 }

const millis = ({ waited }: Plan.Sample) => [waited.p50, waited.p90, waited.p99, waited.max].map(Duration.toMillis)

describe("Plan.sample", () => {
  it.effect("gives the same sample for the same seed, whatever Random surrounds it", () =>
    Effect.gen(function* () {
      const sample = Plan.sample(Policy.standard, { ...options, failureProbability: 0.5 })
      const first = yield* sample
      expect(yield* Effect.provide(sample, SeededRandom.layerConstant(0.5))).toEqual(first)
      const other = yield* Plan.sample(Policy.standard, { ...options, failureProbability: 0.5, seed: 1 })
      expect(other.waited).not.toEqual(first.waited)
    })
  )

  it.effect("leaves the surrounding Random alone", () =>
    Effect.gen(function* () {
      yield* Plan.sample(Policy.standard, options)
      expect(yield* Random.next).toBe(0.25)
    }).pipe(Effect.provide(SeededRandom.layerFixed([0.25])))
  )

  it.effect("adds the load of the formula", () =>
    Effect.gen(function* () {
      for (const probability of [0, 0.1, 0.5, 1]) {
        for (const maxAttempts of [1, 4]) {
          const samples = 2_000
          const policy = { maxAttempts, backoff: full }
          const sample = yield* Plan.sample(policy, { seed: 1, samples, failureProbability: probability })
          const load = probability === 1 ? maxAttempts : (1 - probability ** maxAttempts) / (1 - probability)
          expect(Math.abs(sample.loadFactor - load)).toBeLessThan(0.05)
          expect(Math.abs(sample.succeeded - (1 - probability ** maxAttempts))).toBeLessThan(0.02)
        }
      }
    })
  )

  it.effect("ranks what operations waited", () =>
    Effect.gen(function* () {
      const sample = yield* Plan.sample(
        { maxAttempts: 2, backoff: Backoff.jittered(Backoff.constant({ delay: 1000 }), Jitter.full) },
        options
      )
      const [p50 = NaN, p90 = NaN, p99 = NaN, max = NaN] = millis(sample)
      expect(Math.abs(p50 - 500)).toBeLessThan(40)
      expect(Math.abs(p90 - 900)).toBeLessThan(25)
      expect(Math.abs(p99 - 990)).toBeLessThan(8)
      expect(max).toBeLessThanOrEqual(1000)
      expect(max).toBeGreaterThan(p99)
      expect(sample.attempts).toEqual({ p50: 2, p90: 2, p99: 2, max: 2 })
    })
  )

  it.effect("takes quantiles by the nearest rank", () =>
    Effect.gen(function* () {
      const backoff = Backoff.fromDelays([10, 20, 30])
      const sample = yield* Plan.sample({ maxAttempts: 4, backoff }, { ...options, failureProbability: 1, samples: 1 })
      expect(millis(sample)).toEqual([60, 60, 60, 60])
      expect(sample).toMatchObject({ succeeded: 0, loadFactor: 4, attempts: { p50: 4, max: 4 } })
    })
  )

  it.effect("lets deadlines and timeouts end operations", () =>
    Effect.gen(function* () {
      const policy = { maxAttempts: 9, backoff: Backoff.constant({ delay: 100 }) }
      const sampled = (changed: Partial<Plan.Explainable>, attemptTakes = 50) =>
        Effect.map(
          Plan.sample({ ...policy, ...changed }, { ...options, samples: 1, failureProbability: 0, attemptTakes }),
          (sample) => [sample.succeeded, sample.attempts.max, Duration.toMillis(sample.waited.max)]
        )
      const attemptTimeout = AttemptTimeout.constant(20)
      expect(yield* sampled({})).toEqual([1, 1, 0])
      expect(yield* sampled({ attemptTimeout })).toEqual([0, 9, 800])
      expect(yield* sampled({ attemptTimeout, deadline: Deadline.refuse(250) })).toEqual([0, 3, 200])
      expect(yield* sampled({ attemptTimeout, deadline: Deadline.truncate(250, { reserve: 1 }) })).toEqual([0, 3, 200])
      expect(yield* sampled({ attemptTimeout, deadline: Deadline.cut(250) })).toEqual([0, 3, 200])
      expect(yield* sampled({ attemptTimeout, deadline: Deadline.cut(300) })).toEqual([0, 3, 240])
      expect(yield* sampled({ deadline: Deadline.cut(50) })).toEqual([0, 1, 0])
      expect(yield* sampled({ deadline: Deadline.cut(51) })).toEqual([1, 1, 0])
      const judged = AttemptTimeout.judged(attemptTimeout, Verdict.terminal("outcome unknown"))
      expect(yield* sampled({ attemptTimeout: judged })).toEqual([0, 1, 0])
    })
  )

  it.effect("orders operations by their attempts", () =>
    Effect.gen(function* () {
      const policy = { maxAttempts: 3, backoff: Backoff.constant({ delay: 1 }) }
      const sample = yield* Plan.sample(policy, { ...options, samples: 100, failureProbability: 0.4 })
      // 60, 24 and 16 of a hundred.
      expect(sample.attempts).toEqual({ p50: 1, p90: 3, p99: 3, max: 3 })
    })
  )

  it.effect("fails with the kind it is told", () =>
    Effect.gen(function* () {
      const backoff = Backoff.byKind({
        Throttling: Backoff.constant({ delay: 7 }),
        orElse: Backoff.constant({ delay: 1 })
      })
      const policy = { maxAttempts: 2, backoff }
      expect(millis(yield* Plan.sample(policy, { ...options, kind: "Throttling" }))).toEqual([7, 7, 7, 7])
      expect(millis(yield* Plan.sample(policy, options))).toEqual([1, 1, 1, 1])
    })
  )

  it.effect("gives up operations that do not end", () =>
    Effect.gen(function* () {
      const policy = { maxAttempts: Infinity, backoff: Backoff.constant({ delay: 1 }) }
      const sample = yield* Plan.sample(policy, { ...options, samples: 2 })
      expect(sample).toMatchObject({ succeeded: 0, loadFactor: 1_000 })
    })
  )

  it.effect("samples any schedule", () =>
    Effect.gen(function* () {
      const policy = {
        maxAttempts: 10,
        backoff: Schedule.exponential(100).pipe(Schedule.jittered, Schedule.upTo(1_000))
      }
      const sample = yield* Plan.sample(policy, { ...options, samples: 200 })
      expect(sample.attempts).toEqual({ p50: 5, p90: 5, p99: 5, max: 5 })
      const [p50 = NaN, , , max = NaN] = millis(sample)
      expect(Math.abs(p50 - 1_500)).toBeLessThan(30)
      expect(max).toBeGreaterThan(1_650)
      expect(max).toBeLessThanOrEqual(1_800)
    })
  )

  it.effect.prop(
    "makes the operations that the loop makes",
    [policies, fc.integer(), fc.nat(3_000)],
    ([policy, seed, takes]) =>
      Effect.gen(function* () {
        const seen = yield* operation(policy, () => ({ ranMillis: takes, kind: "Timeout" })).pipe(
          Effect.provide(SeededRandom.layer(seed))
        )
        const sample = yield* Plan.sample(policy, {
          seed,
          samples: 1,
          failureProbability: 1,
          attemptTakes: takes,
          kind: "Timeout"
        })
        expect([sample.attempts.max, Duration.toMillis(sample.waited.max)]).toEqual([seen.starts.length, seen.waited])
      }),
    { ...law(30), timeout: 600_000 }
  )

  it.each<readonly [Partial<Plan.SampleOptions>, string]>([
    [{ samples: 0 }, "Plan.sample: samples must be a whole number >= 1"],
    [{ samples: 1.5 }, "Plan.sample: samples must be a whole number >= 1"],
    [{ failureProbability: 1.1 }, "Plan.sample: failureProbability must be >= 0 and <= 1"],
    [{ failureProbability: NaN }, "Plan.sample: failureProbability must be"],
    [{ kind: "Never" as never }, "Plan.sample: kind must be one of Transient, Throttling, Timeout, Server, Client"],
    [{ attemptTakes: -1 }, "Plan.sample: attemptTakes must be a finite duration >= 0"]
  ])("refuses %o", (changed, message) => {
    expect(() => Plan.sample(Policy.standard, { ...options, ...changed })).toThrow(message)
  })
})
