import {
  AttemptTimeout,
  Backoff,
  type Classifier,
  Curve,
  Deadline,
  InvalidArgument,
  Jitter,
  Policy,
  Retry,
  Verdict
} from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Chunk, Context, Duration, Effect, Exit, Layer, Option, Random, Schedule, Stream } from "effect"
import { Bucket, judge, Limiter, nowMillis, policy, type Word, world } from "./Recording.ts"

/** Fails with each word in turn, and then succeeds; writes down when it started. */
const scripted = (words: ReadonlyArray<Word>) => {
  const starts: Array<number> = []
  const attempt = Effect.gen(function* () {
    const word = words[starts.length]
    starts.push(yield* nowMillis)
    if (word !== undefined) yield* Effect.fail(word)
  })
  return { attempt, starts }
}

/** When the attempts start, and how it ends. */
const traced = (
  words: ReadonlyArray<Word>,
  seed: number,
  run: (
    attempt: Effect.Effect<void, Word, VirtualClock.VirtualClock>
  ) => Effect.Effect<void, Word, VirtualClock.VirtualClock>
) =>
  Effect.gen(function* () {
    const { attempt, starts } = scripted(words)
    const exit = yield* Effect.exit(run(attempt))
    return { starts, exit, drawnNext: yield* Random.next }
  }).pipe(Effect.provide(SeededRandom.layer(seed)), VirtualClock.run)

