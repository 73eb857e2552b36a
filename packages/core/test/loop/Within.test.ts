import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Exit, Fiber, FiberRef, Option, Scheduler, Supervisor, TestClock } from "effect"
import { EventEmitter } from "node:events"
import type { Bounded } from "./Bounded.ts"
import {
  afterTimeout,
  early,
  immediate,
  interrupted,
  limit,
  native,
  nativeDisconnected,
  ours,
  oursDisconnected,
  outcome,
  situations,
  slow,
  tied
} from "./Bounded.ts"
import * as Stepping from "./Stepping.ts"

const programs = [...immediate, ...slow]

interface Probe {
  readonly name: string
  readonly run: (bounded: Bounded) => Effect.Effect<unknown, unknown>
}

/** Everything that is run on all clocks: the programs as they are, those interrupted on the way, and the situations. */
const probes: ReadonlyArray<Probe> = [
  ...[...programs, tied].map((program) => ({
    name: program.name,
    run: (bounded: Bounded) => outcome(bounded, program)
  })),
  ...slow.map((program) => ({
    name: `is interrupted, ${program.name}`,
    run: (bounded: Bounded) => interrupted(bounded, program, early)
  })),
  ...slow.map((program) => ({
    name: `is interrupted after the timeout, ${program.name}`,
    run: (bounded: Bounded) => interrupted(bounded, program, afterTimeout)
  })),
  ...situations
]

/** The same in regions of interruption. */
const regions: ReadonlyArray<Probe> = [
  ...programs
    .filter(({ isEndless }) => isEndless !== true)
    .map((program) => ({
      name: `uninterruptible, ${program.name}`,
      run: (bounded: Bounded) => Effect.uninterruptible(outcome(bounded, program))
    })),
  ...programs.map((program) => ({
    name: `interruptible inside uninterruptible, ${program.name}`,
    run: (bounded: Bounded) => Effect.uninterruptible(Effect.interruptible(outcome(bounded, program)))
  }))
]

/** What probes come to that run at the same time, by their names. */
const all = <R>(probes: ReadonlyArray<{ readonly name: string; readonly run: Effect.Effect<unknown, unknown, R> }>) =>
  Effect.map(
    Effect.forEach(probes, ({ name, run }) => Effect.map(run, (found) => [name, found] as const), {
      concurrency: "unbounded"
    }),
    Object.fromEntries<unknown>
  )

const under = (bounded: Bounded) => probes.map(({ name, run }) => ({ name, run: run(bounded) }))

/** The same under ours and under Effect's own. */
const both = Effect.all([all(under(ours)), all(under(native))], { concurrency: 2 })

/** What probes come to in virtual time, and when. */
const timed = (bounded: Bounded) =>
  all(
    [...probes, ...regions].map(({ name, run }) => ({
      name,
      run: Effect.zip(run(bounded), Effect.map(VirtualClock.now, Duration.toMillis))
    }))
  )

