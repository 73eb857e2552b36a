/**
 * Effects under a bound of time, by `Within` and by Effect itself, and programs that tell the two apart.
 *
 * Times are a few milliseconds, so that a program can also run on the live clock.
 */
import {
  Cause,
  Chunk,
  Context,
  Effect,
  Equal,
  Exit,
  Fiber,
  FiberId,
  FiberRef,
  Option,
  RuntimeFlags,
  RuntimeFlagsPatch,
  Supervisor
} from "effect"
import { within } from "../../../src/fund/fiber/Within.ts"
import * as Steps from "../../support/Steps.ts"

/** Bounds an effect; the timeout is a failure. */
export type Bounded = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  millis: number,
  onTimeout?: () => "timeout"
) => Effect.Effect<A, E | "timeout", R>

const timeout = () => "timeout" as const

const by =
  (disconnected: boolean): Bounded =>
  (self, millis, onTimeout = timeout) =>
    within(self, { millis, onTimeout: () => Effect.failSync(onTimeout), disconnected })

export const ours = by(false)

export const oursDisconnected = by(true)

export const native: Bounded = (self, millis, onTimeout = timeout) =>
  Effect.timeoutFail(self, { duration: millis, onTimeout })

export const nativeDisconnected: Bounded = (self, millis, onTimeout) =>
  native(Effect.disconnect(self), millis, onTimeout)

/** What a program is given, in milliseconds. */
export const limit = 4

const inTime = 2
const late = 10

/** When a program is interrupted from outside: before or after its timeout. */
export const early = 1
export const afterTimeout = 5

/** Writes down what happens. */
type Note = (line: string) => Effect.Effect<void>

interface Program {
  readonly name: string
  /** Whether it ends only when it is interrupted. */
  readonly isEndless?: boolean
  readonly make: (note: Note) => Effect.Effect<unknown, string>
}

const cleaning = (note: Note, self: Effect.Effect<unknown, string>) =>
  Effect.onExit(self, (exit) => Effect.zipRight(Effect.yieldNow(), note(`over: ${exit._tag}`)))

const done = Effect.succeed("done")

/** Lets finalizers end that take no time. */
const turns = Effect.replicateEffect(Effect.yieldNow(), 5)

/** Programs that take no time. */
export const immediate: ReadonlyArray<Program> = [
  { name: "succeeds", make: () => done },
  { name: "succeeds after a yield", make: () => Effect.zipRight(Effect.yieldNow(), done) },
  { name: "fails", make: () => Effect.fail("failure") },
  { name: "fails after a yield", make: () => Effect.zipRight(Effect.yieldNow(), Effect.fail("failure")) },
  { name: "dies", make: () => Effect.die("defect") },
  { name: "dies and fails", make: () => Effect.failCause(Cause.parallel(Cause.die("defect"), Cause.fail("failure"))) },
  { name: "interrupts itself", make: () => Effect.interrupt },
  { name: "interrupts itself after a yield", make: () => Effect.zipRight(Effect.yieldNow(), Effect.interrupt) },
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

/** Programs that take time, or never end. */
export const slow: ReadonlyArray<Program> = [
  { name: "never ends", isEndless: true, make: (note) => cleaning(note, Effect.never) },
  { name: "ends in time", make: (note) => cleaning(note, Effect.delay(done, inTime)) },
  { name: "fails in time", make: (note) => cleaning(note, Effect.delay(Effect.fail("failure"), inTime)) },
  { name: "ends too late", make: (note) => cleaning(note, Effect.delay(done, late)) },
  { name: "cannot be interrupted", make: (note) => Effect.uninterruptible(cleaning(note, Effect.sleep(late))) },
  {
    name: "cannot be interrupted and fails",
    make: (note) => Effect.uninterruptible(cleaning(note, Effect.delay(Effect.fail("failure"), late)))
  },
  {
    name: "succeeds because it is interrupted",
    isEndless: true,
    make: (note) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.catchAllCause(restore(Effect.never), () => Effect.as(note("rescued"), "done"))
      )
  },
  {
    name: "has a slow finalizer",
    isEndless: true,
    make: (note) => Effect.onInterrupt(Effect.never, () => Effect.zipRight(Effect.sleep(inTime), note("cleaned up")))
  },
  {
    name: "has a finalizer that dies",
    isEndless: true,
    make: () => Effect.onInterrupt(Effect.never, () => Effect.die("defect"))
  },
  {
    name: "has a slow finalizer that dies",
    isEndless: true,
    make: () => Effect.onInterrupt(Effect.never, () => Effect.zipRight(Effect.sleep(inTime), Effect.die("defect")))
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
    name: "forks a child that takes too long to end",
    isEndless: true,
    make: (note) =>
      Effect.zipRight(
        Effect.fork(Effect.onInterrupt(Effect.never, () => Effect.zipRight(Effect.sleep(late), note("child")))),
        Effect.yieldNow()
      )
  },
  {
    name: "forks a child that never ends",
    isEndless: true,
    make: (note) => Effect.zipRight(Effect.fork(cleaning(note, Effect.never)), Effect.never)
  }
]