describe("Policy.toSchedule", () => {
  it.effect("tells the classifier the time, the attempt, and how long ago the first one failed", () =>
    Effect.gen(function* () {
      const moments: Array<readonly [number, number, number]> = []
      const classifier = (word: Word, { attempt, elapsed, nowMillis }: Classifier.Moment) => {
        moments.push([nowMillis, attempt, Duration.toMillis(elapsed)])
        return judge(word)
      }
      const failing = Effect.delay(Effect.fail("busy" as const), "5 seconds")
      yield* Effect.flip(Effect.retry(failing, Policy.toSchedule({ ...policy, classifier })))
      expect(moments).toEqual([
        [5_000, 1, 0],
        [11_000, 2, 6_000],
        [17_000, 3, 12_000]
      ])
    }).pipe(world)
  )

  it.effect("answers with the delays", () =>
    Effect.gen(function* () {
      const schedule = Policy.toSchedule({
        ...policy,
        backoff: Backoff.fromCurve(Curve.linear({ base: "1 second", step: "1 second" })),
        maxAttempts: 4
      })
      const outputs = yield* Schedule.run(schedule, 0, ["busy", "busy", "busy", "busy"] as const)
      expect(Chunk.toReadonlyArray(outputs).map(Duration.toMillis)).toEqual([1_000, 2_000, 3_000, 0])
    })
  )

  it.effect("counts its deadline from the first failure", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const attempt = Effect.gen(function* () {
        starts.push(yield* nowMillis)
        yield* Effect.sleep("10 seconds")
        yield* Effect.fail("busy" as const)
      })
      const bounded = { ...policy, maxAttempts: 100, deadline: Deadline.refuse("20 seconds") }
      yield* Effect.flip(Effect.retry(attempt, Policy.toSchedule(bounded)))
      // Failures at 10 and 21 seconds: 0 and 11 seconds of the deadline's own time.
      expect(starts).toEqual([0, 11_000, 22_000])
      starts.length = 0
      yield* Effect.flip(Retry.retry(attempt, bounded))
      expect(starts.length).toBe(2)
    }).pipe(world)
  )

  it.effect("lets a back-off start over after an attempt that ran long, from the second failure on", () =>
    Effect.gen(function* () {
      const backoff = Backoff.resetAfter(
        Backoff.fromCurve(Curve.linear({ base: "1 second", step: "1 second" })),
        "1 minute"
      )
      const durations = ["1 hour", "0 millis", "0 millis", "1 hour", "0 millis"] as const
      const waits = (run: (attempt: Effect.Effect<void, "busy">) => Effect.Effect<void, "busy">) =>
        Effect.gen(function* () {
          const ends: Array<number> = []
          const starts: Array<number> = []
          const attempt = Effect.gen(function* () {
            const duration = durations[starts.length]
            starts.push(yield* Effect.clockWith((clock) => clock.currentTimeMillis))
            if (duration === undefined) return
            yield* Effect.sleep(duration)
            ends.push(yield* Effect.clockWith((clock) => clock.currentTimeMillis))
            yield* Effect.fail("busy" as const)
          })
          yield* run(attempt)
          return ends.map((end, i) => (starts[i + 1] ?? NaN) - end)
        }).pipe(world)
      const unbounded = { ...policy, maxAttempts: Infinity, backoff }
      expect(yield* waits(Retry.retry(unbounded))).toEqual([1_000, 2_000, 3_000, 1_000, 2_000])
      expect(yield* waits(Effect.retry(Policy.toSchedule(unbounded)))).toEqual([1_000, 2_000, 3_000, 1_000, 2_000])
    })
  )

  it.effect("keeps no state between the fibers that use it at the same time", () =>
    Effect.gen(function* () {
      const schedule = Policy.toSchedule({
        ...policy,
        maxAttempts: 4,
        backoff: Backoff.exponential({ base: "1 second" })
      })
      const retried = Effect.suspend(() => {
        const { attempt, starts } = scripted(["busy", "busy", "busy", "busy"])
        return Effect.as(Effect.flip(Effect.retry(attempt, schedule)), starts)
      })
      const all = yield* Effect.all([retried, retried, retried], { concurrency: "unbounded" })
      expect(all).toEqual(Array.from({ length: 3 }, () => [0, 1_000, 3_000, 7_000]))
    }).pipe(world)
  )

  it.effect("can be intersected and united with others", () =>
    Effect.gen(function* () {
      const schedule = Policy.toSchedule({
        ...policy,
        maxAttempts: 4,
        backoff: Backoff.exponential({ base: "1 second" })
      })
      const startsUnder = (schedule: Schedule.Schedule<unknown, Word>) =>
        traced(["busy", "busy", "busy", "busy"], 1, Effect.retry(schedule)).pipe(Effect.map(({ starts }) => starts))
      expect(yield* startsUnder(Schedule.intersect(schedule, Schedule.recurs(2)))).toEqual([0, 1_000, 3_000])
      expect(yield* startsUnder(Schedule.intersect(schedule, Schedule.spaced("1500 millis")))).toEqual([
        0, 1_500, 3_500, 7_500
      ])
      expect(
        yield* startsUnder(
          Schedule.union(schedule, Schedule.spaced("3 seconds")).pipe(Schedule.intersect(Schedule.recurs(4)))
        )
      ).toEqual([0, 1_000, 3_000, 6_000, 9_000])
      expect(yield* startsUnder(Schedule.intersect(schedule, schedule))).toEqual([0, 1_000, 3_000, 7_000])
    })
  )

  it.effect("answers the same twice from one state", () =>
    Effect.gen(function* () {
      const schedule = Policy.toSchedule({ ...policy, backoff: Backoff.exponential({ base: "1 second" }) })
      const state = schedule.initial
      const once = yield* schedule.step(0, "busy", state)
      const twice = yield* schedule.step(0, "busy", state)
      expect(String(twice[1])).toBe(String(once[1]))
    })
  )

  it.effect("retries a stream", () =>
    Effect.gen(function* () {
      const { attempt, starts } = scripted(["busy", "slow down"])
      const stream = Stream.concat(Stream.make(1), Stream.fromEffect(Effect.as(attempt, 2)))
      const elements = yield* Stream.runCollect(Stream.retry(stream, Policy.toSchedule(policy)))
      expect(Chunk.toReadonlyArray(elements)).toEqual([1, 1, 1, 2])
      expect(starts).toEqual([0, 1_000, 2_000])
    }).pipe(world)
  )

  it.effect("ends a stream with the last error when it stops", () =>
    Effect.gen(function* () {
      const { attempt, starts } = scripted(["busy", "bad request", "busy"])
      const exit = yield* Effect.exit(
        Stream.runDrain(Stream.retry(Stream.fromEffect(attempt), Policy.toSchedule(policy)))
      )
      expect(exit).toEqual(Exit.fail("bad request"))
      expect(starts).toEqual([0, 1_000])
    }).pipe(world)
  )

  it.effect("retries the acquisition of a layer", () =>
    Effect.gen(function* () {
      class Connection extends Context.Tag("test/Connection")<Connection, { readonly number: number }>() {}
      const { attempt, starts } = scripted(["busy", "slow down"])
      const layer = Layer.effect(
        Connection,
        Effect.map(attempt, () => ({ number: starts.length }))
      )
      const connected = Effect.provide(Connection, Layer.retry(layer, Policy.toSchedule(policy)))
      expect(yield* connected).toEqual({ number: 3 })
      expect(starts).toEqual([0, 1_000, 2_000])
    }).pipe(world)
  )

  it.effect("requires what the schedule of the policy requires", () =>
    Effect.gen(function* () {
      class Limit extends Context.Tag("test/Limit")<Limit, { readonly retries: number }>() {}
      const backoff = Schedule.whileOutputEffect(Schedule.count, (n) => Effect.map(Limit, ({ retries }) => n < retries))
      const schedule = Policy.toSchedule({ ...policy, maxAttempts: Infinity, backoff })
      const { attempt, starts } = scripted(["busy", "busy", "busy", "busy", "busy"])
      yield* Effect.flip(Effect.provideService(Effect.retry(attempt, schedule), Limit, { retries: 2 }))
      expect(starts.length).toBe(3)
    }).pipe(world)
  )
})

