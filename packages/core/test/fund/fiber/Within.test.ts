import { VirtualClock } from "@effect-retry/testing"
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import {
  Cause,
  type Clock,
  Context,
  Duration,
  Effect,
  Exit,
  Fiber,
  FiberRef,
  Logger,
  LogLevel,
  Option,
  RuntimeFlags,
  RuntimeFlagsPatch,
  Scheduler,
  TestClock
} from "effect"
import { EventEmitter } from "node:events"
import type { Bounded } from "./Bounded.ts"
import {
  afterTimeout,
  early,
  immediate,
  interrupted,
  interruptedInRelease,
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
import { interruptedBefore } from "../Interrupting.ts"
import { within } from "../../../src/fund/fiber/Within.ts"
import * as Stepping from "../../loop/Stepping.ts"
import * as Steps from "../../support/Steps.ts"

const slowly = 100 * limit

const programs = [...immediate, ...slow]

interface Probe {
  readonly name: string
  readonly run: (bounded: Bounded) => Effect.Effect<unknown, unknown>
}

interface Group {
  readonly group: string
  readonly probes: ReadonlyArray<Probe>
  /** Whether the order of times of different lengths decides. A stall of the machine between two timers turns it. */
  readonly isRace?: boolean
}

/** What is run on all clocks, at the same time: on its own each of them would take as long as all of a group. */
const groups: ReadonlyArray<Group> = [
  {
    group: "programs",
    isRace: true,
    probes: programs.map((program) => ({ name: program.name, run: (bounded) => outcome(bounded, program) }))
  },
  { group: "a tie", probes: [{ name: tied.name, run: (bounded) => outcome(bounded, tied) }] },
  {
    group: "programs that are interrupted",
    isRace: true,
    probes: slow.map((program) => ({
      name: program.name,
      run: (bounded) => interrupted(bounded, program, early, 60_000)
    }))
  },
  { group: "situations", probes: situations }
]

/** Programs for clocks on which time stands still between two steps. */
const interruptedLater: ReadonlyArray<Group> = [
  {
    group: "programs that are interrupted after the timeout",
    probes: slow.map((program) => ({
      name: program.name,
      run: (bounded) => interrupted(bounded, program, afterTimeout, limit)
    }))
  }
]

/** The programs in a scope that is interrupted while it is released. */
const scopes: ReadonlyArray<Group> = [
  {
    group: "programs in a scope",
    probes: programs.map((program) => ({
      name: program.name,
      run: (bounded) => interruptedInRelease(bounded, program)
    }))
  }
]

/** The effect can be interrupted, and nothing around it. */
const inRegion =
  (bounded: Bounded): Bounded =>
  (self, millis) =>
    Effect.uninterruptible(bounded(Effect.interruptible(self), millis))

/** Where Effect has the children of a fiber among those of another one. */
const inWorker =
  (bounded: Bounded): Bounded =>
  (self, millis) =>
    Effect.map(
      Effect.forEach([self], (one) => bounded(one, millis), { concurrency: "unbounded" }),
      ([value]) => value!
    )

/** The programs in regions of interruption. */
const regions: ReadonlyArray<Group> = [
  {
    group: "programs in an uninterruptible region",
    probes: programs
      .filter(({ isEndless }) => isEndless !== true)
      .map((program) => ({
        name: program.name,
        run: (bounded) => Effect.uninterruptible(outcome(bounded, program))
      }))
  },
  {
    group: "programs in an interruptible part of an uninterruptible region",
    probes: programs.map((program) => ({
      name: program.name,
      run: (bounded) => Effect.uninterruptible(Effect.interruptible(outcome(bounded, program)))
    }))
  },
  ...[
    { group: "an uninterruptible region that is interrupted, around an effect that can be", around: inRegion },
    { group: "the same in a worker of `Effect.forEach`", around: (bounded: Bounded) => inRegion(inWorker(bounded)) }
  ].map(({ around, group }) => ({
    group,
    probes: slow.flatMap((program) =>
      [early, afterTimeout].map((afterMillis) => ({
        name: `${program.name}, after ${afterMillis} ms`,
        run: (bounded: Bounded) => interrupted(around(bounded), program, afterMillis, limit)
      }))
    )
  }))
]

/**
 * What probes come to that run at the same time, by their names. Each has a fiber that nothing is said of: those of
 * `Effect.forEach` have a FiberRef that children do not get.
 */
const all = (probes: ReadonlyArray<Probe>, bounded: Bounded) =>
  Effect.map(
    Effect.forEach(
      probes,
      ({ name, run }) =>
        Effect.map(Effect.flatMap(Effect.fork(run(bounded)), Fiber.join), (found) => [name, found] as const),
      {
        concurrency: "unbounded"
      }
    ),
    Object.fromEntries<unknown>
  )

/** The same under Effect's own bound, and under ours. */
const compared = (probes: ReadonlyArray<Probe>) =>
  Effect.all([all(probes, native), all(probes, ours)], { concurrency: "unbounded" })

/** What probes come to in virtual time and when, and what they leave behind. */
const timed = (probes: ReadonlyArray<Probe>, bounded: Bounded) =>
  VirtualClock.run(
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      const now = Effect.sync(() => clock.unsafeCurrentTimeMillis())
      const noted = probes.map(({ name, run }) => ({ name, run: (by: Bounded) => Effect.zip(run(by), now) }))
      const { fibers, watcher } = Steps.living()
      const found = yield* Effect.flatMap(Effect.fork(Steps.watched(all(noted, bounded), watcher)), Fiber.join)
      yield* Effect.yieldNow()
      return { found, sleepers: yield* VirtualClock.sleepers, fibers: fibers.size }
    })
  )

