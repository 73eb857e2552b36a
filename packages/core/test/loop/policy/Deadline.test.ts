import { Backoff, Classifier, Curve, Deadline, Retry, Verdict } from "@effect-retry/core"
import * as TimeLeft from "@effect-retry/core/unstable/TimeLeft"
import { Arbitraries, VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Duration, Effect, FastCheck as fc, Option } from "effect"
import { law } from "../../support/Laws.ts"

/** A row: the time passed, the delay, and the wait that keeps the deadline, if one does. */
type Row = readonly [elapsed: number, delay: number, wait: number | undefined]

const table = (name: string, deadline: Deadline.Deadline<unknown>, rows: ReadonlyArray<Row>) =>
  it.effect(name, () =>
    Effect.sync(() => {
      expect(rows.map(([elapsed, delay]) => [elapsed, delay, TimeLeft.fit(deadline, elapsed, delay)])).toEqual(rows)
    })
  )

/** Attempts that each take `ranMillis` and fail, under a deadline; their starts, and how it ended. */
const run = (backoff: Backoff.Backoff, deadline: Deadline.Deadline, ranMillis = 0) =>
  Effect.suspend(() => {
    const starts: Array<number> = []
    const attempt = Effect.gen(function* () {
      starts.push(Duration.toMillis(yield* VirtualClock.now))
      yield* Effect.sleep(ranMillis)
      yield* Effect.fail("again")
    })
    const policy = { classifier: Classifier.always, maxAttempts: 1_000, backoff, deadline }
    return Effect.map(Effect.flip(Retry.orStopped(attempt, policy)), ({ elapsed, history, reason }) => ({
      starts,
      reason: reason._tag,
      delays: history.flatMap(({ delay }) => Option.toArray(Option.map(delay, Duration.toMillis))),
      elapsed: Duration.toMillis(elapsed)
    }))
  }).pipe(VirtualClock.run)

describe("Deadline.refuse", () => {
  table("keeps a delay that leaves time, and refuses one that leaves none", Deadline.refuse("1 second"), [
    [0, 0, 0],
    [0, 999, 999],
    [0, 1_000, undefined],
    [400, 599, 599],
    [400, 600, undefined],
    [999.5, 0, 0],
    [1_000, 0, undefined],
    [2_000, 0, undefined],
    [0, Infinity, undefined]
  ])

  table("keeps a delay that leaves the reserve, to the millisecond", Deadline.refuse("1 second", { reserve: 300 }), [
    [0, 700, 700],
    [0, 701, undefined],
    [300, 400, 400],
    [300, 401, undefined],
    [700, 0, 0],
    [701, 0, undefined]
  ])

  table(
    "lets one attempt start at once where the reserve is the whole deadline",
    Deadline.refuse("1 second", { reserve: "1 second" }),
    [
      [0, 0, 0],
      [0, 1, undefined],
      [1, 0, undefined]
    ]
  )

  it.effect("stops before the limit is passed, not after", () =>
    Effect.gen(function* () {
      // twitter/finagle, Backoff.takeUntil: 1 + 2 + 3 + 4 seconds for a limit of 9. Ours emits 1, 2 and 3.
      const linear = Backoff.fromCurve(Curve.linear({ base: "1 second", step: "1 second" }))
      expect(yield* run(linear, Deadline.refuse("9 seconds"))).toEqual({
        starts: [0, 1_000, 3_000, 6_000],
        reason: "DeadlinePassed",
        delays: [1_000, 2_000, 3_000],
        elapsed: 6_000
      })
    })
  )

  it.effect("begins no wait that would end after the deadline", () =>
    Effect.gen(function* () {
      // grpc/grpc-go, stream.go, shouldRetry: sleeps a back-off that ends after the call's deadline.
      const stopped = yield* run(Backoff.constant({ delay: "10 minutes" }), Deadline.refuse("9 minutes"), 30_000)
      expect(stopped).toEqual({ starts: [0], reason: "DeadlinePassed", delays: [], elapsed: 30_000 })
    })
  )

  it.effect("counts from the start of the first attempt", () =>
    Effect.gen(function* () {
      const { starts } = yield* run(Backoff.constant({ delay: 100 }), Deadline.refuse("1 second"), 300)
      expect(starts).toEqual([0, 400, 800])
    })
  )
})