/** A program whose end and whose timeout fall together. */
export const tied: Program = {
  name: "ends at the very end of the time",
  make: (note) => cleaning(note, Effect.delay(done, limit))
}

/** An exit without the structure of its cause. */
export const plain = <A, E>(exit: Exit.Exit<A, E>) =>
  Exit.match(exit, {
    onSuccess: (value) => ({ value }),
    onFailure: (cause) => ({
      failures: Chunk.toReadonlyArray(Cause.failures(cause)),
      defects: Chunk.toReadonlyArray(Cause.defects(cause)).map(String),
      isInterrupted: Cause.isInterrupted(cause)
    })
  })

/** The result of a program under a bound, and what it wrote down until it was over. */
export const outcome = (bounded: Bounded, { make }: Program, millis = limit) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const note: Note = (line) => Effect.sync(() => void lines.push(line))
    const exit = yield* Effect.exit(bounded(make(note), millis))
    return { exit: plain(exit), lines }
  })

/** Interrupts a program after so many milliseconds: what it came to, and what it wrote down until then. */
export const interrupted = (bounded: Bounded, { make }: Program, afterMillis: number, millis: number) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const note: Note = (line) => Effect.sync(() => void lines.push(line))
    const fiber = yield* Effect.fork(bounded(make(note), millis))
    yield* Effect.sleep(afterMillis)
    const exit = yield* Fiber.interrupt(fiber)
    yield* turns
    return { exit: plain(exit), lines: [...lines] }
  })

/** Interrupts a program with a scope around it while that is released: what it came to, and what it wrote down. */
export const interruptedInRelease = (bounded: Bounded, { make }: Program) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const note: Note = (line) => Effect.sync(() => void lines.push(line))
    const released = Effect.addFinalizer(() => Effect.zipRight(Effect.sleep(2 * late), note("released")))
    const scoped = Effect.scoped(Effect.zipRight(released, Effect.exit(bounded(make(note), limit))))
    const fiber = yield* Effect.fork(Effect.zipRight(Steps.asFirst(scoped), note("what follows")))
    yield* Effect.sleep(late + afterTimeout)
    const exit = yield* Fiber.interrupt(fiber)
    return { exit: plain(exit), lines }
  })

class Service extends Context.Tag("test/Service")<Service, string>() {}

/** A fiber that waits. */
const waiting = Effect.fork(Effect.never)

/** How many interruptions a cause has. */
const interruptions = (cause: Cause.Cause<unknown>) =>
  Cause.reduce(cause, 0, (found, { _tag }) => (_tag === "Interrupt" ? Option.some(found + 1) : Option.none()))

interface Situation {
  readonly name: string
  /** What can be distinguished. */
  readonly run: (bounded: Bounded) => Effect.Effect<unknown, unknown>
}

const flagsAfter = (bounded: Bounded, patch: RuntimeFlagsPatch.RuntimeFlagsPatch) =>
  Effect.gen(function* () {
    const inside = Effect.zipRight(Effect.patchRuntimeFlags(patch), Effect.getRuntimeFlags)
    const after = Effect.zip(bounded(inside, limit), Effect.getRuntimeFlags)
    // A fiber that is joined hands its flags on.
    return yield* yield* Fiber.await(yield* Effect.fork(after))
  })