describe("Within.within beside Effect.timeoutFail", () => {
  it.live("comes to the same on the live clock", () =>
    Effect.gen(function* () {
      const [found, expected] = yield* both
      expect(found).toEqual(expected)
    })
  )

  it.effect("comes to the same under TestClock", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(both)
      for (const millis of [1, 1, 2, 1, 1, 2]) yield* TestClock.adjust(millis)
      const [found, expected] = yield* Fiber.join(fiber)
      expect(found).toEqual(expected)
    })
  )

  it.effect("comes to the same at the same time, and leaves no timer and no fiber behind", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor.track
      const found = yield* Effect.supervised(timed(ours), supervisor)
      yield* Effect.yieldNow()
      expect([yield* VirtualClock.sleepers, (yield* supervisor.value).length]).toEqual([0, 0])
      expect(found).toEqual(yield* VirtualClock.run(timed(native)))
    }).pipe(VirtualClock.run)
  )

  it.effect.each(slow)("comes to the same disconnected where the effect $name", (program) =>
    Effect.gen(function* () {
      const run = (bounded: Bounded) =>
        VirtualClock.run(
          Effect.gen(function* () {
            const { exit } = yield* outcome(bounded, program)
            return { exit, at: Duration.toMillis(yield* VirtualClock.now) }
          })
        )
      expect(yield* run(oursDisconnected)).toEqual(yield* run(nativeDisconnected))
    })
  )

  it.effect.each([
    { name: "a success", ends: Effect.succeed("done") },
    { name: "a success after a yield", ends: Effect.as(Effect.yieldNow(), "done") },
    { name: "a failure", ends: Effect.fail("failure") },
    { name: "a defect", ends: Effect.die("defect") }
  ])("hands FiberRefs back as it does, after $name", ({ ends }) =>
    Effect.gen(function* () {
      const changed = (bounded: Bounded) =>
        Effect.gen(function* () {
          const own = yield* FiberRef.make("before")
          const set = Effect.zipRight(FiberRef.set(own, "after"), FiberRef.set(FiberRef.currentConcurrency, 7))
          yield* Effect.exit(
            Effect.zipRight(Effect.annotateLogs(bounded(Effect.zipRight(set, ends), 1_000), "a", 1), Effect.void)
          )
          const left = [yield* FiberRef.get(own), yield* FiberRef.get(FiberRef.currentConcurrency)]
          yield* FiberRef.set(FiberRef.currentConcurrency, "unbounded")
          return left
        }).pipe(Effect.scoped)
      expect(yield* changed(ours)).toEqual(yield* changed(native))
    })
  )
})

/** The fibers under it let others go first after every so many steps. */
const yielding = (steps: number): Scheduler.Scheduler => {
  const inner = new Scheduler.MixedScheduler(2048)
  return {
    shouldYield: (fiber) => (fiber.currentOpCount > steps ? 0 : false),
    scheduleTask: (task, priority) => inner.scheduleTask(task, priority)
  }
}

/** Timers that the event loop waits for. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length

/** A turn of the event loop. */
const turn = Effect.promise(() => new Promise((resolve) => void setImmediate(resolve)))

