import { AttemptTimeout, Verdict } from "@effect-retry/core"
import * as TimeLeft from "@effect-retry/core/unstable/TimeLeft"
import { Arbitraries } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Duration, FastCheck as fc } from "effect"
import { law } from "../../support/Laws.ts"

/** What the first attempts are given. */
const given = (timeout: AttemptTimeout.AttemptTimeout<unknown>, attempts: number, leftMillis = Infinity) =>
  Array.from({ length: attempts }, (_, i) => TimeLeft.millisFor(timeout, i + 1, 0, leftMillis))

const timedOut = new AttemptTimeout.AttemptTimedOut({ attempt: 3, after: Duration.seconds(2) })

describe("AttemptTimeout.constant", () => {
  it("gives every attempt the same time", () => {
    expect(given(AttemptTimeout.constant("2 seconds"), 7)).toEqual([2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000])
  })
})

describe("AttemptTimeout.growing", () => {
  it("gives every attempt more time, up to the maximum", () => {
    const timeout = AttemptTimeout.growing({ initial: "1 second", factor: 1.5, maximum: "6 seconds" })
    expect(given(timeout, 7)).toEqual([1_000, 1_500, 2_250, 3_375, 5_062.5, 6_000, 6_000])
  })

  it("stays constant with a factor of one", () => {
    expect(given(AttemptTimeout.growing({ initial: 7, factor: 1, maximum: 9 }), 6)).toEqual([7, 7, 7, 7, 7, 7])
  })

  it("does not overflow", () => {
    const timeout = AttemptTimeout.growing({ initial: 1, factor: Number.MAX_VALUE, maximum: 1_000 })
    expect([1, 2, 3, 1_000, 2 ** 31].map((attempt) => TimeLeft.millisFor(timeout, attempt, 0, Infinity))).toEqual([
      1, 1_000, 1_000, 1_000, 1_000
    ])
  })
})

describe("AttemptTimeout.fromFunction", () => {
  it("gives every attempt what the function answers, clipped to the time left", () => {
    const timeout = AttemptTimeout.fromFunction("falling", (attempt) => Math.ceil(1_000 / attempt))
    expect(given(timeout, 6)).toEqual([1_000, 500, 334, 250, 200, 167])
    expect(given(timeout, 6, 300)).toEqual([300, 300, 300, 250, 200, 167])
  })

  it("knows when an attempt starts", () => {
    const timeout = AttemptTimeout.fromFunction("until a second", (_, startMillis) => Math.max(1, 1_000 - startMillis))
    expect([0, 250.5, 999, 2_000].map((start) => TimeLeft.millisFor(timeout, 2, start, 500))).toEqual([500, 500, 1, 1])
    expect([0, 250.5, 999].map((start) => TimeLeft.millisFor(timeout, 2, start, Infinity))).toEqual([1_000, 749.5, 1])
  })

  it("turns a timeout into the caller's own error", () => {
    const timeout = AttemptTimeout.fromFunction("own", () => 1, { onTimeout: ({ attempt }) => `late ${attempt}` })
    expectTypeOf(timeout).toEqualTypeOf<AttemptTimeout.AttemptTimeout<string>>()
    expect(timeout.onTimeout(timedOut)).toBe("late 3")
  })

  it.each([0, NaN, 2 ** 31, Infinity, "1" as never])("refuses %o at construction", (answer) => {
    expect(() => AttemptTimeout.fromFunction("mine", (attempt) => (attempt < 4 ? 1 : answer))).toThrow(
      "AttemptTimeout.mine: timeout of attempt 4 must be >= 1 and <= 2147483647, got"
    )
  })

  it("refuses a later answer when the attempt comes", () => {
    const timeout = AttemptTimeout.fromFunction("mine", (attempt) => 10 - attempt)
    expect(() => given(timeout, 10)).toThrow("AttemptTimeout.mine: timeout of attempt 10 must be")
  })
})

describe("TimeLeft.millisFor", () => {
  const timeout = AttemptTimeout.growing({ initial: 100, factor: 2, maximum: 1_000 })

  it.each([
    [Infinity, 400],
    [401, 400],
    [400, 400],
    [399.5, 399.5],
    [1, 1],
    [0, 0],
    [-5, 0]
  ])("clips the third attempt to the time left: %d", (left, millis) => {
    expect(TimeLeft.millisFor(timeout, 3, 0, left)).toBe(millis)
  })

  it.prop(
    "is never negative, never beyond the maximum or the time left, and never falls from attempt to attempt",
    [
      Arbitraries.millis(1, 1e6),
      fc.double({ min: 1, max: 1e308, noNaN: true }),
      Arbitraries.millis(0, 1e6),
      fc.oneof(Arbitraries.millis(0, 1e7), fc.constant(Infinity)),
      fc.integer({ min: 1, max: 2 ** 31 })
    ],
    ([initial, factor, more, left, attempt]) => {
      const growing = AttemptTimeout.growing({ initial, factor, maximum: initial + more })
      const [now, next] = [attempt, attempt + 1].map((n) => TimeLeft.millisFor(growing, n, 0, left))
      expect(now).toSatisfy((millis: number) => millis >= 0 && millis <= left && millis <= initial + more + 1e-6)
      expect(next).toBeGreaterThanOrEqual(now ?? NaN)
    },
    law(500)
  )
})

