import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import {
  Cause,
  Chunk,
  Context,
  Duration,
  Effect,
  Exit,
  Fiber,
  FiberRef,
  Option,
  Scheduler,
  Supervisor,
  TestClock
} from "effect"
import { within } from "../../src/loop/Within.ts"

/** Writes down what happens. */
type Note = (line: string) => Effect.Effect<void>

interface Program {
  readonly name: string
  /** Whether it ends only when it is interrupted. */
  readonly isEndless?: boolean
  readonly make: (note: Note) => Effect.Effect<unknown, string>
}

type Bounded = <A, E, R>(self: Effect.Effect<A, E, R>, millis: number) => Effect.Effect<A, E | "timeout", R>

const ours: Bounded = (self, millis) =>
  within(self, { millis, onTimeout: () => Effect.fail("timeout" as const), disconnected: false })

const oursDisconnected: Bounded = (self, millis) =>
  within(self, { millis, onTimeout: () => Effect.fail("timeout" as const), disconnected: true })

const native: Bounded = (self, millis) =>
  Effect.timeoutFail(self, { duration: millis, onTimeout: () => "timeout" as const })

const nativeDisconnected: Bounded = (self, millis) => native(Effect.disconnect(self), millis)

/** An exit without the structure of its cause. */
const plain = <A, E>(exit: Exit.Exit<A, E>) =>
  Exit.match(exit, {
    onSuccess: (value) => ({ value }),
    onFailure: (cause) => ({
      failures: Chunk.toReadonlyArray(Cause.failures(cause)),
      defects: Chunk.toReadonlyArray(Cause.defects(cause)),
      isInterrupted: Cause.isInterrupted(cause)
    })
  })

/** What a program comes to under a bound, and what it wrote down until it was over. */
const outcome = (bounded: Bounded, { make }: Program, millis: number) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const note: Note = (line) => Effect.sync(() => void lines.push(line))
    const exit = yield* Effect.exit(bounded(make(note), millis))
    return { exit: plain(exit), lines }
  })

const cleaning = (note: Note, self: Effect.Effect<unknown, string>) =>
  Effect.onExit(self, (exit) => Effect.zipRight(Effect.yieldNow(), note(`over: ${exit._tag}`)))

const immediate: ReadonlyArray<Program> = [
  { name: "succeeds", make: () => Effect.succeed("done") },
  { name: "succeeds after a yield", make: () => Effect.as(Effect.yieldNow(), "done") },
  { name: "fails", make: () => Effect.fail("failure") },
  { name: "fails after a yield", make: () => Effect.zipRight(Effect.yieldNow(), Effect.fail("failure")) },
  { name: "dies", make: () => Effect.die("defect") },
  { name: "interrupts itself", make: () => Effect.interrupt },
  {
    name: "ends a scope",
    make: (note) => Effect.scoped(Effect.acquireRelease(note("acquired"), () => note("released")))
  },
  {
    name: "forks a child",
    isEndless: true,
    make: (note) =>
      Effect.zipRight(Effect.fork(Effect.onInterrupt(Effect.never, () => note("child"))), Effect.yieldNow())
  }
]

const slow: ReadonlyArray<Program> = [
  { name: "never ends", isEndless: true, make: (note) => cleaning(note, Effect.never) },
  { name: "ends in time", make: (note) => cleaning(note, Effect.delay(Effect.succeed("done"), 999)) },
  { name: "fails in time", make: (note) => cleaning(note, Effect.delay(Effect.fail("failure"), 999)) },
  { name: "ends too late", make: (note) => cleaning(note, Effect.delay(Effect.succeed("done"), 1_001)) },
  { name: "cannot be interrupted", make: (note) => Effect.uninterruptible(cleaning(note, Effect.sleep(3_000))) },
  {
    name: "cannot be interrupted and fails",
    make: (note) => Effect.uninterruptible(cleaning(note, Effect.delay(Effect.fail("failure"), 3_000)))
  },
  {
    name: "has a slow finalizer",
    isEndless: true,
    make: (note) => Effect.onInterrupt(Effect.never, () => Effect.zipRight(Effect.sleep(500), note("cleaned up")))
  },
  {
    name: "has a finalizer that dies",
    isEndless: true,
    make: () => Effect.onInterrupt(Effect.never, () => Effect.die("defect"))
  },
  {
    name: "leaves a scope to its finalizer",
    isEndless: true,
    make: (note) =>
      Effect.scoped(
        Effect.zipRight(
          Effect.addFinalizer(() => note("released")),
          Effect.never
        )
      )
  },
  {
    name: "forks a child that never ends",
    isEndless: true,
    make: (note) => Effect.zipRight(Effect.fork(cleaning(note, Effect.never)), Effect.never)
  }
]