describe("Deadline.truncate", () => {
  it("shows the right call when the reserve is left out", () => {
    expect(() => Deadline.truncate("10 seconds", undefined as never)).toThrow(
      'Deadline.truncate: options must be a record, as in Deadline.truncate("10 seconds", { reserve: "1 second" })'
    )
  })

  table(
    "shortens the wait that would pass the deadline, and leaves the reserve",
    Deadline.truncate("1 second", { reserve: 300 }),
    [
      [0, 0, 0],
      [0, 700, 700],
      [0, 701, 700],
      [0, Infinity, 700],
      [200.5, 5_000, 499],
      [699, 5_000, 1],
      [699.5, 5_000, undefined],
      [700, 0, 0],
      [700, 1, undefined],
      [1_000, 0, undefined]
    ]
  )

  it.effect("starts a last attempt with the reserve left", () =>
    Effect.gen(function* () {
      const linear = Backoff.fromCurve(Curve.linear({ base: "1 second", step: "1 second" }))
      expect(yield* run(linear, Deadline.truncate("9 seconds", { reserve: "500 millis" }))).toEqual({
        starts: [0, 1_000, 3_000, 6_000, 8_500],
        reason: "DeadlinePassed",
        delays: [1_000, 2_000, 3_000, 2_500],
        elapsed: 8_500
      })
    })
  )
})

describe("Deadline.cut", () => {
  table("leaves every delay as it is until it is due: it is the operation that is cut", Deadline.cut("1 second"), [
    [0, 0, 0],
    [0, 1_000, 1_000],
    [0, 5_000, 5_000],
    [999, 5_000, 5_000],
    [1_000, 0, undefined],
    [2_000, 7, undefined]
  ])

  it("adds its own error, or the caller's", () => {
    expectTypeOf(Deadline.cut("1 second")).toEqualTypeOf<Deadline.Cut<Deadline.DeadlineExceeded>>()
    const own = Deadline.cut("1 second", { onExceeded: ({ attempts }) => ({ _tag: "Own", attempts }) as const })
    expectTypeOf(own).toEqualTypeOf<Deadline.Cut<{ readonly _tag: "Own"; readonly attempts: number }>>()
    expectTypeOf(Deadline.refuse("1 second")).toEqualTypeOf<Deadline.Deadline>()
    const exceeded = new Deadline.DeadlineExceeded({ within: Duration.seconds(1), attempts: 2, cause: "lost" })
    expect(exceeded.message).toBe("not done within 1s, after 2 attempts")
    const atOnce = new Deadline.DeadlineExceeded({ within: Duration.millis(20), attempts: 1 })
    expect(atOnce.message).toBe("not done within 20ms, after 1 attempt")
    expect(own._tag === "Cut" && own.onExceeded(exceeded)).toEqual({ _tag: "Own", attempts: 2 })
  })

  it.effect("judges the attempt that it interrupts as one that ran out of time", () =>
    Effect.gen(function* () {
      const policy = { classifier: Classifier.always, maxAttempts: 2, backoff: Backoff.constant({ delay: 1 }) }
      const attempt: Effect.Effect<never, string> = Effect.never
      const { history } = yield* Effect.flip(Retry.orStopped(attempt, { ...policy, deadline: Deadline.cut(5) }))
      expect(history.map(({ verdict }) => verdict)).toEqual([
        Verdict.terminal("the deadline interrupted the attempt", { kind: "Timeout" })
      ])
    }).pipe(VirtualClock.run)
  )
})

describe("Deadline", () => {
  it("tells by its tag what it does", () => {
    const deadlines = [Deadline.refuse(5), Deadline.truncate(5, { reserve: 1 }), Deadline.cut(5)]
    expect(deadlines.map(({ _tag }) => _tag)).toEqual(["Refuse", "Truncate", "Cut"])
  })
})

describe("TimeLeft.fit", () => {
  it("refuses a wait of less than a millisecond", () => {
    const deadline = Deadline.truncate("1 second", { reserve: "99500 micros" })
    expect([0, 899, 900, 901].map((elapsed) => TimeLeft.fit(deadline, elapsed, 5000))).toEqual([
      900,
      1,
      undefined,
      undefined
    ])
  })

  const deadline = fc.oneof(
    fc
      .tuple(Arbitraries.millis(0.001, 1e6), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([within, part]) => Deadline.refuse(within, { reserve: within * part })),
    fc
      .tuple(Arbitraries.millis(0.001, 1e6), fc.double({ min: 0.01, max: 1, noNaN: true }))
      .map(([within, part]) => Deadline.truncate(within, { reserve: within * part }))
  )

  it.prop(
    "never allows a wait that ends after the deadline, or with less than the reserve",
    [deadline, Arbitraries.millis(0, 1e6), fc.nat(2_000_000)],
    ([deadline, elapsed, delay]) => {
      const wait = TimeLeft.fit(deadline, elapsed, delay)
      if (wait === undefined) return
      expect(wait).toSatisfy((millis: number) => Number.isInteger(millis) && millis >= 0 && millis <= delay)
      const left = deadline.withinMillis - (elapsed + wait)
      expect(left).toBeGreaterThan(0)
      // The last bit of a sum.
      expect(left).toBeGreaterThanOrEqual(deadline.reserveMillis - 1e-9)
    },
    law(2_000)
  )

  it.prop(
    "refuses only what does not fit",
    [deadline, Arbitraries.millis(0, 1e6), fc.nat(2_000_000)],
    ([deadline, elapsed, delay]) => {
      if (TimeLeft.fit(deadline, elapsed, delay) !== undefined) return
      expect(TimeLeft.mayStart(deadline, elapsed + delay)).toBe(false)
    },
    law(1_000)
  )

  it.effect.prop(
    "keeps a cumulative bound on the waits of any back-off, in the loop",
    [
      Arbitraries.endless(10_000).map((curve) => Backoff.max(curve, Backoff.constant({ delay: 50 }))),
      fc.integer({ min: 1, max: 2_000 })
    ],
    ([backoff, within]) =>
      Effect.gen(function* () {
        const { delays, elapsed, reason, starts } = yield* run(backoff, Deadline.refuse(within))
        expect(reason).toBe("DeadlinePassed")
        expect(delays.reduce((sum, delay) => sum + delay, 0)).toBe(elapsed)
        expect(Math.max(...starts)).toBeLessThan(within)
      }),
    law(50)
  )
})

