import { Hint, Retry } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Context, Duration, Effect, Exit, FastCheck, Schedule } from "effect"
import { judge, nowMillis, policy, type Word, world } from "./Recording.ts"
import { runsOf } from "../support/Laws.ts"

const unbounded = { ...policy, maxAttempts: Infinity }

/** When the attempts of an effect that always fails start. */
const starting = (words: ReadonlyArray<Word> = ["busy"]) => {
  const starts: Array<number> = []
  const attempt = Effect.gen(function* () {
    const word = words[Math.min(starts.length, words.length - 1)] ?? "busy"
    starts.push(yield* nowMillis)
    return yield* Effect.fail(word)
  })
  return { attempt, starts }
}

const startsOf = <In>(
  backoff: Schedule.Schedule<unknown, In>,
  run: (
    attempt: Effect.Effect<never, Word, VirtualClock.VirtualClock>
  ) => Effect.Effect<never, Word, VirtualClock.VirtualClock>
) =>
  Effect.gen(function* () {
    const { attempt, starts } = starting()
    yield* Effect.flip(run(attempt))
    return starts
  }).pipe(world)

const schedules: ReadonlyArray<{ readonly name: string; readonly schedule: Schedule.Schedule<unknown> }> = [
  { name: "exponential", schedule: Schedule.intersect(Schedule.exponential("100 millis"), Schedule.recurs(6)) },
  {
    name: "exponential with a factor and parts of milliseconds",
    schedule: Schedule.intersect(Schedule.exponential("100 millis", 1.5), Schedule.recurs(6))
  },
  {
    name: "exponential with jitter",
    schedule: Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(6)))
  },
  { name: "fibonacci under a time limit", schedule: Schedule.fibonacci("1 second").pipe(Schedule.upTo("20 seconds")) },
  { name: "a list", schedule: Schedule.fromDelays("1 second", "3 seconds", "2 seconds") },
  {
    name: "a union",
    schedule: Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("3 seconds")).pipe(
      Schedule.intersect(Schedule.recurs(5))
    )
  },
  { name: "fixed", schedule: Schedule.intersect(Schedule.fixed("7 seconds"), Schedule.recurs(3)) },
  { name: "a sequence", schedule: Schedule.andThen(Schedule.recurs(2), Schedule.fromDelays("1 second", "5 seconds")) },
  { name: "none", schedule: Schedule.stop }
]

