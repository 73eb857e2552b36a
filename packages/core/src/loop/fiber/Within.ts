/**
 * An effect under a bound of time.
 *
 * The effect runs in the fiber that bounds it. When the time is up, that fiber is interrupted; once the effect has ended, the
 * fiber forgets it. So a bound costs little. Where the effect could notice that, it has a fiber of its own. This file alone
 * knows how that is done with Effect 3's runtime.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import { constVoid, identity } from "effect/Function"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Interruption from "./Interruption.ts"
import * as TimeBound from "./TimeBound.ts"
import * as Timer from "./Timer.ts"

/** How long an effect may run, and what happens then. */
interface Bound<B, E2> {
  /** How long the effect may run. */
  readonly millis: number
  /** Gives the outcome when the time is up. */
  readonly onTimeout: () => Effect.Effect<B, E2>
  /** Whether to go on without an effect that cannot be interrupted, instead of waiting for it. */
  readonly disconnected: boolean
  /** Told how the effect ended, in the step in which it ends: no interruption comes between. */
  readonly note?: Note | undefined
}

type Note = (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** The fiber that bounds an effect, as it is when it begins. */
interface Around {
  readonly fiber: AnyFiber
  readonly fiberRefs: FiberRefs.FiberRefs
  readonly runtimeFlags: RuntimeFlags.RuntimeFlags
}

/** An effect that runs. Mutable, and one record: it is held for as long as the effect waits. */
interface Running {
  readonly around: Around
  /** What the time interrupts when it is up. */
  readonly fiber: AnyFiber
  /** The same bound for what begins under it, where the fiber around is the one that is interrupted. */
  readonly timeBound: TimeBound.TimeBound | undefined
  hasEnded: boolean
  /** Removes the timer. */
  cancel: Timer.Cancel
  /** In whose name the fiber was interrupted when the time was up. */
  interruptor: FiberId.FiberId | undefined
  /** How the fiber around has been interrupted since then. */
  heard: ReadonlyArray<Cause.Cause<never>> | undefined
  /** What the sleep of the clock has died of. */
  defect: Cause.Cause<never> | undefined
}

/**
 * Runs an effect for at most `millis`, then interrupts it.
 *
 * Like `Effect.timeoutTo`: finalizers are awaited, only a success leaves what it has set in FiberRefs, and interruption from
 * outside reaches the effect. An effect that ends while it is being interrupted counts as interrupted.
 *
 * @category running
 */
export const within = <A, E, R, B, E2>(
  self: Effect.Effect<A, E, R>,
  bound: Bound<B, E2>
): Effect.Effect<A | B, E | E2, R> =>
  Effect.withFiberRuntime<A | B, E | E2, R>((_, { runtimeFlags }) => withinKnown(self, bound, runtimeFlags))

/**
 * The same where the flags of the fiber are known, which spares a look at them.
 *
 * @category running
 */
export const withinKnown = <A, E, R, B, E2>(
  self: Effect.Effect<A, E, R>,
  bound: Bound<B, E2>,
  runtimeFlags: RuntimeFlags.RuntimeFlags
): Effect.Effect<A | B, E | E2, R> =>
  // Effect keeps all of a cause where nothing interrupts: the effect begins in there, and there its end is seen.
  Effect.uninterruptible(
    Effect.withFiberRuntime<A | B, E | E2, R>((fiber) => {
      const { _fiberRefs: fiberRefs }: Undeclared = fiber
      return fiberRefs === undefined || bound.disconnected || !isLikeAChild(fiber, fiberRefs, runtimeFlags)
        ? apart({ fiber, fiberRefs: fiber.getFiberRefs(), runtimeFlags }, self, bound)
        : here({ fiber, fiberRefs, runtimeFlags }, self, bound)
    })
  )

/**
 * Whether an effect finds nothing in the fiber that it would not find in a child. A fiber that cannot be interrupted may have
 * been, which parts of the effect that can be interrupted would hear.
 */
const isLikeAChild = (
  fiber: AnyFiber,
  { locals }: FiberRefs.FiberRefs,
  runtimeFlags: RuntimeFlags.RuntimeFlags
): boolean => {
  let isAlike = RuntimeFlags.interruptible(runtimeFlags) && childrenOf(fiber)?.size === 0
  // Not by `for`, which makes an array for each of them.
  locals.forEach((values, ref) => {
    const { fork, patch } = ref as unknown as Forking
    const value = values[0][1]
    // By `identity` most values stay as they are. A fiber that is interrupted already ends before the effect begins.
    isAlike &&= fork === identity || ref === FiberRef.interruptedCause || patch(fork)(value) === value
  })
  return isAlike
}

/** The children of a fiber, which are interrupted along with it. */
const childrenOf = (fiber: Undeclared): ReadonlySet<AnyFiber> | undefined => fiber.getChildren?.()

/** What Effect does not declare of a fiber. A version that does not have it runs effects in a child. */
interface Undeclared extends AnyFiber {
  /** What `getFiberRefs` answers a copy of. */
  readonly _fiberRefs?: FiberRefs.FiberRefs
  getChildren?(): ReadonlySet<AnyFiber>
  /** Takes a message; one that interrupts has a cause. */
  tell?(message: { readonly cause?: Cause.Cause<never> }): void
}

/** What Effect does not declare of a FiberRef: what becomes of its value in a child. */
interface Forking {
  readonly fork: unknown
  readonly patch: (fork: unknown) => (value: unknown) => unknown
}

const begin = (around: Around, fiber: AnyFiber): Running => ({
  around,
  fiber,
  timeBound: fiber === around.fiber ? TimeBound.begin(fiber) : undefined,
  hasEnded: false,
  cancel: constVoid,
  interruptor: undefined,
  heard: undefined,
  defect: undefined
})

/**
 * Sets the timer, in the next turn: an effect that has ended by then needs none, and one that sleeps for as long as it may
 * has gone to sleep before.
 */
const setTimer = (run: Running, millis: number, onTimeUp: () => void): void => {
  const { fiber, fiberRefs, runtimeFlags } = run.around
  const { currentContext: context, currentDefaultServices, currentScheduler } = fiber
  const timeIsUp = (defect?: Cause.Cause<never>) => {
    if (run.timeBound !== undefined) {
      // It is ending by then, and what its finalizers die of is kept.
      if (Interruption.isFromOutside(fiber)) return
      run.timeBound.isUp = true
    }
    const { id, startTimeMillis } = fiber.id()
    run.defect = defect
    // The name of the fiber around, in a record that is known again.
    run.interruptor = FiberId.make(id, startTimeMillis)
    run.fiber.unsafeInterruptAsFork(run.interruptor)
    if (run.timeBound !== undefined) hear(run)
    onTimeUp()
  }
  const set = () => {
    if (run.hasEnded) return
    try {
      const clock = Context.get(currentDefaultServices, Clock.Clock)
      run.cancel = Timer.after(clock, millis, Runtime.make({ context, runtimeFlags, fiberRefs }), timeIsUp)
    } catch (defect) {
      timeIsUp(Cause.die(defect))
    }
  }
  currentScheduler.scheduleTask(set, 0, fiber)
}

/** The effects in a fiber whose time is up, while they are ending. */
const ending = new WeakMap<AnyFiber, Set<Running>>()

/**
 * Hears how a fiber is interrupted while an effect in it is ending. Effect's finalizers of scopes put FiberRefs back, and with
 * them how the fiber was interrupted before.
 */
const hear = (run: Running): void => {
  const fiber: Undeclared = run.fiber
  const { tell } = fiber
  const others = ending.get(fiber)
  if (others !== undefined) others.add(run)
  else if (tell !== undefined) {
    const runs = new Set([run])
    ending.set(fiber, runs)
    fiber.tell = (message) => {
      const { cause } = message
      if (cause !== undefined) for (const one of runs) one.heard = [...(one.heard ?? []), cause]
      tell.call(fiber, message)
    }
  }
}

/** Without the interruption by its own time, which the fiber forgets. */
const hearNoMore = (run: Running): void => {
  const fiber: Undeclared = run.fiber
  const runs = ending.get(fiber)
  if (runs === undefined) return
  runs.delete(run)
  for (const one of runs) one.heard = one.heard?.filter((cause) => !isBy(run, cause))
  if (runs.size > 0) return
  ending.delete(fiber)
  // What is left is what all fibers have.
  delete fiber.tell
}

const isBy = ({ interruptor }: Running, cause: Cause.Cause<never>): boolean =>
  Cause.isInterruptType(cause) && cause.fiberId === interruptor

const end = (run: Running): void => {
  run.hasEnded = true
  run.cancel()
  if (run.timeBound !== undefined) TimeBound.end(run.fiber, run.timeBound)
}

/** Runs an effect in the fiber that bounds it. */
const here = <A, E, R, B, E2>(
  around: Around,
  self: Effect.Effect<A, E, R>,
  bound: Bound<B, E2>
): Effect.Effect<A | B, E | E2, R> => {
  const run = begin(around, around.fiber)
  setTimer(run, bound.millis, constVoid)
  return Effect.matchCauseEffect(Interruption.restore(around.runtimeFlags)(self), {
    onFailure: (cause) => ended(run, Exit.failCause(cause), bound),
    onSuccess: (value) => ended(run, Exit.succeed(value), bound)
  })
}

const ended = <A, E, B, E2>(
  run: Running,
  exit: Exit.Exit<A, E>,
  { note, onTimeout }: Bound<B, E2>
): Effect.Effect<A | B, E | E2> => {
  const told = note === undefined ? Effect.void : note(exit)
  if (told === Effect.void && childrenOf(run.fiber)?.size === 0) return joined(run, exit, onTimeout)
  // As the end of a child would do, for as long as the time is not up.
  const forked = Effect.suspend(() => Fiber.interruptAll(childrenOf(run.fiber) ?? []))
  return Effect.flatMap(Effect.zipRight(told, forked), () => joined(run, exit, onTimeout))
}

/** Only a success leaves what it has set. `reset` is a step of its own: in it the fiber hears of the timeout. */
const joined = <A, E, B, E2>(
  run: Running,
  exit: Exit.Exit<A, E>,
  onTimeout: () => Effect.Effect<B, E2>
): Effect.Effect<A | B, E | E2> => {
  end(run)
  if (run.interruptor !== undefined) return Effect.flatMap(reset(run), () => timedOut(run, onTimeout))
  if (Exit.isFailure(exit)) return Effect.zipRight(reset(run), exit)
  return leavesEmptyCause(run) ? Effect.zipRight(forgetEmptyCause, exit) : exit
}

/** Takes back what has been set in FiberRefs, and the interruption when the time was up; not another one. */
const reset = (run: Running): Effect.Effect<void> =>
  Effect.updateFiberRefs((fiberId, current) => {
    const { around, heard = [] } = run
    hearNoMore(run)
    const interrupted = FiberRefs.getOrDefault(current, FiberRef.interruptedCause)
    const others = Cause.filter(interrupted, (cause) => !isBy(run, cause))
    const value = heard.reduce(
      (all, cause) => (Cause.contains(all, cause) ? all : Cause.sequential(all, cause)),
      others
    )
    // Not an empty cause: see `leavesEmptyCause`.
    if (Cause.isEmpty(value)) return around.fiberRefs
    return FiberRefs.updateAs(around.fiberRefs, { fiberId, fiberRef: FiberRef.interruptedCause, value })
  })

/**
 * Whether the fiber has got the FiberRef of its interruption, without an interruption in it: the release of a scope leaves it
 * so. A scope from before then puts that back after its release, and an interruption which came meanwhile is lost.
 */
const leavesEmptyCause = ({ around }: Running): boolean => {
  const { _fiberRefs: current = around.fiberRefs }: Undeclared = around.fiber
  const fiberRef = FiberRef.interruptedCause
  return (
    current.locals.has(fiberRef) &&
    !around.fiberRefs.locals.has(fiberRef) &&
    Cause.isEmpty(around.fiber.getFiberRef(fiberRef))
  )
}

const forgetEmptyCause: Effect.Effect<void> = /*#__PURE__*/ Effect.updateFiberRefs((_, current) =>
  FiberRefs.delete(current, FiberRef.interruptedCause)
)

/** The outcome when the time was up. An interruption from outside goes before it. */
const timedOut = <B, E2>({ around, defect }: Running, onTimeout: () => Effect.Effect<B, E2>): Effect.Effect<B, E2> =>
  Effect.flatMap(Interruption.restore(around.runtimeFlags)(Effect.void), () =>
    defect === undefined ? onTimeout() : Effect.failCause(defect)
  )

/** Runs an effect in a fiber of its own. */
const apart = <A, E, R, B, E2>(
  around: Around,
  self: Effect.Effect<A, E, R>,
  bound: Bound<B, E2>
): Effect.Effect<A | B, E | E2, R> => {
  const { disconnected, note } = bound
  // The child hands its exit over: Effect logs the raw error of a fiber that fails.
  const exit = Effect.exit(Interruption.restore(around.runtimeFlags)(self))
  const handed = note === undefined ? exit : Effect.tap(exit, note)
  if (!disconnected && !RuntimeFlags.interruptible(around.runtimeFlags)) {
    // The fiber around cannot be interrupted, but its children are told when it should be: the child has to be one of them.
    return Effect.flatMap(Effect.fork(handed), (child) => watched(around, child, bound))
  }
  return Effect.suspend(() => {
    if (Interruption.isPending(around.fiber, around.runtimeFlags)) {
      // Ends here: the interruption is let through.
      return Interruption.restore(around.runtimeFlags)(Effect.never)
    }
    // Begun and watched in one step, which no interruption can divide.
    return watched(around, fork(around, handed), bound)
  })
}

const watched = <A, E, B, E2>(
  around: Around,
  child: Fiber.RuntimeFiber<Exit.Exit<A, E>>,
  { disconnected, millis, onTimeout }: Bound<B, E2>
): Effect.Effect<A | B, E | E2> => {
  const run = begin(around, child)
  const joined = (): Effect.Effect<A | B, E | E2> => {
    if (run.interruptor !== undefined) return timedOut(run, onTimeout)
    const exit = Exit.flatten(child.unsafePoll()!)
    return Exit.isSuccess(exit) && hasChanged(around, child) ? Effect.zipRight(Fiber.inheritAll(child), exit) : exit
  }
  if (child.unsafePoll() !== null) return joined()
  // An observer, not a canceler: on interruption the child is stopped below.
  const ended = Effect.async<void>((resume) => {
    const goOn = () => resume(Effect.void)
    setTimer(run, millis, disconnected ? goOn : constVoid)
    child.addObserver(() => {
      end(run)
      goOn()
    })
  })
  return Effect.matchCauseEffect(Interruption.restore(around.runtimeFlags)(ended), {
    onFailure: (cause) => interrupted(run, child, cause, disconnected),
    onSuccess: joined
  })
}

/** The fiber around is interrupted. What the effect's finalizers die of is kept, as long as there was no timeout before. */
const interrupted = <A, E>(
  run: Running,
  child: Fiber.RuntimeFiber<Exit.Exit<A, E>>,
  cause: Cause.Cause<never>,
  disconnected: boolean
): Effect.Effect<A, E> => {
  end(run)
  child.unsafeInterruptAsFork(run.around.fiber.id())
  if (disconnected) return Effect.failCause(cause)
  return Effect.flatMap(Fiber.await(child), (ended) => {
    const exit = Exit.flatten(ended)
    return Exit.isFailure(exit) && run.interruptor === undefined ? exit : Effect.failCause(cause)
  })
}

/** Flags that a child has because of its own end. */
const inherited = ~(RuntimeFlags.Interruption | RuntimeFlags.WindDown)

/** Whether a child has left another value in a FiberRef. Taking over what has not changed costs microseconds. */
const hasChanged = ({ fiberRefs, runtimeFlags }: Around, child: AnyFiber): boolean => {
  for (const [ref, [[, value]]] of child.getFiberRefs().locals) {
    if (ref === FiberRef.currentRuntimeFlags) {
      if (((value as number) ^ runtimeFlags) & inherited) return true
    } else if (value !== fiberRefs.locals.get(ref)?.[0][1]) return true
  }
  return false
}

/** Effects nested deeper are not started on the stack of their parent, or it would overflow. */
const deepest = 100
let depth = 0

const fork = <A, R>(
  { fiber, fiberRefs, runtimeFlags }: Around,
  self: Effect.Effect<A, never, R>
): Fiber.RuntimeFiber<A> => {
  const context = fiber.currentContext as Context.Context<R>
  const uninterruptible = RuntimeFlags.disable(runtimeFlags, RuntimeFlags.Interruption)
  const runtime = Runtime.make({ context, runtimeFlags: uninterruptible, fiberRefs })
  depth += 1
  try {
    return Runtime.runFork(runtime, self, { immediate: depth <= deepest })
  } finally {
    depth -= 1
  }
}