describe("TimeLeft.mayStart", () => {
  it.each<[Deadline.Deadline<unknown>, number, boolean]>([
    [Deadline.refuse(1_000), 999.999, true],
    [Deadline.refuse(1_000), 1_000, false],
    [Deadline.refuse(1_000, { reserve: 1_000 }), 0, true],
    [Deadline.truncate(1_000, { reserve: 1 }), 999, true],
    [Deadline.truncate(1_000, { reserve: 1 }), 999.5, false],
    [Deadline.cut(1_000), 999, true],
    [Deadline.cut(1_000), 1_000, false]
  ])("needs time left and the reserve: %j after %d", (deadline, elapsed, may) => {
    expect(TimeLeft.mayStart(deadline, elapsed)).toBe(may)
  })
})

describe("TimeLeft.isLate", () => {
  it.each([
    { deadline: Deadline.refuse(1_000), latest: 999.999 },
    { deadline: Deadline.refuse(1_000, { reserve: 300 }), latest: 700 },
    // The reserve of a truncated wait is planned: a timer that fires late must not end the operation.
    { deadline: Deadline.truncate(1_000, { reserve: 300 }), latest: 999.999 },
    { deadline: Deadline.cut(1_000), latest: 999.999 }
  ])("lets an attempt start until $latest under $deadline, and not after", ({ deadline, latest }) => {
    expect([latest, latest + 0.001].map((elapsed) => TimeLeft.isLate(deadline, elapsed))).toEqual([false, true])
  })
})

describe("Deadline.DeadlineExceeded", () => {
  it.effect("carries the last failure as its cause", () =>
    Effect.gen(function* () {
      const attempt = Effect.fail("lost")
      const exceeded = yield* Effect.flip(
        Retry.retry(attempt, {
          classifier: () => Verdict.transient,
          maxAttempts: 9,
          backoff: Backoff.constant({ delay: "1 minute" }),
          deadline: Deadline.cut("90 seconds")
        })
      )
      expectTypeOf(exceeded).toEqualTypeOf<string | Deadline.DeadlineExceeded>()
      expect(exceeded).toEqual(
        new Deadline.DeadlineExceeded({ within: Duration.seconds(90), attempts: 2, cause: "lost" })
      )
    }).pipe(VirtualClock.run)
  )
})

describe("Deadline bounds", () => {
  const timer = "24d 20h 31m 23s 647ms"
  const longest = "106751d 23h 47m 16s 854ms"

  it.each<readonly [message: string, make: () => unknown]>([
    [`Deadline.refuse: within must be a finite duration > 0 and <= ${longest}, got 0`, () => Deadline.refuse(0)],
    [
      "Deadline.refuse: reserve must be a finite duration >= 0 and <= 9ms, got 10",
      () => Deadline.refuse(9, { reserve: 10 })
    ],
    [
      `Deadline.truncate: within must be a finite duration > 0 and <= ${longest}, got 0`,
      () => Deadline.truncate(0, { reserve: 1 })
    ],
    [
      "Deadline.truncate: reserve must be a finite duration > 0 and <= 9ms, got 0",
      () => Deadline.truncate(9, { reserve: 0 })
    ],
    [`Deadline.cut: within must be a finite duration > 0 and <= ${timer}, got 0`, () => Deadline.cut(0)],
    [
      "Deadline.cut: onExceded must be absent (did you mean onExceeded?), got 1",
      () => Deadline.cut(1, { onExceded: 1 } as never)
    ]
  ])("%s", (message, make) => {
    expect(make).toThrow(expect.objectContaining({ message }))
  })
})
