import { Backoff, Classifier, Jitter, Retry } from "@effect-retry/core"
import { Scripted, SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it, layer } from "@effect/vitest"
import { Clock, Data, Duration, Effect, Exit, Fiber, Layer, Schedule, TestClock } from "effect"

class Busy extends Data.TaggedError("Busy") {}

describe("Timeline.record", () => {
  it.effect("tells every attempt and every wait", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const service = yield* Scripted.make([
          Scripted.times(Scripted.fail(new Busy(), { after: "20 millis" }), 2),
          Scripted.hang,
          Scripted.succeed("ok", { after: "5 millis" })
        ])
        const call = Effect.timeoutFail(service.call, { duration: "1 second", onTimeout: () => new Busy() })
        const timeline = yield* Timeline.record(Effect.retry(call, Schedule.exponential("100 millis")))
        expect(Timeline.toText(timeline).split("\n")).toEqual([
          "       0  attempt 1  failed: Busy (20ms)",
          "    20ms  wait 100ms",
          "   120ms  attempt 2  failed: Busy (20ms)",
          "   140ms  wait 200ms",
          "   340ms  attempt 3  interrupted (1s)",
          "1s 340ms  wait 400ms",
          "1s 740ms  attempt 4  succeeded: ok (5ms)",
          "1s 745ms  succeeded: ok"
        ])
        expect(timeline.elapsed).toEqual(Duration.millis(1_745))
        expect(timeline.exit).toEqual(Exit.succeed("ok"))
        expect(Timeline.startsMillis(timeline)).toEqual([0, 120, 340, 1740])
        expect(Timeline.waitsMillis(timeline)).toEqual([100, 200, 400])
        expect(yield* service.calls).toBe(4)
      })
    )
  )

  it.effect("shows a wait that no attempt follows", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const service = yield* Scripted.make([Scripted.fail("no")])
        const timeline = yield* Timeline.record(Effect.tapError(service.call, () => Effect.sleep("1 second")))
        expect(Timeline.waitsMillis(timeline)).toEqual([1000])
        expect(timeline.exit).toEqual(Exit.fail("no"))
      })
    )
  )

  it.effect("starts at zero wherever the clock stands", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        yield* Effect.sleep("1 hour")
        const timeline = yield* Timeline.record(Timeline.attempt(Effect.die("defect")))
        expect(Timeline.attempts(timeline)).toMatchObject([{ number: 1, outcome: "died", detail: "defect" }])
        expect(Timeline.startsMillis(timeline)).toEqual([0])
      })
    )
  )

  it.effect("does not see attempts of another recording", () =>
    Effect.gen(function* () {
      const outside = Timeline.attempt(Effect.void)
      yield* outside
      const timeline = yield* Timeline.record(Effect.zipRight(Timeline.record(outside), outside))
      expect(Timeline.attempts(timeline)).toHaveLength(1)
    })
  )

  it.effect("does not notice changes of the wall clock", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const call = Timeline.attempt(
          Effect.zipRight(VirtualClock.stepBack("1 hour"), Effect.delay(Effect.fail("no"), "1 second"))
        )
        const timeline = yield* Timeline.record(
          Effect.retry(call, { times: 1, schedule: Schedule.spaced("2 seconds") })
        )
        expect(Timeline.startsMillis(timeline)).toEqual([0, 3000])
        expect(Timeline.waitsMillis(timeline)).toEqual([2000])
        expect(yield* Clock.currentTimeMillis).toBe(4000 - 2 * 3_600_000)
      })
    )
  )

  it.effect("shows fractions of a millisecond", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const timeline = yield* Timeline.record(Effect.delay(Timeline.attempt(Effect.void), Duration.micros(1_500n)))
        expect(Timeline.startsMillis(timeline)).toEqual([1.5])
      })
    )
  )

  it.effect("works on the TestClock that it.effect brings", () =>
    Effect.gen(function* () {
      const service = yield* Scripted.make([Scripted.fail("no"), Scripted.succeed("yes")])
      const retried = Effect.retry(service.call, Schedule.spaced(Duration.micros(1_500n)))
      const recording = yield* Effect.fork(Timeline.record(retried))
      yield* TestClock.adjust("1 second")
      expect(Timeline.waitsMillis(yield* Fiber.join(recording))).toEqual([1.5])
    })
  )

  it.effect("shows how attempts end, in short", () =>
    Effect.gen(function* () {
      const ends = [
        Effect.succeed(undefined),
        Effect.succeed({ id: 7 }),
        Effect.fail(new Error("no route\n  to host")),
        Effect.fail(new RangeError("too far")),
        Effect.fail({ _tag: "Lost", bytes: 3 }),
        Effect.fail("x".repeat(1_000)),
        Effect.fail(Object.create(null)),
        Effect.die(new Busy()),
        Effect.interrupt
      ]
      const timelines = yield* Effect.forEach(ends, (end) => Timeline.record(Timeline.attempt(end)))
      expect(timelines.map((timeline) => Timeline.toText(timeline).split("  ").at(-1))).toEqual([
        "succeeded",
        'succeeded: {"id":7}',
        "failed: Error: no route to host",
        "failed: RangeError: too far",
        "failed: Lost",
        `failed: ${"x".repeat(99)}…`,
        "failed: {}",
        "died: Busy",
        "interrupted"
      ])
    })
  )
})