describe("Within.within beside Effect.timeoutFail", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it.live.each(groups)("has the same result on the live clock: $group", ({ probes }) =>
    Effect.gen(function* () {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      const fiber = yield* Effect.fork(compared(probes))
      while (Option.isNone(yield* Fiber.poll(fiber))) yield* Effect.promise(() => vi.runAllTimersAsync())
      const [expected, found] = yield* Fiber.join(fiber)
      expect(found).toEqual(expected)
    })
  )

  it.live.each(groups.filter(({ isRace }) => isRace !== true))(
    "has the same result with timers of the platform: $group",
    ({ probes }) =>
      Effect.gen(function* () {
        const [expected, found] = yield* compared(probes)
        expect(found).toEqual(expected)
      })
  )

  it.effect.each([...groups, ...interruptedLater])("has the same result under TestClock: $group", ({ probes }) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(compared(probes))
      for (const millis of [1, 3, 1, 1, 6]) yield* TestClock.adjust(millis)
      const [expected, found] = yield* Fiber.join(fiber)
      expect(found).toEqual(expected)
    })
  )

  it.effect.each([...groups, ...interruptedLater, ...scopes, ...regions])(
    "has the same result at the same time, and leaves no timer and no fiber behind: $group",
    ({ probes }) =>
      Effect.gen(function* () {
        const expected = { ...(yield* timed(probes, native)), sleepers: 0, fibers: 0 }
        expect(yield* timed(probes, ours)).toEqual(expected)
      })
  )

  /** `Within` for a version of Effect that does not have these fields. */
  const without = (fields: Readonly<Record<string, () => undefined>>) =>
    Effect.promise(async (): Promise<Bounded> => {
      vi.resetModules()
      const path = "../../../src/fund/fiber/Undeclared.ts"
      vi.doMock(path, async (original) => ({ ...(await original<object>()), ...fields }))
      const { within } = await import("../../../src/fund/fiber/Within.ts")
      vi.doUnmock(path)
      // Tests after this one find their own modules.
      vi.resetModules()
      return (self, millis, onTimeout = () => "timeout") =>
        within(self, { millis, onTimeout: () => Effect.failSync(onTimeout), disconnected: false })
    })

  const none = () => undefined
  const missing = [
    { field: "_fiberRefs", fields: { fiberRefs: none } },
    { field: "currentRuntimeFlags", fields: { runtimeFlags: none } },
    { field: "scheduler of a clock", fields: { scheduler: none } },
    { field: "of them at all", fields: { fiberRefs: none, runtimeFlags: none, scheduler: none } }
  ]

  it.effect.each(missing)("has the same result when effects have no $field", ({ fields }) =>
    Effect.gen(function* () {
      const bounded = yield* without(fields)
      for (const { probes } of [...groups, ...scopes, ...regions]) {
        const expected = { ...(yield* timed(probes, native)), sleepers: 0, fibers: 0 }
        expect(yield* timed(probes, bounded)).toEqual(expected)
      }
    })
  )

  it.effect.each(slow)("has the same result disconnected when the effect $name", (program) =>
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

const hour = 3_600_000

class Service extends Context.Tag("test/Service")<Service, string>() {}

/** Counts the timers of an hour that are set and not yet cleared: those of a test runner are shorter. */
const watchTimers = () => {
  const set = vi.spyOn(globalThis, "setTimeout")
  const clear = vi.spyOn(globalThis, "clearTimeout")
  return () => {
    const cleared = new Set<unknown>(clear.mock.calls.map(([timer]) => timer))
    return set.mock.results.filter(({ value }, i) => set.mock.calls[i]?.[1] === hour && !cleared.has(value)).length
  }
}

/** Lets all fibers go first that are ready. */
const turns = Effect.repeatN(Effect.yieldNow(), 20)

describe("Within.within", () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

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

  const secret = new Error("secret")

  /** How many lines a bounded effect logs. */
  const linesOf = (self: Effect.Effect<unknown, unknown>) => {
    let lines = 0
    return Effect.exit(within(self, { millis: hour, onTimeout: () => Effect.void, disconnected: false })).pipe(
      Effect.map(() => lines),
      Effect.provide(
        Logger.replace(
          Logger.defaultLogger,
          Logger.make(() => void (lines += 1))
        )
      ),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
  }

  it.live.each([
    { error: "at once", self: Effect.fail(secret) },
    { error: "after a yield", self: Effect.zipRight(Effect.yieldNow(), Effect.fail(secret)) },
    { error: "that is a defect", self: Effect.die(secret) }
  ])("logs no error of the effect $error", ({ self }) =>
    Effect.gen(function* () {
      expect(yield* linesOf(self)).toBe(0)
    })
  )

  it.live("has the fibers of the effect log as ever", () =>
    Effect.gen(function* () {
      expect(yield* linesOf(Effect.flatMap(Effect.fork(Effect.fail(secret)), Fiber.await))).toBe(1)
    })
  )

  it.effect("dies when the sleep of the clock dies", () =>
    Effect.gen(function* () {
      const inner = yield* Effect.clock
      let isStopped = false
      const self = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (isStopped = true)))
      const clock: Clock.Clock = { ...inner, sleep: () => Effect.die("defect") }
      expect(yield* Effect.exit(Effect.withClock(ours(self, hour), clock))).toEqual(Exit.die("defect"))
      expect(isStopped).toBe(true)
    })
  )

  it.effect("dies when a clock throws", () =>
    Effect.gen(function* () {
      const inner = yield* Effect.clock
      const clock = Object.defineProperty({ ...inner }, "sleep", {
        get: () => {
          throw new Error("no sleep")
        }
      })
      const exit = yield* Effect.exit(Effect.withClock(ours(Effect.never, hour), clock))
      expect(exit).toStrictEqual(Exit.die(new Error("no sleep")))
    })
  )

  /** A module that has counted nothing yet: it counts how deep effects are nested. */
  const fresh = (disconnected: boolean) =>
    Effect.promise(async (): Promise<Bounded> => {
      vi.resetModules()
      const { within } = await import("../../../src/fund/fiber/Within.ts")
      return (self, millis) => within(self, { millis, onTimeout: () => Effect.fail("timeout" as const), disconnected })
    })

  const places = [
    { place: "waited for", disconnected: false },
    { place: "left behind", disconnected: true }
  ]

  it.live.each(places)("starts the effect at once, however many have ended before, $place", ({ disconnected }) =>
    Effect.gen(function* () {
      const bounded = yield* fresh(disconnected)
      for (let i = 0; i < 200; i++) {
        let isStarted = false
        const self = Effect.sync(() => {
          isStarted = true
        })
        Effect.runFork(bounded(self, hour))
        expect(isStarted).toBe(true)
      }
    })
  )

  it.effect.each(places)("goes on at once after an effect that ends at once, $place", ({ disconnected }) =>
    Effect.gen(function* () {
      const happened: Array<string> = []
      const happens = (what: string) => Effect.sync(() => void happened.push(what))
      yield* Effect.fork(happens("another fiber"))
      yield* within(happens("effect"), { millis: hour, onTimeout: () => Effect.void, disconnected })
      yield* happens("what follows")
      yield* turns
      expect(happened).toEqual(["effect", "what follows", "another fiber"])
    })
  )

  const succeeding = (self: Effect.Effect<unknown>, millis: number) =>
    within(self, { millis, onTimeout: () => Effect.succeed(millis), disconnected: false })

  /** A scope around an effect, which takes so long to release. */
  const scoped = (self: Effect.Effect<unknown>, millis: number) =>
    Effect.scoped(
      Effect.zipRight(
        Effect.addFinalizer(() => Effect.sleep(millis)),
        self
      )
    )

  const releases = [
    { release: "a scope is released", self: scoped(Effect.never, slowly) },
    { release: "a scope of an effect in it is released", self: succeeding(scoped(Effect.never, slowly), hour) },
    {
      release: "a scope is released after the time of an effect in it was up",
      self: scoped(succeeding(scoped(Effect.never, 2 * limit), limit - 1), slowly)
    }
  ]

  it.effect.each(releases)("ends by an interruption that comes while $release", ({ self }) =>
    Effect.gen(function* () {
      const happened: Array<string> = []
      const bounded = Effect.tap(succeeding(self, limit), () => happened.push("what follows"))
      const fiber = yield* Effect.fork(bounded)
      yield* Effect.sleep(3 * limit)
      const exit = yield* Fiber.interrupt(fiber)
      expect([Exit.isInterrupted(exit), happened]).toEqual([true, []])
      expect(yield* succeeding(bounded, 3 * limit)).toBe(3 * limit)
      expect(happened).toEqual([])
    }).pipe(VirtualClock.run)
  )

  it.effect("ends without a disconnected effect, even when nothing can be interrupted", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.uninterruptible(oursDisconnected(Effect.sleep(slowly), limit)))
      expect(yield* Fiber.await(fiber)).toEqual(Exit.fail("timeout"))
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(limit)
    }).pipe(VirtualClock.run)
  )

  it.effect("goes on when the time of an effect in it was up later than its own", () =>
    Effect.gen(function* () {
      const inner = succeeding(Effect.uninterruptible(Effect.sleep(slowly)), limit + 1)
      const exit = yield* Effect.exit(Effect.tap(succeeding(inner, limit), () => Effect.sleep(limit)))
      expect(exit).toEqual(Exit.succeed(limit))
    }).pipe(VirtualClock.run)
  )

  it.effect.each(places)("tells how the effect has ended, before it goes on, $place", ({ disconnected }) =>
    Effect.gen(function* () {
      const happened: Array<string> = []
      const happens = (what: string) =>
        Effect.zipRight(
          Effect.yieldNow(),
          Effect.sync(() => void happened.push(what))
        )
      const note = ({ _tag }: Exit.Exit<unknown, unknown>) => happens(_tag)
      for (const self of [Effect.void, Effect.fail("failure"), Effect.never]) {
        yield* Effect.exit(within(self, { millis: limit, onTimeout: () => happens("timeout"), disconnected, note }))
        yield* happens("what follows")
      }
      const afterwards = "what follows"
      expect(happened).toEqual(["Success", afterwards, "Failure", afterwards, "Failure", "timeout", afterwards])
    }).pipe(VirtualClock.run)
  )

  it.effect("runs the effect in a fiber of its own, whatever surrounds it", () =>
    Effect.gen(function* () {
      const isOwn = Effect.flatMap(Effect.fiberId, (around) =>
        Effect.map(ours(Effect.fiberId, hour), (own) => own !== around)
      )
      expect(yield* Effect.all([isOwn, Effect.uninterruptible(isOwn)])).toEqual([true, true])
    })
  )

  it.live("sets no timer for an effect that ends at once", () =>
    Effect.gen(function* () {
      const set = vi.spyOn(globalThis, "setTimeout")
      yield* ours(Effect.void, hour)
      expect(set.mock.calls.filter(([, millis]) => millis === hour)).toHaveLength(0)
      yield* ours(Effect.yieldNow(), hour)
      expect(set.mock.calls.filter(([, millis]) => millis === hour)).toHaveLength(1)
    })
  )

  it.effect("leaves an earlier interruption of the fiber as it was", () =>
    Effect.gen(function* () {
      const knows = Effect.map(Effect.getFiberRefs, ({ locals }) => locals.has(FiberRef.interruptedCause))
      const known = (bounded: Bounded) =>
        Effect.all([knows, Effect.scoped(Effect.addFinalizer(() => Effect.void)), bounded(Effect.void, hour), knows])
      const inFiber = (bounded: Bounded) => Effect.flatMap(Effect.fork(known(bounded)), Fiber.join)
      expect(yield* inFiber(native)).toEqual([false, undefined, undefined, true])
      expect(yield* inFiber(ours)).toEqual([false, undefined, undefined, true])
    })
  )

  it.effect("takes no step to hand FiberRefs of a child back when none has changed", () =>
    Effect.gen(function* () {
      const ref = yield* FiberRef.make("before")
      const steps = (self: Effect.Effect<unknown>) =>
        Effect.map(
          interruptedBefore(Infinity, FiberRef.set(ref, "before").pipe(Effect.zipRight(oursDisconnected(self, hour)))),
          ({ steps }) => steps
        )
      const none = yield* steps(Effect.void)
      const unchanged = {
        "the same value": FiberRef.set(ref, "before"),
        "a value for a while": Effect.locally(Effect.yieldNow(), ref, "inside"),
        "a service for a while": Effect.provideService(Effect.void, Service, "inside"),
        "a region": Effect.uninterruptible(Effect.void)
      }
      const changed = {
        "another value": FiberRef.set(ref, "after"),
        "a value of a new FiberRef": Effect.suspend(() => FiberRef.set(FiberRef.unsafeMake("new"), "set")),
        flags: Effect.patchRuntimeFlags(RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics))
      }
      const taken = (table: Record<string, Effect.Effect<unknown>>) =>
        Effect.map(Effect.all(Object.values(table).map(steps)), (all) =>
          Object.keys(table).filter((_, i) => (all[i] ?? 0) > none)
        )
      // A yield of the effect is waited for, which is more steps, with or without FiberRefs.
      const waits = yield* steps(Effect.yieldNow())
      expect(yield* steps(unchanged["a value for a while"])).toBe(waits)
      expect(yield* taken({ ...unchanged, "a value for a while": Effect.void })).toEqual([])
      expect(yield* taken(changed)).toEqual(Object.keys(changed))
    }).pipe(Effect.scoped)
  )

  it.effect("hands back what a child has set in a FiberRef that the fiber around it does not have", () =>
    Effect.gen(function* () {
      const ref = FiberRef.unsafeMake("before")
      yield* oursDisconnected(FiberRef.set(ref, "after"), hour)
      expect(yield* FiberRef.get(ref)).toBe("after")
    })
  )

  const nested = [
    { name: "succeeds", self: Effect.succeed("done"), exit: Exit.succeed("done"), depth: 3_000 },
    {
      name: "succeeds after a yield",
      self: Effect.as(Effect.yieldNow(), "done"),
      exit: Exit.succeed("done"),
      depth: 300
    },
    { name: "fails", self: Effect.fail("failure"), exit: Exit.fail("failure"), depth: 1_000 }
  ]

  it.live.each(places.flatMap((place) => nested.map((one) => ({ ...one, ...place }))))(
    "can be nested $depth deep when the effect $name, $place",
    ({ depth, disconnected, exit, self }) =>
      Effect.gen(function* () {
        const bounded = yield* fresh(disconnected)
        const timers = watchTimers()
        let nested: Effect.Effect<string, string> = self
        for (let i = 0; i < depth; i++) nested = bounded(nested, hour)
        expect(yield* Effect.exit(nested)).toEqual(exit)
        expect(timers()).toBe(0)
      })
  )

  it("leaves no fiber, no timer and no listener behind, whenever it is interrupted", async () => {
    const fibersBefore = Steps.roots()
    const timers = watchTimers()
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
      const fiber = Effect.runFork(Effect.repeatN(ours(request, hour), 2))
      for (let turn = 0; turn < race % 23; turn++) await (turn < 12 ? undefined : new Promise(setImmediate))
      const exit = await Effect.runPromise(Fiber.interrupt(fiber))
      if (Exit.isInterrupted(exit)) interruptions += 1
      listeners += server.listenerCount("answer")
    }
    expect(interruptions).toBeGreaterThan(races / 4)
    expect(interruptions).toBeLessThan(races)
    expect(answered).toBeGreaterThan(races)
    expect([listeners, Steps.roots(), timers()]).toEqual([0, fibersBefore, 0])
  })

  it.each(slow.filter(({ name }) => ["never ends", "ends in time", "has a slow finalizer"].includes(name)))(
    "ends the effect at whichever step it is interrupted, when the effect $name",
    (program) => {
      const runs = Stepping.everywhere(() => {
        let open = 0
        const self = Effect.acquireUseRelease(
          Effect.sync(() => void (open += 1)),
          () => program.make(() => Effect.void),
          () => Effect.sync(() => void (open -= 1))
        )
        return { self: ours(self, limit), check: () => expect(open).toBe(0) }
      }, 20)
      expect(runs).toBeGreaterThan(10)
    }
  )

  it.each([
    { way: "waited for", bounded: ours },
    { way: "left behind", bounded: oursDisconnected }
  ])("begins no effect in a fiber that is interrupted already, $way", ({ bounded }) => {
    const runs = Stepping.everywhere(() => {
      let begins = 0
      const self = Effect.withFiberRuntime<void, "timeout">((around) => {
        const begun = Effect.sync(() => {
          if (Steps.isInterrupted(around)) begins += 1
        })
        return bounded(begun, limit)
      })
      return { self, check: () => expect(begins).toBe(0) }
    }, 20)
    expect(runs).toBeGreaterThan(10)
  })

  it.live("leaves no timer of the platform behind", () =>
    Effect.gen(function* () {
      const timers = watchTimers()
      for (let i = 0; i < 100; i++) {
        yield* ours(Effect.yieldNow(), hour)
        yield* Effect.uninterruptible(ours(Effect.yieldNow(), hour))
        yield* Effect.flip(ours(Effect.zipRight(Effect.yieldNow(), Effect.fail("failure")), hour))
      }
      expect(timers()).toBe(0)
    })
  )

  it.effect("keeps the defect of a finalizer after an interruption and the timeout", () =>
    Effect.gen(function* () {
      const dying = Effect.onInterrupt(Effect.never, () =>
        Effect.zipRight(Effect.sleep(2 * limit), Effect.die("defect"))
      )
      const fiber = yield* Effect.fork(ours(dying, limit))
      yield* Effect.sleep(1)
      const exit = yield* Fiber.interrupt(fiber)
      expect([
        Exit.isInterrupted(exit),
        ...Exit.match(exit, { onFailure: Cause.defects, onSuccess: () => [] })
      ]).toEqual([true, "defect"])
    }).pipe(VirtualClock.run)
  )

  it.effect("is in time while a bound inside it ends its own effect", () =>
    Effect.gen(function* () {
      const slow = Effect.onInterrupt(Effect.never, () => Effect.sleep(2 * limit))
      const inner = Effect.repeatN(Effect.ignore(ours(slow, limit)), 9)
      expect(yield* Effect.exit(ours(inner, 2 * limit))).toEqual(Exit.fail("timeout"))
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(3 * limit)
    }).pipe(VirtualClock.run)
  )

  it.effect("leaves the fiber as it was before the timeout", () =>
    Effect.gen(function* () {
      yield* Effect.ignore(ours(Effect.never, limit))
      expect(yield* Effect.uninterruptible(Effect.interruptible(Effect.as(Effect.sleep(1), "goes on")))).toBe("goes on")
      expect(yield* VirtualClock.sleepers).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("leaves FiberRefs as they were before the timeout", () =>
    Effect.gen(function* () {
      const ref = yield* FiberRef.make("before")
      yield* Effect.ignore(ours(Effect.zipRight(FiberRef.set(ref, "after"), Effect.never), limit))
      expect(Cause.isEmpty(yield* FiberRef.get(FiberRef.interruptedCause))).toBe(true)
      expect(yield* FiberRef.get(ref)).toBe("before")
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.live.each([
    { name: "is waited for", bounded: ours, isLeft: false },
    { name: "is left behind", bounded: oursDisconnected, isLeft: true }
  ])("removes its timer in the step that interrupts it, when the effect $name", ({ bounded, isLeft }) =>
    Effect.gen(function* () {
      const timers = watchTimers()
      const latch = yield* Effect.makeLatch(false)
      const fiber = yield* Effect.fork(bounded(Effect.uninterruptible(latch.await), hour))
      yield* turns
      expect(timers()).toBe(1)
      yield* Fiber.interruptFork(fiber)
      yield* turns
      expect(Option.isSome(yield* Fiber.poll(fiber))).toBe(isLeft)
      expect(timers()).toBe(0)
      yield* latch.open
      expect(Exit.isInterrupted(yield* Fiber.await(fiber))).toBe(true)
      expect(timers()).toBe(0)
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
