/**
 * An effect under a bound of time.
 *
 * The effect runs in one child fiber, which is started at once; only if it has not ended by then, a timer is set. So a
 * bound costs little where it is not needed. This file alone knows how that is done with Effect 3's runtime.
 */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import type * as FiberRefs from "effect/FiberRefs"
import { constVoid } from "effect/Function"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
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

/** An effect that runs in a fiber of its own. Mutable, and one record: it is held for as long as the effect waits. */
interface Running<A, E> {
  readonly parent: Fiber.RuntimeFiber<unknown, unknown>
  readonly disconnected: boolean
  /** What the fiber has begun with. */
  readonly fiberRefs: FiberRefs.FiberRefs
  readonly runtimeFlags: RuntimeFlags.RuntimeFlags
  /** The fiber. It does not fail as the effect does, because Effect logs the raw error of a fiber that fails. */
  fiber: Fiber.RuntimeFiber<A | void>
  /** What the effect has failed with. */
  cause: Cause.Cause<E> | undefined
  /** Removes the timer. */
  cancel: Timer.Cancel
  isTimedOut: boolean
  /** What the sleep of the clock has died of. */
  defect: Cause.Cause<never> | undefined
}

/** How the effect has ended; `null` as long as it has not. */
const exitOf = <A, E>({ cause, fiber }: Running<A, E>): Exit.Exit<A, E> | null => {
  const exit = fiber.unsafePoll() as Exit.Exit<A> | null
  return exit === null || Exit.isFailure(exit) || cause === undefined ? exit : Exit.failCause(cause)
}

/**
 * Runs an effect for at most `millis`, then interrupts it.
 *
 * Like `Effect.timeoutTo`: finalizers are awaited, a success hands back its FiberRefs, and interruption from outside
 * reaches the effect. An effect that ends while it is being interrupted counts as interrupted.
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
  Effect.uninterruptible(
    Effect.withFiberRuntime<A | B, E | E2, R>((parent) => {
      const run = start(parent, runtimeFlags, self, bound)
      const exit = exitOf(run)
      return exit === null ? awaited(run, bound) : joined(run, exit)
    })
  )

/** Effects nested deeper are not started on the stack of their parent, or it would overflow. */
const deepest = 100
let depth = 0

const start = <A, E, R>(
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  runtimeFlags: RuntimeFlags.RuntimeFlags,
  self: Effect.Effect<A, E, R>,
  { disconnected, note }: Bound<unknown, unknown>
): Running<A, E> => {
  const fiberRefs = parent.getFiberRefs()
  const run: Running<A, E> = {
    parent,
    disconnected,
    fiberRefs,
    runtimeFlags,
    fiber: undefined!,
    cause: undefined,
    cancel: constVoid,
    isTimedOut: false,
    defect: undefined
  }
  const context = parent.currentContext as Context.Context<R>
  const uninterruptible = RuntimeFlags.disable(runtimeFlags, RuntimeFlags.Interruption)
  // Caught where nothing interrupts: there Effect keeps all of the cause.
  const restored = uninterruptible === runtimeFlags ? self : Effect.interruptible(self)
  depth += 1
  try {
    run.fiber = Runtime.runFork(
      Runtime.make({ context, runtimeFlags: uninterruptible, fiberRefs }),
      note === undefined ? caught(run, restored) : noted(run, restored, note),
      { immediate: depth <= deepest }
    )
  } finally {
    depth -= 1
  }
  return run
}

const caught = <A, E, R>(run: Running<A, E>, self: Effect.Effect<A, E, R>): Effect.Effect<A | void, never, R> =>
  Effect.catchAllCause(self, (cause) => {
    run.cause = cause
    return Exit.void
  })

const noted = <A, E, R>(
  run: Running<A, E>,
  self: Effect.Effect<A, E, R>,
  note: Note
): Effect.Effect<A | void, never, R> =>
  Effect.matchCauseEffect(self, {
    onFailure: (cause) => {
      run.cause = cause
      return note(Exit.failCause(cause))
    },
    onSuccess: (value) => {
      const exit = Exit.succeed(value)
      const told = note(exit)
      return told === Effect.void ? exit : Effect.zipRight(told, exit)
    }
  })

const awaited = <A, E, B, E2>(
  run: Running<A, E>,
  { millis, onTimeout }: Bound<B, E2>
): Effect.Effect<A | B, E | E2> => {
  const { runtimeFlags } = run
  // An observer, not a canceler: on interruption the parent first stops the fiber below.
  const ended = Effect.async<void>((resume) => observe(run, millis, resume))
  return Effect.matchCauseEffect(RuntimeFlags.interruptible(runtimeFlags) ? Effect.interruptible(ended) : ended, {
    onFailure: (cause) => interrupted(run, cause),
    onSuccess: (): Effect.Effect<A | B, E | E2> => {
      if (!run.isTimedOut) return joined(run, exitOf(run)!)
      return run.defect === undefined ? onTimeout() : Effect.failCause(run.defect)
    }
  })
}

/** Sets the timer, and goes on when the effect has ended; a `disconnected` one also when the time is up. */
const observe = (
  run: Running<unknown, unknown>,
  millis: number,
  resume: (effect: Effect.Effect<void>) => void
): void => {
  const { fiber, fiberRefs, parent, runtimeFlags } = run
  const clock = Context.get(parent.currentDefaultServices, Clock.Clock)
  const runtime = Runtime.make({ context: parent.currentContext, runtimeFlags, fiberRefs })
  run.cancel = Timer.after(clock, millis, runtime, (defect) => {
    run.isTimedOut = true
    run.defect = defect
    fiber.unsafeInterruptAsFork(parent.id())
    if (run.disconnected) resume(Effect.void)
  })
  // It may have ended since it was started: then the observer is called at once.
  fiber.addObserver(() => {
    run.cancel()
    resume(Effect.void)
  })
}

/** The parent is interrupted. What the effect's finalizers die of is kept, as long as there was no timeout before. */
const interrupted = <A, E>(run: Running<A, E>, cause: Cause.Cause<never>): Effect.Effect<A, E> => {
  const { disconnected, fiber, isTimedOut, parent } = run
  run.cancel()
  fiber.unsafeInterruptAsFork(parent.id())
  if (disconnected) return Effect.failCause(cause)
  return Effect.flatMap(Fiber.await(fiber), () => {
    const exit = exitOf(run)!
    return Exit.isFailure(exit) && !isTimedOut ? exit : Effect.failCause(cause)
  })
}

/** The FiberRefs of a success are the parent's from then on. */
const joined = <A, E>(run: Running<A, E>, exit: Exit.Exit<A, E>): Effect.Effect<A, E> =>
  Exit.isFailure(exit) || !hasChanged(run) ? exit : Effect.zipRight(Fiber.inheritAll(run.fiber), exit)

/** Flags that a child has because of its own end. */
const inherited = ~(RuntimeFlags.Interruption | RuntimeFlags.WindDown)

/** Whether a child has left another value in a FiberRef. Taking over what has not changed costs microseconds. */
const hasChanged = ({ fiber, fiberRefs, runtimeFlags }: Running<unknown, unknown>): boolean => {
  for (const [ref, [[, value]]] of fiber.getFiberRefs().locals) {
    if (ref === FiberRef.currentRuntimeFlags) {
      if (((value as number) ^ runtimeFlags) & inherited) return true
    } else if (value !== fiberRefs.locals.get(ref)?.[0][1]) return true
  }
  return false
}