describe("Policy.toSchedule refusal", () => {
  // As from JavaScript: the compiler refuses each of these, too.
  const refusedFor = (more: object) => () => Policy.toSchedule({ ...policy, ...more })

  it.each([
    { field: "attempt", value: Retry.CurrentAttempt },
    { field: "rateLimiter", value: Limiter },
    { field: "attemptTimeout", value: AttemptTimeout.constant("1 second") },
    { field: "result", value: () => Verdict.noOpinion },
    { field: "observe", value: [] },
    { field: "whenNested", value: "standDown" },
    { field: "attemptSpan", value: "attempt" },
    { field: "release", value: () => Effect.void },
    { field: "bucket", value: Bucket }
  ])("names $field, which a schedule cannot do", ({ field, value }) => {
    expect(refusedFor({ [field]: value })).toThrow(InvalidArgument.InvalidArgument)
    expect(refusedFor({ [field]: value })).toThrow(
      expect.objectContaining({
        owner: "Policy.toSchedule",
        field,
        allowed: "absent: a schedule cannot do this",
        value
      })
    )
  })

  it("names a deadline that cuts", () => {
    expect(refusedFor({ deadline: Deadline.cut("1 second") })).toThrow(
      expect.objectContaining({ message: 'Policy.toSchedule: deadline must be one that does not cut, got "Cut"' })
    )
  })

  it.effect("dies of a classifier that answers no verdict or throws, and keeps the error", () =>
    Effect.gen(function* () {
      const raise = () => {
        throw new Error("bug")
      }
      for (const classifier of [() => true, raise] as unknown as ReadonlyArray<Classifier.Classifier>) {
        const schedule = Policy.toSchedule({ ...policy, classifier })
        const exit = yield* Effect.exit(Effect.retry(Effect.fail("busy"), schedule))
        const died = Option.flatMap(Exit.causeOption(exit), Cause.dieOption)
        expect(died).toMatchObject({ value: { field: "classifier", cause: { original: "busy" } } })
      }
    })
  )

  it("accepts what is given as undefined", () => {
    const nothing = {
      attempt: undefined,
      rateLimiter: undefined,
      attemptTimeout: undefined,
      result: undefined,
      bucket: undefined
    }
    const schedule = Policy.toSchedule({
      ...policy,
      ...nothing,
      backoff: Backoff.jittered(policy.backoff, Jitter.full)
    })
    expect(Schedule.isSchedule(schedule)).toBe(true)
  })
})
