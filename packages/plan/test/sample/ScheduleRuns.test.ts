import { AttemptTimeout, Backoff, Classifier, Curve, Deadline, Hint, Policy } from "@effect-retry/core"
import { Plan, SeededRandom } from "@effect-retry/plan"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Context, Duration, Effect, Option, Schedule } from "effect"
import { delaysOf, times } from "../Operations.ts"

const tags = (remarks: ReadonlyArray<{ readonly _tag: string }>) => remarks.map(({ _tag }) => _tag)

describe("Plan.explainSchedule", () => {
  it.effect("steps a schedule in virtual time", () =>
    Effect.gen(function* () {
      const plan = yield* Plan.explainSchedule(Schedule.fibonacci("1 second"), { rows: 6 })
      expect(times(plan)).toEqual({
        earliest: [0, 1_000, 2_000, 4_000, 7_000, 12_000],
        latest: [0, 1_000, 2_000, 4_000, 7_000, 12_000],
        waited: [0, 1_000, 2_000, 4_000, 7_000, 12_000]
      })
      expect(plan.worst.attempts).toBe(Infinity)
      expect(tags(plan.warnings)).toEqual(["NotFollowed"])
      expect(tags(plan.assumptions)).toEqual(["Sampled"])
    })
  )

  it.effect("reports what its runs have shown", () =>
    Effect.gen(function* () {
      const schedule = Schedule.exponential(100).pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))
      const plan = yield* Plan.explainSchedule(schedule, { samples: 500 })
      const close = [
        [120, 80, 100.5, 120],
        [240, 160, 200.5, 240],
        [480, 320, 400.5, 480]
      ]
      const ratios = delaysOf(plan).flatMap((row, i) => row.map((value, j) => value / (close[i]?.[j] ?? NaN)))
      expect(ratios).toHaveLength(12)
      expect(ratios.filter((ratio) => !(Math.abs(ratio - 1) < 0.02))).toEqual([])
      expect(plan.worst.attempts).toBe(4)
      expect(plan.warnings).toEqual([])
      const { latest, waited } = times(plan)
      expect(waited).toEqual(latest)
      expect([plan.worst.waited, plan.worst.elapsed].map(Duration.toMillis)).toEqual([latest[3], latest[3]])
    })
  )

  it.effect("bounds the attempts after the table if one of the runs goes on", () =>
    Effect.gen(function* () {
      // Attempts that take a second end the schedule before the table does.
      const policy = { maxAttempts: 9, backoff: Schedule.spaced(100).pipe(Schedule.upTo(250)) }
      const plan = yield* Plan.explainSchedule(policy, { rows: 3, attemptTakes: 1_000 })
      expect(tags(plan.warnings)).toEqual(["NotFollowed"])
      expect(plan.worst.attempts).toBe(9)
      expect(plan.worst.elapsed).toEqual(Duration.infinity)
    })
  )

  it.effect("warns of the reason that ends the longest runs, and of reasons that end others before", () =>
    Effect.gen(function* () {
      const warnings = (backoff: Schedule.Schedule<unknown>, within: number, attemptTakes: number) =>
        Effect.map(
          Plan.explainSchedule({ maxAttempts: 9, backoff, deadline: Deadline.refuse(within) }, { attemptTakes }),
          ({ warnings }) => warnings
        )
      expect(yield* warnings(Schedule.spaced(100).pipe(Schedule.upTo(250)), 900, 1_000)).toMatchObject([
        { _tag: "AttemptsUnreachable", from: 5, by: "Backoff" },
        { _tag: "AttemptsUncertain", from: 2 }
      ])
      expect(yield* warnings(Schedule.spaced(200), 500, 150)).toMatchObject([
        { _tag: "AttemptsUnreachable", from: 4, by: "Deadline" },
        { _tag: "AttemptsUncertain", from: 3 }
      ])
      expect(yield* warnings(Schedule.spaced(200), 500, 0)).toMatchObject([
        { _tag: "AttemptsUnreachable", from: 4, by: "Deadline" }
      ])
    })
  )

  it.effect("warns of nothing if its longest runs have ended in different ways", () =>
    Effect.gen(function* () {
      // It ends after the second attempt if that is quick; slow ones run into the deadline there.
      const unlessQuick = Schedule.whileOutput(Schedule.elapsed, (elapsed) => Duration.toMillis(elapsed) !== 100)
      const backoff = Schedule.intersect(Schedule.spaced(100), unlessQuick)
      const policy = { maxAttempts: 9, backoff, deadline: Deadline.refuse(1_000) }
      const { warnings, worst } = yield* Plan.explainSchedule(policy, { attemptTakes: 500, samples: 2 })
      expect([worst.attempts, tags(warnings)]).toEqual([2, []])
    })
  )

  it.effect("numbers its attempts, and gives each the timeout of its number", () =>
    Effect.gen(function* () {
      const attemptTimeout = AttemptTimeout.growing({ initial: 100, factor: 2, maximum: 300 })
      const policy = { maxAttempts: 9, attemptTimeout, backoff: Schedule.recurs(2) }
      const { attempts } = yield* Plan.explainSchedule(policy, { samples: 2 })
      expect(attempts.map(({ attempt, attemptTimeout }) => [attempt, attemptTimeout])).toEqual([
        [1, Option.some(Duration.millis(100))],
        [2, Option.some(Duration.millis(200))],
        [3, Option.some(Duration.millis(300))]
      ])
    })
  )

  it.effect("asks for no timeout for an attempt that has no time", () =>
    Effect.gen(function* () {
      const attemptTimeout = AttemptTimeout.fromFunction("by start", (_, startMillis) => 9 - (startMillis % 7))
      const policy = { maxAttempts: 9, attemptTimeout, backoff: Schedule.spaced(100) }
      const plan = yield* Plan.explainSchedule(policy, { rows: 2, samples: 2 })
      expect(plan.worst.elapsed).toEqual(Duration.infinity)
    })
  )

  it.effect.each<readonly [string, Plan.Scheduled | Schedule.Schedule<unknown>]>([
    ["a schedule alone", Schedule.recurs(3)],
    ["a policy of one attempt", { maxAttempts: 1, backoff: Schedule.forever }],
    ["a policy that ignores them", { maxAttempts: 3, backoff: Schedule.forever, hint: Hint.ignore }]
  ])("shows no case with hints of %s", ([, explained]) =>
    Effect.gen(function* () {
      const plan = yield* Plan.explainSchedule(explained as Plan.Scheduled, { samples: 2 })
      expect(plan.hinted).toEqual(Option.none())
    })
  )

  it.effect("gives the same plan for the same seed, whatever Random surrounds it", () =>
    Effect.gen(function* () {
      const plan = Plan.explainSchedule(Schedule.jittered(Schedule.spaced("1 second")), { seed: 7 })
      const first = yield* plan
      expect(yield* Effect.provide(plan, SeededRandom.layerConstant(0.5))).toEqual(first)
      const other = yield* Plan.explainSchedule(Schedule.jittered(Schedule.spaced("1 second")), { seed: 8 })
      expect(times(other)).not.toEqual(times(first))
    })
  )

  it.effect.each([1, 2, 7, 100])("runs a schedule %i times if asked to", (samples) =>
    Effect.gen(function* () {
      let runs = 0
      const counted = Schedule.recurs(3).pipe(Schedule.tapOutput((n) => Effect.sync(() => (runs += n === 0 ? 1 : 0))))
      const plan = yield* Plan.explainSchedule(counted, { samples })
      expect(runs).toBe(samples)
      const message = `the numbers are what ${samples} runs have shown, not limits`
      expect(plan.assumptions).toEqual([{ _tag: "Sampled", runs: samples, message }])
    })
  )

  it.effect("lets a schedule see the time that attempts take", () =>
    Effect.gen(function* () {
      const policy = { maxAttempts: 9, backoff: Schedule.spaced(100).pipe(Schedule.upTo(250)) }
      expect((yield* Plan.explainSchedule(policy)).worst.attempts).toBe(4)
      const slow = yield* Plan.explainSchedule(policy, { attemptTakes: 1_000 })
      expect(times(slow)).toMatchObject({ earliest: [0, 100, 200, 300], latest: [0, 1_100, 200, 300] })
      expect(tags(slow.warnings)).toEqual(["AttemptsUnreachable"])
    })
  )

  it.effect("explains a policy with a foreign schedule", () =>
    Effect.gen(function* () {
      const policy = {
        attemptTimeout: AttemptTimeout.constant(300),
        classifier: Classifier.always,
        maxAttempts: 5,
        backoff: Schedule.spaced(200),
        hint: Hint.within({ above: 50 }),
        deadline: Deadline.refuse("1 second")
      }
      const plan = yield* Plan.explainSchedule(policy)
      expect(times(plan)).toEqual({
        earliest: [0, 200, 400, 600, 800],
        latest: [0, 500, 400, 600, 800],
        waited: [0, 200, 400, 600, 800]
      })
      expect(plan.attempts.map(({ attemptTimeout }) => Option.map(attemptTimeout, Duration.toMillis))).toEqual(
        [300, 300, 300, 300, 200].map(Option.some)
      )
      expect(Option.map(plan.hinted, ({ waited }) => Duration.toMillis(waited))).toEqual(Option.some(800))
      expect(tags(plan.warnings)).toEqual(["AttemptsUncertain"])
      expect(tags(plan.assumptions)).toEqual(["Sampled", "NoHints"])
    })
  )

  it.effect("follows the longest hints in the case with hints, and there alone", () =>
    Effect.gen(function* () {
      const hint = Hint.override({ atMost: 1_000, otherwise: "clamp" })
      const policy = { maxAttempts: 3, backoff: Schedule.spaced(200), hint }
      const { hinted, worst } = yield* Plan.explainSchedule(policy, { samples: 2 })
      expect(worst.waited).toEqual(Duration.millis(400))
      expect(Option.map(hinted, ({ waited }) => waited)).toEqual(Option.some(Duration.millis(2_000)))
    })
  )

  it.effect("sees in a Backoff no more than its plan shows", () =>
    Effect.gen(function* () {
      const backoff = Backoff.fromCurve(Curve.decorrelated({ base: 100 })).pipe(Backoff.capped(2_000))
      const policy = { maxAttempts: 6, backoff: Backoff.max(backoff, Backoff.exponential({ base: 50 })) }
      const exact = times(Plan.explain(policy))
      const seen = times(yield* Plan.explainSchedule(policy, { samples: 1_000 }))
      exact.earliest.forEach((earliest, i) => {
        expect(seen.earliest[i]).toBeGreaterThanOrEqual(earliest)
        expect(seen.latest[i]).toBeLessThanOrEqual(exact.latest[i] ?? NaN)
      })
      expect(seen.latest).toHaveLength(6)
    })
  )

  it.effect("requires what the schedule requires", () => {
    class Pace extends Context.Tag("Pace")<Pace, number>() {}
    const backoff = Schedule.recurs(2).pipe(Schedule.addDelayEffect(() => Pace))
    const plan = Plan.explainSchedule(backoff)
    expectTypeOf(plan).toEqualTypeOf<Effect.Effect<Plan.Plan, never, Pace>>()
    return Effect.map(Effect.provideService(plan, Pace, 30), (plan) => {
      expect(times(plan).latest).toEqual([0, 30, 60])
    })
  })

  it("takes a schedule that reads the error only with an error", () => {
    const reads = Schedule.recurWhile((error: string) => error === "busy")
    // @ts-expect-error there is no error to read
    Plan.explainSchedule(reads)
    expectTypeOf(Plan.explainSchedule(Schedule.mapInput(reads, () => "busy"))).toEqualTypeOf<Effect.Effect<Plan.Plan>>()
    expectTypeOf(Plan.explainSchedule(Policy.standard)).toEqualTypeOf<Effect.Effect<Plan.Plan>>()
  })

  it.each<readonly [Plan.RunOptions, string]>([
    [{ samples: 0 }, "Plan.explainSchedule: samples must be a whole number >= 1 and <= 10000"],
    [{ samples: 1.5 }, "Plan.explainSchedule: samples must be a whole number >= 1 and <= 10000"],
    [{ samples: 10_001 }, "Plan.explainSchedule: samples must be a whole number >= 1 and <= 10000"],
    [{ rows: 0 }, "Plan.explainSchedule: rows must be a whole number >= 1 and <= 1000"],
    [{ attemptTakes: -1 }, "Plan.explainSchedule: attemptTakes must be a finite duration >= 0"]
  ])("refuses %o", (options, message) => {
    expect(() => Plan.explainSchedule(Schedule.forever, options)).toThrow(message)
  })
})
