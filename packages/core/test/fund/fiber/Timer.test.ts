import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Clock, Duration, Effect, Fiber } from "effect"
import { living, watched } from "../../support/Steps.ts"
import * as Timer from "../../../src/fund/fiber/Timer.ts"

const longest = 2 ** 31 - 1

/** Milliseconds that a clock was asked to sleep, and calls that were made. */
const recorded = (sleep: (clock: Clock.Clock, duration: Duration.Duration) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const inner = yield* Effect.clock
    const sleeps: Array<number> = []
    const calls: Array<number> = []
    const clock: Clock.Clock = {
      ...inner,
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => inner.unsafeCurrentTimeMillis(),
      unsafeCurrentTimeNanos: () => inner.unsafeCurrentTimeNanos(),
      sleep: (duration) => {
        sleeps.push(Duration.toMillis(duration))
        return sleep(inner, duration)
      }
    }
    const runtime = yield* Effect.runtime<never>()
    const after = (millis: number) =>
      Timer.after(clock, millis, runtime, () => void calls.push(inner.unsafeCurrentTimeMillis()))
    return { clock, sleeps, calls, after }
  })

const asItIs = recorded((clock, duration) => clock.sleep(duration))

describe("Timer.after with a clock of the program's own", () => {
  it.effect.each([
    { millis: -1, sleeps: [0], at: 0 },
    { millis: 0, sleeps: [0], at: 0 },
    { millis: 5, sleeps: [5], at: 5 },
    { millis: longest, sleeps: [longest], at: longest },
    { millis: longest + 1, sleeps: [longest, 1], at: longest + 1 },
    { millis: 2 * longest + 1, sleeps: [longest, longest, 1], at: 2 * longest + 1 }
  ])("calls once after $millis milliseconds, in sleeps that a timer can hold", ({ at, millis, sleeps }) =>
    Effect.gen(function* () {
      const recording = yield* asItIs
      recording.after(millis)
      yield* Effect.sleep(Duration.millis(4 * longest))
      expect(recording).toMatchObject({ sleeps, calls: [at] })
    }).pipe(VirtualClock.run)
  )

  it.effect("makes no call that was cancelled, and wakes up at once", () =>
    Effect.gen(function* () {
      const { after, calls } = yield* asItIs
      const cancel = after(5)
      yield* Effect.sleep(4)
      cancel()
      yield* Effect.yieldNow()
      expect(yield* VirtualClock.sleepers).toBe(0)
      yield* Effect.sleep(10)
      expect(calls).toEqual([])
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "can be interrupted", kept: Effect.interruptible },
    { name: "cannot be interrupted", kept: Effect.uninterruptible }
  ])(
    "makes no call when it is cancelled between the end of the sleep and its notice, and the sleep $name",
    ({ kept }) =>
      Effect.gen(function* () {
        const wakes: Array<() => void> = []
        const { after, calls } = yield* recorded(() =>
          kept(Effect.async<void>((resume) => void wakes.push(() => resume(Effect.void))))
        )
        after(5)
        const cancel = after(5)
        for (const wake of wakes) wake()
        cancel()
        yield* Effect.sleep(1)
        expect(calls).toHaveLength(1)
      }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { how: "dies", sleep: () => Effect.die("defect") },
    {
      how: "throws",
      sleep: () => {
        throw "defect"
      }
    }
  ])("calls with the defect when the sleep $how", ({ sleep }) =>
    Effect.gen(function* () {
      const { clock } = yield* recorded(sleep)
      const runtime = yield* Effect.runtime<never>()
      const calls: Array<unknown> = []
      Timer.after(clock, 5, runtime, (failed) => void calls.push(failed))
      yield* Effect.yieldNow()
      expect(calls).toEqual([Cause.die("defect")])
    }).pipe(VirtualClock.run)
  )
})

describe("Timer.after with the live clock", () => {
  const live = Clock.make()
  const runtime = Effect.runSync(Effect.runtime<never>())

  const readings = {
    unsafeCurrentTimeMillis: () => live.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => live.unsafeCurrentTimeNanos()
  }

  const throws = () => {
    throw new Error("bug")
  }

  /** As other versions of Effect might have it. */
  const schedulers = [
    { name: "with something else for a scheduler", scheduler: { unsafeSchedule: throws } },
    { name: "that throws for its scheduler", scheduler: throws },
    { name: "that answers no effect for its scheduler", scheduler: () => ({ unsafeSchedule: throws }) },
    { name: "that dies for its scheduler", scheduler: () => Effect.die({ unsafeSchedule: throws }) },
    { name: "that waits for its scheduler", scheduler: () => Effect.never },
    { name: "with a scheduler of another shape", scheduler: () => Effect.succeed({ schedule: throws }) }
  ]

  /** Fibers and timers of the platform. */
  const inUse = () => [
    Fiber.unsafeRoots().length,
    process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
  ]

  it.each([
    { name: "the live clock, by a timer and no fiber", clock: live, millis: 60_000, fibers: 0, timers: 1 },
    { name: "as long as a timer holds, by a timer and no fiber", clock: live, millis: longest, fibers: 0, timers: 1 },
    { name: "longer than a timer holds, in a fiber", clock: live, millis: longest + 1, fibers: 1, timers: 1 },
    {
      name: "a clock that sleeps as the live one but hands out no timers, in a fiber",
      clock: { ...live, ...readings, sleep: live.sleep },
      millis: 60_000,
      fibers: 1,
      timers: 1
    },
    ...schedulers.map(({ name, scheduler }) => ({
      name: `a clock ${name}, in a fiber`,
      clock: Object.assign(Clock.make(), { scheduler }),
      millis: 60_000,
      fibers: 1,
      timers: 1
    })),
    {
      name: "a clock with another sleep, in a fiber",
      clock: Object.assign(Clock.make(), { sleep: () => Effect.async<void>((resume) => void resume) }),
      millis: 60_000,
      fibers: 1,
      timers: 0
    }
  ])("sleeps $name", async ({ clock, fibers, millis, timers }) => {
    const [fibersBefore = 0, timersBefore = 0] = inUse()
    const cancel = Timer.after(clock, millis, runtime, () => {})
    expect(inUse()).toEqual([fibersBefore + fibers, timersBefore + timers])
    cancel()
    // Without a turn of the event loop, in which timers of a test runner may come and go.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    expect(inUse()).toEqual([fibersBefore, timersBefore])
  })

  it.each([
    { name: "the clock of a program that provides none", change: (clock: Clock.Clock) => clock, fibers: 0 },
    {
      name: "another clock that sleeps as it does",
      change: (clock: Clock.Clock): Clock.Clock => ({ ...live, sleep: (duration) => clock.sleep(duration) }),
      fibers: 1
    }
  ])("begins $fibers fibers on $name", ({ change, fibers }) => {
    const alive = living()
    const begun = Effect.gen(function* () {
      const clock = change(yield* Effect.clock)
      const runtime = yield* Effect.runtime<never>()
      const before = alive.fibers.size
      const cancel = Timer.after(clock, 60_000, runtime, () => {})
      const begun = alive.fibers.size - before
      cancel()
      return begun
    })
    expect(Effect.runSync(watched(begun, alive.watcher))).toBe(fibers)
  })

  it("calls once, and ignores a cancellation after that", async () => {
    let calls = 0
    const cancel = await new Promise<Timer.Cancel>((resolve) => {
      const cancel = Timer.after(live, 1, runtime, () => {
        calls += 1
        resolve(cancel)
      })
    })
    cancel()
    expect(calls).toBe(1)
  })
})
