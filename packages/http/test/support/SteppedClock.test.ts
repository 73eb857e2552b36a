import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { type Clock, Duration, Effect, Fiber } from "effect"
import * as SteppedClock from "./SteppedClock.ts"

/** When sleeps are over on a machine that stalls once, 4 ms before the end of a tenth of a second. */
const sleeps = (stallMillis: number, ...millis: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const inner = yield* Effect.clock
    let stalled = false
    const now = () => inner.unsafeCurrentTimeNanos() + (stalled ? BigInt(stallMillis * 1e6) : 0n)
    const clock: Clock.Clock = { ...inner, sleep: inner.sleep, unsafeCurrentTimeNanos: now }
    const stall = yield* Effect.fork(
      Effect.delay(
        Effect.sync(() => void (stalled = true)),
        96
      )
    )
    const over = Effect.forEach(millis, (millis) => Effect.map(Effect.sleep(millis), () => Number(now()) / 1e6), {
      concurrency: "unbounded"
    })
    const found = yield* Effect.withClock(over, SteppedClock.make(clock))
    yield* Fiber.join(stall)
    return found
  }).pipe(VirtualClock.run)

describe("SteppedClock.make", () => {
  it.effect.each([
    { stallMillis: 0, millis: [0, 1, 15, 50, 100, 150.5], over: [0, 1, 15, 50, 100, 150.5] },
    { stallMillis: 5, millis: [50, 150], over: [50, 150] },
    { stallMillis: 70, millis: [50, 100, 150], over: [50, 170, 215] }
  ])("sleeps as long as it is told, and of a stall of $stallMillis ms a step more", ({ millis, over, stallMillis }) =>
    Effect.gen(function* () {
      expect(yield* sleeps(stallMillis, ...millis)).toEqual(over)
    })
  )

  it.effect("is otherwise the clock that it is made of", () =>
    Effect.gen(function* () {
      yield* Effect.sleep("1500 millis")
      const clock = SteppedClock.make(yield* Effect.clock)
      const times = [
        clock.unsafeCurrentTimeMillis(),
        yield* clock.currentTimeMillis,
        Duration.toMillis(Duration.nanos(clock.unsafeCurrentTimeNanos())),
        Duration.toMillis(Duration.nanos(yield* clock.currentTimeNanos))
      ]
      expect(times).toEqual([1500, 1500, 1500, 1500])
    }).pipe(VirtualClock.run)
  )
})