/** What surrounds a bounded effect, and what it hands back. */
export const situations: ReadonlyArray<Situation> = [
  {
    name: "a fiber that was forked before outlives the timeout",
    run: (bounded) =>
      Effect.gen(function* () {
        const before = yield* waiting
        yield* Effect.ignore(bounded(Effect.never, limit))
        const found = yield* Fiber.poll(before)
        yield* Fiber.interrupt(before)
        return found._tag
      })
  },
  {
    name: "a fiber that was forked before outlives a failure",
    run: (bounded) =>
      Effect.gen(function* () {
        const before = yield* waiting
        yield* Effect.ignore(bounded(Effect.fail("failure"), limit))
        const found = yield* Fiber.poll(before)
        yield* Fiber.interrupt(before)
        return found._tag
      })
  },
  {
    name: "a handle of the fiber of the effect is used after the end",
    run: (bounded) =>
      Effect.gen(function* () {
        const own = yield* bounded(
          Effect.withFiberRuntime<Fiber.RuntimeFiber<unknown, unknown>>((fiber) => Effect.succeed(fiber)),
          limit
        )
        own.unsafeInterruptAsFork(FiberId.none)
        return yield* Effect.as(Effect.sleep(1), "goes on")
      })
  },
  {
    name: "it is interrupted while a scope of the effect is released in time",
    run: (bounded) =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const note: Note = (line) => Effect.sync(() => void lines.push(line))
        const releasing = Effect.addFinalizer(() => Effect.zipRight(Effect.sleep(inTime), note("released")))
        const fiber = yield* Effect.fork(
          Effect.zipRight(bounded(Effect.scoped(releasing), 60_000), note("what follows"))
        )
        yield* Effect.sleep(early)
        return [plain(yield* Fiber.interrupt(fiber)), lines]
      })
  },
  {
    name: "a supervisor sees the fibers of the effect, and nothing of it afterwards",
    run: (bounded) =>
      Effect.gen(function* () {
        const supervisor = yield* Supervisor.track
        const forking = Effect.zipRight(waiting, Effect.never)
        const fiber = yield* Effect.fork(Effect.supervised(bounded(forking, 60_000), supervisor))
        yield* Effect.sleep(early)
        const isSeen = (yield* supervisor.value).length > 0
        yield* Fiber.interrupt(fiber)
        return { isSeen, left: (yield* supervisor.value).length }
      })
  },
  {
    name: "a scope around it closes after it, and its services are those around it",
    run: (bounded) =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const note: Note = (line) => Effect.sync(() => void lines.push(line))
        const inside = Effect.zipRight(
          Effect.addFinalizer(() => note("closed")),
          Service
        )
        const around = Effect.scoped(Effect.zipLeft(bounded(inside, limit), note("after")))
        return [yield* Effect.provideService(around, Service, "service"), lines]
      })
  },
  {
    name: "what the timeout is made of throws",
    run: (bounded) =>
      Effect.map(
        Effect.exit(
          bounded(Effect.never, limit, () => {
            throw new Error("in onTimeout")
          })
        ),
        plain
      )
  },
  {
    name: "the span around it is seen inside",
    run: (bounded) =>
      Effect.map(Effect.zipLeft(Effect.currentSpan, Effect.yieldNow()), ({ name }) => name).pipe(
        (inside) => bounded(inside, limit),
        Effect.withSpan("span")
      )
  },
  {
    name: "the annotations around it are seen inside",
    run: (bounded) =>
      FiberRef.get(FiberRef.currentLogAnnotations).pipe(
        (inside) => bounded(inside, limit),
        Effect.map((annotations) => [...annotations]),
        Effect.annotateLogs("key", "value")
      )
  },
  { name: "it runs synchronously", run: (bounded) => Effect.sync(() => Effect.runSync(bounded(done, limit))) },
  {
    name: "it is interrupted before it starts",
    run: (bounded) =>
      Effect.gen(function* () {
        let ran = false
        const self = Effect.sync(() => {
          ran = true
        })
        const fiber = yield* Effect.fork(Effect.zipRight(Effect.yieldNow(), bounded(self, limit)))
        return { exit: plain(yield* Fiber.interrupt(fiber)), ran }
      })
  },
  {
    name: "it is interrupted in its own name",
    run: (bounded) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(bounded(Effect.never, 60_000))
        yield* Effect.sleep(early)
        return plain(yield* Fiber.interruptAs(fiber, fiber.id()))
      })
  },
  {
    name: "the effect hears of an interruption once",
    run: (bounded) =>
      Effect.gen(function* () {
        const heard: Array<number> = []
        const inside = Effect.onExit(Effect.never, (exit: Exit.Exit<never>) =>
          Effect.sync(() => void heard.push(Exit.isFailure(exit) ? interruptions(exit.cause) : 0))
        )
        const fiber = yield* Effect.fork(bounded(inside, 60_000))
        yield* Effect.sleep(early)
        yield* Fiber.interrupt(fiber)
        yield* turns
        return heard
      })
  },
  {
    name: "the timeout interrupts in the name of the fiber around it",
    run: (bounded) =>
      Effect.gen(function* () {
        const self = yield* Effect.fiberId
        const names: Array<unknown> = []
        const inside = Effect.onInterrupt(Effect.never, (interruptors) =>
          Effect.sync(() => void names.push(...interruptors))
        )
        yield* Effect.ignore(bounded(inside, limit))
        return names.some((name) => Equal.equals(name, self))
      })
  },
  {
    name: "a FiberRef counts forks and joins",
    run: (bounded) =>
      Effect.gen(function* () {
        const ref = yield* FiberRef.make(1, { fork: (n) => n + 10, join: (parent, child) => parent + child })
        const inside = yield* bounded(
          Effect.zipRight(
            FiberRef.update(ref, (n) => n + 1),
            FiberRef.get(ref)
          ),
          limit
        )
        return [inside, yield* FiberRef.get(ref)]
      }).pipe(Effect.scoped)
  },
  {
    name: "a FiberRef comes back from a fiber that was joined inside",
    run: (bounded) =>
      Effect.gen(function* () {
        const ref = yield* FiberRef.make("before")
        yield* bounded(Effect.flatMap(Effect.fork(FiberRef.set(ref, "after")), Fiber.join), limit)
        return yield* FiberRef.get(ref)
      }).pipe(Effect.scoped)
  },
  {
    name: "runtime flags are switched on inside",
    run: (bounded) => flagsAfter(bounded, RuntimeFlagsPatch.enable(RuntimeFlags.OpSupervision))
  },
  {
    name: "runtime flags are switched off inside",
    run: (bounded) => flagsAfter(bounded, RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics))
  },
  {
    name: "the effect ends uninterruptible",
    run: (bounded) =>
      Effect.map(flagsAfter(bounded, RuntimeFlagsPatch.disable(RuntimeFlags.Interruption)), ([, after]) =>
        RuntimeFlags.interruption(after)
      )
  }
]