/** Three attempts with jitter at a service that is down. */
const recording = Effect.gen(function* () {
  const service = yield* Scripted.make([Scripted.times(Scripted.fail(new Busy()), 3)])
  return yield* Timeline.record(
    Retry.retry(service.call, {
      classifier: Classifier.always,
      maxAttempts: 3,
      backoff: Backoff.exponential({ base: "1 minute" }).pipe(Backoff.jittered(Jitter.full))
    })
  )
})

const seeded = (seed: string) => VirtualClock.run(Effect.provide(recording, SeededRandom.layer(seed)))

describe("Timeline.equals", () => {
  it.effect("holds for two runs with one seed, and not for another seed", () =>
    Effect.gen(function* () {
      const [first, again, other] = yield* Effect.all([seeded("one"), seeded("one"), seeded("other")])
      expect(Timeline.equals(first, again)).toBe(true)
      expect(Timeline.toText(first)).toBe(Timeline.toText(again))
      expect(Timeline.equals(first, other)).toBe(false)
    })
  )

  it.effect("tells apart runs that differ by a nanosecond, an outcome or an end", () =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.record(Timeline.attempt(Effect.fail("no")))
      const [attempt] = Timeline.attempts(timeline)
      const equals = Timeline.equals(timeline)
      expect(equals({ ...timeline })).toBe(true)
      expect(equals({ ...timeline, exit: Exit.succeed("no") })).toBe(false)
      expect(equals({ ...timeline, elapsed: Duration.nanos(1n) })).toBe(false)
      expect(equals({ ...timeline, entries: [{ ...attempt!, outcome: "died" }] })).toBe(false)
      expect(equals({ ...timeline, entries: [{ ...attempt!, start: Duration.nanos(1n) }] })).toBe(false)
    })
  )
})

describe("Scripted.make", () => {
  it.effect("dies of a call that the script does not have", () =>
    Effect.gen(function* () {
      const service = yield* Scripted.make([Scripted.succeed(1)])
      yield* service.call
      const exit = yield* Effect.exit(service.call)
      expect(exit).toEqual(Exit.die(new RangeError("Scripted: call 2 is one too many, the script has 1")))
    })
  )

  it.effect("repeats a step for ever if told to", () =>
    Effect.gen(function* () {
      const service = yield* Scripted.make([Scripted.times(Scripted.fail("down"), Infinity)])
      yield* Effect.repeatN(Effect.ignore(service.call), 99)
      expect(yield* service.calls).toBe(100)
    })
  )

  it("refuses to repeat a step a fraction of a time", () => {
    expect(() => Scripted.times(Scripted.hang, 1.5)).toThrow(
      "Scripted.times: count must be a whole number >= 1 or Infinity, got 1.5"
    )
  })
})

layer(Layer.merge(VirtualClock.layer, SeededRandom.layer("one")))("Timeline.record in a layer of tests", (it) => {
  it.effect("uses the clock and the Random of the layer", () =>
    Effect.gen(function* () {
      expect(Timeline.equals(yield* recording, yield* seeded("one"))).toBe(true)
    })
  )

  it.effect("starts at zero in the next test as well", () =>
    Effect.gen(function* () {
      const passed = yield* VirtualClock.now
      expect(Duration.toMillis(passed)).toBeGreaterThan(0)
      expect(Timeline.startsMillis(yield* recording)[0]).toBe(0)
    })
  )
})
