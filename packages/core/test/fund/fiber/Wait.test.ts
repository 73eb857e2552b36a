import { Backoff, Retry } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber } from "effect"
import * as Wait from "../../../src/fund/fiber/Wait.ts"
import { make, nowMillis, policy, world } from "../../loop/Recording.ts"

const longestTimerMillis = 2 ** 31 - 1

/** One retry after `delay`: what was slept, and how long it took. */
const waited = (delay: Duration.DurationInput) =>
  Effect.gen(function* () {
    const recording = make()
    const attempt = recording.attempts(Effect.fail("busy" as const), Effect.succeed("done"))
    yield* recording.provide(Retry.retry(attempt, { ...policy, backoff: Backoff.constant({ delay }) }))
    const sleeps = recording.lines.filter((line) => line.startsWith("sleep")).map((line) => Number(line.slice(6)))
    return { sleeps, passed: yield* nowMillis }
  })

interface Sleeps {
  /** How much too early a sleep ends. */
  readonly earlyMillis: (sleep: number) => number
  /** What the wall clock loses in the course of a sleep. */
  readonly lostMillis?: (sleep: number) => number
  /** What the monotonic clock loses. */
  readonly lostNanos?: (sleep: number) => bigint
}

/** A clock like that of a machine: it reads whole milliseconds, and its sleeps are not exact. */
const inexact =
  ({ earlyMillis, lostMillis = () => 0, lostNanos = () => 0n }: Sleeps) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.clockWith((clock) => {
      let slept = 0
      let lost = 0
      let lostMonotonic = 0n
      const wall = () => clock.unsafeCurrentTimeMillis() - lost
      return Effect.withClock(self, {
        ...clock,
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        unsafeCurrentTimeMillis: wall,
        currentTimeMillis: Effect.sync(wall),
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() - lostMonotonic,
        sleep: (duration) => {
          slept += 1
          lostMonotonic += lostNanos(slept)
          lost += lostMillis(slept)
          return clock.sleep(Duration.millis(Math.max(0, Duration.toMillis(duration) - earlyMillis(slept))))
        }
      })
    })

describe("Retry.retry waiting", () => {
  it.effect.each([
    { delay: 0, sleeps: [] },
    { delay: 1, sleeps: [1] },
    { delay: longestTimerMillis, sleeps: [longestTimerMillis] },
    { delay: longestTimerMillis + 1, sleeps: [longestTimerMillis, 1] },
    { delay: 2 * longestTimerMillis, sleeps: [longestTimerMillis, longestTimerMillis] },
    { delay: 3 * longestTimerMillis + 5, sleeps: [longestTimerMillis, longestTimerMillis, longestTimerMillis, 5] }
  ])("waits the whole $delay milliseconds, in sleeps that a timer can hold", ({ delay, sleeps }) =>
    Effect.gen(function* () {
      expect(yield* waited(delay)).toEqual({ sleeps, passed: delay })
    }).pipe(world)
  )

  it.effect("is interrupted at once in the middle of a long wait", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(waited("100 days"))
      yield* Effect.sleep("30 days")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      expect(yield* VirtualClock.now).toEqual(Duration.days(30))
      expect(yield* VirtualClock.sleepers).toBe(0)
    }).pipe(world)
  )

  it.effect.each([{ early: [1] }, { early: [2] }, { early: [2, 1] }, { early: [1, 1, 0] }])(
    "looks at the clock again when sleeps end $early milliseconds early",
    ({ early }) =>
      Effect.gen(function* () {
        const { passed } = yield* inexact({ earlyMillis: (sleep) => early[sleep - 1] ?? 0 })(waited(1_000))
        expect(passed).toBe(1_000)
      }).pipe(world)
  )

  it.effect("looks at the clock again for a part of a millisecond", () =>
    Effect.gen(function* () {
      const { passed } = yield* inexact({ earlyMillis: (sleep) => (sleep === 1 ? 0.25 : 0) })(waited(1_000))
      expect(passed).toBeGreaterThanOrEqual(1_000)
      expect(passed).toBeLessThanOrEqual(1_001)
    }).pipe(world)
  )

  it.effect("looks at the clock again after every part of a long wait", () =>
    Effect.gen(function* () {
      const delay = 3 * longestTimerMillis
      const { passed } = yield* inexact({ earlyMillis: (sleep) => (sleep % 2 === 1 ? 2 : 0) })(waited(delay))
      expect(passed).toBe(delay)
    }).pipe(world)
  )

  it.effect("does not wait longer for a wall clock that steps back an hour meanwhile", () =>
    Effect.gen(function* () {
      const { passed } = yield* inexact({ earlyMillis: () => 0, lostMillis: (sleep) => (sleep === 1 ? 3_600_000 : 0) })(
        waited(1_000)
      )
      expect(passed).toBe(1_000)
    }).pipe(world)
  )

  it.effect("does not wait longer for a monotonic clock that steps back an hour all the same", () =>
    Effect.gen(function* () {
      const { passed } = yield* inexact({
        earlyMillis: () => 0,
        lostNanos: (sleep) => (sleep === 1 ? 3_600_000_000_000n : 0n)
      })(waited(1_000))
      expect(passed).toBe(1_000)
    }).pipe(world)
  )

  it.effect("does not end early for a wall clock that steps forward meanwhile", () =>
    Effect.gen(function* () {
      const { passed } = yield* inexact({
        earlyMillis: () => 0,
        lostMillis: (sleep) => (sleep === 1 ? -3_600_000 : 0)
      })(waited(1_000))
      expect(passed).toBe(1_000)
    }).pipe(world)
  )
})

describe("Wait.call", () => {
  const calling = (millis: number) =>
    Effect.map(Effect.clock, (clock) => {
      const calls: Array<number> = []
      const cancel = Wait.call(clock, millis, () => void calls.push(clock.unsafeCurrentTimeMillis()))
      return { calls, cancel }
    })

  it.effect.each([0, 1, 1_000, longestTimerMillis, 2 * longestTimerMillis + 5])("calls once after %d ms", (millis) =>
    Effect.gen(function* () {
      const { calls } = yield* calling(millis)
      yield* Effect.sleep(Duration.millis(4 * longestTimerMillis))
      expect(calls).toEqual([millis])
    }).pipe(world)
  )

  it.effect.each([0, 999, longestTimerMillis, longestTimerMillis + 999])(
    "makes no call that is cancelled after %d ms, and leaves no sleep",
    (millis) =>
      Effect.gen(function* () {
        const { calls, cancel } = yield* calling(millis + 1)
        yield* Effect.sleep(Duration.millis(millis))
        cancel()
        yield* Effect.sleep(0)
        expect(yield* VirtualClock.sleepers).toBe(0)
        yield* Effect.sleep(1_000)
        expect(calls).toEqual([])
      }).pipe(world)
  )
})