describe("TimeLeft.readsStart", () => {
  it("says whether a timeout depends on when an attempt starts", () => {
    const timeouts = [
      AttemptTimeout.constant(1),
      AttemptTimeout.growing({ initial: 1, factor: 2, maximum: 9 }),
      AttemptTimeout.fromFunction("by number", (attempt) => attempt),
      AttemptTimeout.fromFunction("by start", (attempt, startMillis) => attempt + startMillis)
    ]
    expect(timeouts.map(TimeLeft.readsStart)).toEqual([false, false, false, true])
  })
})

describe("AttemptTimeout.judged", () => {
  it("is a timeout by default, or the given verdict", () => {
    const timeout = AttemptTimeout.constant(10)
    expect(timeout.verdict).toEqual(Verdict.timeout)
    const unknown = Verdict.terminal("outcome unknown")
    expect(AttemptTimeout.judged(timeout, unknown)).toEqual({ ...timeout, verdict: unknown })
  })
})

describe("AttemptTimeout.disconnected", () => {
  it("waits for an attempt that cannot be interrupted, unless it is disconnected", () => {
    const timeout = AttemptTimeout.constant(10)
    expect([timeout.disconnected, AttemptTimeout.disconnected(timeout).disconnected]).toEqual([false, true])
    expect(given(AttemptTimeout.disconnected(timeout), 2)).toEqual(given(timeout, 2))
  })
})

describe("AttemptTimeout.growing", () => {
  it("shows the right call when a time stands in place of a record", () => {
    expect(() => AttemptTimeout.growing("1 second" as never)).toThrow(
      'AttemptTimeout.growing: options must be a record, as in AttemptTimeout.growing({ initial: "1 second", factor: 2,'
    )
  })
})

describe("AttemptTimeout.AttemptTimedOut", () => {
  it("names the attempt and its timeout", () => {
    expect(timedOut.message).toBe("attempt 3 took longer than 2s")
    const left = new AttemptTimeout.AttemptTimedOut({ attempt: 1, after: Duration.nanos(299_966_309n) })
    expect(left.message).toBe("attempt 1 took longer than 300ms")
  })

  it("names the deadline that left the attempt less time than its timeout", () => {
    const [after, deadline] = [Duration.millis(76), Duration.millis(600)]
    const stopped = new AttemptTimeout.AttemptTimedOut({ attempt: 2, after, deadline })
    expect(stopped.message).toBe("attempt 2 was stopped after 76ms by the deadline of 600ms")
  })

  it("is the error that is added, unless the caller makes another", () => {
    const plain = AttemptTimeout.constant("1 second")
    const own = AttemptTimeout.growing(
      { initial: "1 second", factor: 2, maximum: "1 minute" },
      { onTimeout: ({ attempt }) => ({ _tag: "Slow", attempt }) as const }
    )
    expectTypeOf(plain).toEqualTypeOf<AttemptTimeout.AttemptTimeout>()
    expectTypeOf(own).toEqualTypeOf<
      AttemptTimeout.AttemptTimeout<{ readonly _tag: "Slow"; readonly attempt: number }>
    >()
    expect(plain.onTimeout(timedOut)).toBe(timedOut)
    expect(own.onTimeout(timedOut)).toEqual({ _tag: "Slow", attempt: 3 })
  })
})

describe("AttemptTimeout bounds", () => {
  const timer = "24d 20h 31m 23s 647ms"

  it.each<readonly [message: string, make: () => unknown]>([
    [
      `AttemptTimeout.constant: duration must be a finite duration >= 1ms and <= ${timer}, got 0`,
      () => AttemptTimeout.constant(0)
    ],
    [
      `AttemptTimeout.growing: initial must be a finite duration >= 1ms and <= ${timer}, got 0`,
      () => AttemptTimeout.growing({ initial: 0, factor: 2, maximum: 9 })
    ],
    [
      "AttemptTimeout.growing: factor must be >= 1, got 0.5",
      () => AttemptTimeout.growing({ initial: 1, factor: 0.5, maximum: 9 })
    ],
    [
      `AttemptTimeout.growing: maximum must be a finite duration >= 10ms and <= ${timer}, got 9`,
      () => AttemptTimeout.growing({ initial: 10, factor: 2, maximum: 9 })
    ],
    [
      "AttemptTimeout.constant: onTimeOut must be absent (did you mean onTimeout?), got 1",
      () => AttemptTimeout.constant(1, { onTimeOut: 1 } as never)
    ],
    [
      "AttemptTimeout.growing: onTimeOut must be absent (did you mean onTimeout?), got 1",
      () => AttemptTimeout.growing({ initial: 1, factor: 2, maximum: 9 }, { onTimeOut: 1 } as never)
    ],
    [
      "AttemptTimeout.fromFunction: onTimeOut must be absent (did you mean onTimeout?), got 1",
      () => AttemptTimeout.fromFunction("mine", () => 1, { onTimeOut: 1 } as never)
    ]
  ])("%s", (message, make) => {
    expect(make).toThrow(expect.objectContaining({ message }))
  })
})