describe("Within.within", () => {
  it("ends with the effect, wherever the fiber that waits for it yields", async () => {
    for (let steps = 12; steps < 40; steps++) {
      for (let length = 0; length < 40; length++) {
        const self = Effect.as(
          Effect.forEach(Array.from({ length }), () => Effect.void, { discard: true }),
          "done"
        )
        const ended = Effect.withScheduler(ours(self, 60_000), yielding(steps))
        expect(await Effect.runPromise(ended)).toBe("done")
      }
    }
  })

  it.effect("gives the effect the services around it, and keeps those that were provided inside", () =>
    Effect.gen(function* () {
      class Name extends Context.Tag("test/Name")<Name, string>() {}
      const inside = Effect.provideService(Effect.zipRight(Effect.yieldNow(), Name), Name, "inside")
      const both = Effect.zip(Name, ours(inside, 1_000))
      expect(yield* Effect.provideService(ours(both, 1_000), Name, "outside")).toEqual(["outside", "inside"])
      expect(Option.isNone(yield* Effect.serviceOption(Name))).toBe(true)
    })
  )

  it.live.each([
    { name: "succeeds", self: Effect.succeed("done"), exit: Exit.succeed("done"), depth: 3_000 },
    {
      name: "succeeds after a yield",
      self: Effect.as(Effect.yieldNow(), "done"),
      exit: Exit.succeed("done"),
      depth: 300
    },
    { name: "fails", self: Effect.fail("failure"), exit: Exit.fail("failure"), depth: 300 }
  ])("can be nested $depth deep where the effect $name", ({ depth, exit, self }) =>
    Effect.gen(function* () {
      const before = timers()
      let nested: Effect.Effect<string, string> = self
      for (let i = 0; i < depth; i++) nested = ours(nested, 3_600_000)
      expect(yield* Effect.exit(nested)).toEqual(exit)
      expect(timers()).toBe(before)
    })
  )

  it("leaves no fiber, no timer and no listener behind, whenever it is interrupted", async () => {
    const [fibersBefore, timersBefore] = [Fiber.unsafeRoots().length, timers()]
    const server = new EventEmitter()
    let answered = 0
    const request = Effect.async<void>((resume) => {
      const onAnswer = () => {
        answered += 1
        resume(Effect.void)
      }
      server.once("answer", onAnswer)
      queueMicrotask(() => server.emit("answer"))
      return Effect.sync(() => void server.off("answer", onAnswer))
    })
    let interruptions = 0
    let listeners = 0
    const races = 1_500
    for (let race = 0; race < races; race++) {
      const fiber = Effect.runFork(Effect.repeatN(ours(request, 3_600_000), 2))
      for (let turn = 0; turn < race % 23; turn++) await Promise.resolve()
      const exit = await Effect.runPromise(Fiber.interrupt(fiber))
      if (Exit.isInterrupted(exit)) interruptions += 1
      listeners += server.listenerCount("answer")
    }
    expect(interruptions).toBeGreaterThan(races / 4)
    expect(interruptions).toBeLessThan(races)
    expect(answered).toBeGreaterThan(races)
    expect([listeners, Fiber.unsafeRoots().length, timers()]).toEqual([0, fibersBefore, timersBefore])
  })

  it.effect.each(slow.filter(({ name }) => ["never ends", "ends in time", "has a slow finalizer"].includes(name)))(
    "ends the effect before whichever step it is interrupted, where the effect $name",
    (program) =>
      Effect.gen(function* () {
        const runs = yield* Stepping.everywhere(() => {
          let open = 0
          const self = Effect.acquireUseRelease(
            Effect.sync(() => void (open += 1)),
            () => program.make(() => Effect.void),
            () => Effect.sync(() => void (open -= 1))
          )
          return { self: ours(self, limit), check: () => Effect.sync(() => expect(open).toBe(0)) }
        }, 20)
        expect(runs).toBeGreaterThan(10)
      })
  )

  it.live("leaves no timer of the platform behind", () =>
    Effect.gen(function* () {
      const before = timers()
      for (let i = 0; i < 100; i++) {
        yield* ours(Effect.yieldNow(), 3_600_000)
        yield* Effect.uninterruptible(ours(Effect.yieldNow(), 3_600_000))
        yield* Effect.flip(ours(Effect.zipRight(Effect.yieldNow(), Effect.fail("failure")), 3_600_000))
      }
      expect(timers()).toBe(before)
    })
  )

  it.live.each([
    { name: "is waited for", bounded: ours },
    { name: "is left behind", bounded: oursDisconnected }
  ])("leaves no timer behind where it is interrupted and the effect $name", ({ bounded }) =>
    Effect.gen(function* () {
      const before = timers()
      const latch = yield* Effect.makeLatch(false)
      const fiber = yield* Effect.fork(bounded(Effect.uninterruptible(latch.await), 3_600_000))
      yield* turn
      expect(timers()).toBe(before + 1)
      yield* Fiber.interruptFork(fiber)
      yield* turn
      expect(timers()).toBe(before)
      yield* latch.open
      expect(Exit.isInterrupted(yield* Fiber.await(fiber))).toBe(true)
    })
  )

  it.effect.each([
    { millis: 2 ** 31, name: "than a timer of the platform holds" },
    { millis: 3 * 2 ** 31, name: "than several hold" }
  ])("bounds an effect by a time longer $name", ({ millis }) =>
    Effect.gen(function* () {
      expect(yield* Effect.exit(ours(Effect.never, millis))).toEqual(Exit.fail("timeout"))
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(millis)
    }).pipe(VirtualClock.run)
  )
})