describe("Within.within beside Effect.timeoutFail", () => {
  it.live.each(immediate)("comes to the same on the live clock where the effect $name", (program) =>
    Effect.gen(function* () {
      expect(yield* outcome(ours, program, 3_600_000)).toEqual(yield* outcome(native, program, 3_600_000))
    })
  )

  it.effect.each([...immediate, ...slow])("comes to the same under TestClock where the effect $name", (program) =>
    Effect.gen(function* () {
      const run = (bounded: Bounded) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(outcome(bounded, program, 1_000))
          yield* TestClock.adjust("1 second")
          yield* TestClock.adjust("1 minute")
          return yield* Fiber.join(fiber)
        })
      expect(yield* run(ours)).toEqual(yield* run(native))
    })
  )

  const timed = (
    bounded: Bounded,
    program: Program,
    around: <A, E>(self: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) =>
    VirtualClock.run(
      Effect.gen(function* () {
        const supervisor = yield* Supervisor.track
        const result = yield* around(Effect.supervised(outcome(bounded, program, 1_000), supervisor))
        const at = Duration.toMillis(yield* VirtualClock.now)
        yield* Effect.yieldNow()
        return { ...result, at, sleepers: yield* VirtualClock.sleepers, fibers: (yield* supervisor.value).length }
      })
    )

  const regions = [
    { region: "as it is", around: <A, E>(self: Effect.Effect<A, E>) => self },
    { region: "in an uninterruptible region", around: Effect.uninterruptible },
    {
      region: "in an interruptible part of one",
      around: <A, E>(self: Effect.Effect<A, E>) => Effect.uninterruptible(Effect.interruptible(self))
    }
  ]

  const table = regions.flatMap((region) =>
    [...immediate, ...slow]
      .filter(({ isEndless }) => isEndless !== true || region.region !== "in an uninterruptible region")
      .map((program) => ({ ...region, ...program }))
  )

  it.effect.each(table)(
    "comes to the same at the same time, $region, where the effect $name, and leaves no timer and no fiber",
    ({ around, ...program }) =>
      Effect.gen(function* () {
        const found = yield* timed(ours, program, around)
        expect(found).toEqual({ ...(yield* timed(native, program, around)), sleepers: 0, fibers: 0 })
      })
  )

  it.effect.each(slow)("comes to the same disconnected, where the effect $name", (program) =>
    Effect.gen(function* () {
      const run = (bounded: Bounded) =>
        VirtualClock.run(
          Effect.gen(function* () {
            const { exit } = yield* outcome(bounded, program, 1_000)
            return { exit, at: Duration.toMillis(yield* VirtualClock.now) }
          })
        )
      expect(yield* run(oursDisconnected)).toEqual(yield* run(nativeDisconnected))
    })
  )

  it.effect.each(slow)("is interrupted from outside in the same way, where the effect $name", (program) =>
    Effect.gen(function* () {
      const run = (bounded: Bounded) =>
        VirtualClock.run(
          Effect.gen(function* () {
            const lines: Array<string> = []
            const self = program.make((line) => Effect.sync(() => void lines.push(line)))
            const fiber = yield* Effect.fork(bounded(self, 1_000))
            yield* Effect.sleep(500)
            const exit = yield* Fiber.interrupt(fiber)
            const sleepers = yield* VirtualClock.sleepers
            return {
              isInterrupted: Exit.isInterrupted(exit),
              lines,
              at: Duration.toMillis(yield* VirtualClock.now),
              sleepers
            }
          })
        )
      expect(yield* run(ours)).toEqual({ ...(yield* run(native)), sleepers: 0 })
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

  it.effect.each([
    { name: "succeeds", self: Effect.succeed("done"), exit: Exit.succeed("done") },
    { name: "succeeds after a yield", self: Effect.as(Effect.yieldNow(), "done"), exit: Exit.succeed("done") },
    { name: "fails", self: Effect.fail("failure"), exit: Exit.fail("failure") }
  ])("can be nested three thousand deep where the effect $name", ({ exit, self }) =>
    Effect.gen(function* () {
      let nested: Effect.Effect<string, string> = self
      for (let depth = 0; depth < 3_000; depth++) nested = ours(nested, 3_600_000)
      expect(yield* Effect.exit(nested)).toEqual(exit)
      expect(yield* VirtualClock.sleepers).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.live("leaves no timer of the platform behind", () =>
    Effect.gen(function* () {
      const timers = Effect.sync(() => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length)
      const before = yield* timers
      for (let i = 0; i < 100; i++) {
        yield* ours(Effect.yieldNow(), 3_600_000)
        yield* Effect.uninterruptible(ours(Effect.yieldNow(), 3_600_000))
      }
      expect(yield* timers).toBe(before)
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

  it.effect("passes a success on that comes at the very end of the time", () =>
    Effect.gen(function* () {
      expect(yield* ours(Effect.delay(Effect.succeed("done"), 1_000), 1_000)).toBe("done")
    }).pipe(VirtualClock.run)
  )
})