describe("Retry.retry under a foreign schedule", () => {
  it.effect.each(schedules)(
    "makes the attempts of Effect.retry, rounded up to whole milliseconds: $name",
    ({ schedule }) =>
      Effect.gen(function* () {
        const ours = yield* startsOf(schedule, Retry.retry({ ...unbounded, backoff: schedule }))
        const native = yield* startsOf(schedule, Effect.retry(schedule))
        expect(ours.length).toBe(native.length)
        const waits = (starts: ReadonlyArray<number>) => starts.slice(1).map((start, i) => start - (starts[i] ?? 0))
        waits(ours).forEach((wait, i) => {
          const asked = waits(native)[i] ?? NaN
          expect(wait).toBe(Math.max(0, Math.ceil(asked - 1e-6)))
        })
      })
  )

  it.effect("stops at a schedule that is done at once, before maxAttempts", () =>
    Effect.gen(function* () {
      const stopped = yield* Effect.flip(
        Retry.orStopped(Effect.fail("busy" as const), { ...policy, backoff: Schedule.stop })
      )
      expect(stopped).toMatchObject({ reason: { _tag: "BackoffEnded" }, attempts: 1 })
    }).pipe(world)
  )

  it.effect("stops at maxAttempts, before a schedule is asked again", () =>
    Effect.gen(function* () {
      let steps = 0
      const backoff = Schedule.tapInput(Schedule.forever, () => Effect.sync(() => void (steps += 1)))
      const stopped = yield* Effect.flip(Retry.orStopped(Effect.fail("busy" as const), { ...policy, backoff }))
      expect(stopped).toMatchObject({ reason: { _tag: "AttemptsSpent" }, attempts: 3 })
      expect(steps).toBe(2)
    }).pipe(world)
  )

  it.effect("gives the schedule the error, or the result that was judged", () =>
    Effect.gen(function* () {
      const read: Array<unknown> = []
      const backoff = Schedule.tapInput(Schedule.forever, (input: Word | number) =>
        Effect.sync(() => void read.push(input))
      )
      let made = 0
      const attempt = Effect.suspend(() => (++made === 1 ? Effect.fail("slow down" as const) : Effect.succeed(made)))
      yield* Retry.retry(attempt, {
        ...policy,
        backoff,
        result: (made: number) => (made === 2 ? judge("busy") : judge("riddle"))
      })
      expect(read).toEqual(["slow down", 2])
    }).pipe(world)
  )

  it.effect("stops when the schedule stops for an error", () =>
    Effect.gen(function* () {
      const { attempt, starts } = starting(["busy", "busy", "slow down"])
      const backoff = Schedule.spaced("1 second").pipe(Schedule.whileInput((word: Word) => word === "busy"))
      expect(yield* Effect.exit(Retry.retry(attempt, { ...unbounded, backoff }))).toEqual(Exit.fail("slow down"))
      expect(starts).toEqual([0, 1_000, 2_000])
    }).pipe(world)
  )

  it.effect("finds the services that the schedule requires where the retry runs", () =>
    Effect.gen(function* () {
      class Limit extends Context.Tag("test/Limit")<Limit, { readonly retries: number }>() {}
      const backoff = Schedule.whileOutputEffect(Schedule.count, (n) => Effect.map(Limit, ({ retries }) => n < retries))
      const { attempt, starts } = starting()
      const retried = Retry.retry(attempt, { ...unbounded, backoff })
      yield* Effect.flip(Effect.provideService(retried, Limit, { retries: 4 }))
      expect(starts.length).toBe(5)
    }).pipe(world)
  )

  it.effect("waits for a very long time, but not for ever, when the schedule says for ever", () =>
    Effect.gen(function* () {
      const { attempt, starts } = starting()
      const backoff = Schedule.exponential("1 second", Number.MAX_VALUE)
      yield* Effect.flip(Retry.retry(attempt, { ...policy, backoff }))
      expect(starts).toEqual([0, 1_000, 1_000 + 9_223_372_036_854])
    }).pipe(world)
  )

  it.effect("bends its delays by the hint, like those of a back-off", () =>
    Effect.gen(function* () {
      const { attempt, starts } = starting(["come back later", "busy"])
      yield* Effect.flip(Retry.retry(attempt, { ...policy, backoff: Schedule.spaced("2 seconds") }))
      expect(starts).toEqual([0, 5_000, 7_000])
    }).pipe(world)
  )

  it.effect("starts over after a hint, if the rule says so", () =>
    Effect.gen(function* () {
      const { attempt, starts } = starting(["busy", "come back later", "busy"])
      const hint = Hint.override({ atMost: "1 minute", otherwise: "giveUp", startsOver: true })
      yield* Effect.flip(
        Retry.retry(attempt, { ...policy, maxAttempts: 5, hint, backoff: Schedule.exponential("1 second") })
      )
      expect(starts).toEqual([0, 1_000, 6_000, 7_000, 9_000])
    }).pipe(world)
  )

  it.effect("tells the schedule the time of the failure", () =>
    Effect.gen(function* () {
      const attempt = Effect.delay(Effect.fail("busy" as const), "300 millis")
      const elapsed: Array<Duration.Duration> = []
      const backoff = Schedule.elapsed.pipe(
        Schedule.addDelay(() => "1 second"),
        Schedule.tapOutput((since) => Effect.sync(() => void elapsed.push(since)))
      )
      yield* Effect.flip(Retry.retry(attempt, { ...policy, maxAttempts: 4, backoff }))
      expect(elapsed.map(Duration.toMillis)).toEqual([0, 1_300, 2_600])
    }).pipe(world)
  )

  it.effect("keeps the state of a schedule to one run of the operation", () =>
    Effect.gen(function* () {
      const backoff = Schedule.recurs(2)
      const retried = Effect.suspend(() => {
        const { attempt, starts } = starting()
        return Effect.as(Effect.flip(Retry.retry(attempt, { ...unbounded, backoff })), starts)
      })
      const all = yield* Effect.all([retried, retried, retried], { concurrency: "unbounded" })
      expect(all.map((starts) => starts.length)).toEqual([3, 3, 3])
    }).pipe(world)
  )

  it.effect.prop(
    "waits what Schedule.run says, whatever the delays",
    [FastCheck.array(FastCheck.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 6 })],
    ([delays]) =>
      Effect.gen(function* () {
        const [first = 0, ...rest] = delays
        const backoff = Schedule.delays(Schedule.fromDelays(first, ...rest))
        const replayed = yield* Schedule.run(backoff, 0, delays)
        const starts = yield* startsOf(backoff, Retry.retry({ ...unbounded, backoff }))
        const waits = starts.slice(1).map((start, i) => start - (starts[i] ?? 0))
        expect(waits).toEqual(Chunk.toReadonlyArray(replayed).slice(0, delays.length).map(Duration.toMillis))
      }).pipe(Effect.provide(SeededRandom.layerFixed([]))),
    { fastCheck: { seed: 2, numRuns: runsOf(50) } }
  )
})
