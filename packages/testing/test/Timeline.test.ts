import { Scripted, Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Data, Effect, Exit, Schedule } from "effect"

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
          "         0  attempt 1  failed: Busy (20ms)",
          "      20ms  wait 100ms",
          "     120ms  attempt 2  failed: Busy (20ms)",
          "     140ms  wait 200ms",
          "     340ms  attempt 3  interrupted (1s)",
          "  1s 340ms  wait 400ms",
          "  1s 740ms  attempt 4  succeeded: ok (5ms)"
        ])
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

  it.effect("repeats a step for ever where it is told to", () =>
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
