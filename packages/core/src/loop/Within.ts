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
import { constVoid } from "effect/Function"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import type { Mutable } from "effect/Types"
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
  readonly note?: ((exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>) | undefined
}

/** The fiber of the effect. It does not fail as the effect does, because Effect logs the raw error of a fiber that fails. */
interface Child<A, E> {
  readonly fiber: Fiber.RuntimeFiber<A | void>
  /** What it has begun with. */
  readonly runtime: Runtime.Runtime<never>
  /** What the effect has failed with. */
  cause: Cause.Cause<E> | undefined
}

/** How the effect has ended; `null` as long as it has not. */
const exitOf = <A, E>({ cause, fiber }: Child<A, E>): Exit.Exit<A, E> | null => {
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
  Effect.withFiberRuntime<A | B, E | E2, R>((parent, { runtimeFlags }) =>
    Effect.uninterruptibleMask((restore) => {
      const fiberRefs = parent.getFiberRefs()
      const runtime = Runtime.make({ context: parent.currentContext as Context.Context<R>, runtimeFlags, fiberRefs })
      const child = start(runtime, self, bound.note)
      const exit = exitOf(child)
      return exit === null ? awaited(parent, child, restore, bound) : joined(child, exit)
    })
  )

/** Effects nested deeper are not started on the stack of their parent, or it would overflow. */
const deepest = 100
let depth = 0

const start = <A, E, R>(
  runtime: Runtime.Runtime<R>,
  self: Effect.Effect<A, E, R>,
  note: Bound<never, never>["note"]
): Child<A, E> => {
  const child: Mutable<Child<A, E>> = {
    fiber: undefined!,
    runtime: runtime as Runtime.Runtime<never>,
    cause: undefined
  }
  const { context, fiberRefs, runtimeFlags } = runtime
  const uninterruptible = RuntimeFlags.disable(runtimeFlags, RuntimeFlags.Interruption)
  // Caught where nothing interrupts: there Effect keeps all of the cause.
  const restored = uninterruptible === runtimeFlags ? self : Effect.interruptible(self)
  depth += 1
  try {
    child.fiber = Runtime.runFork(
      Runtime.make({ context, runtimeFlags: uninterruptible, fiberRefs }),
      note === undefined ? caught(child, restored) : noted(child, restored, note),
      { immediate: depth <= deepest }
    )
  } finally {
    depth -= 1
  }
  return child
}

const caught = <A, E, R>(child: Child<A, E>, self: Effect.Effect<A, E, R>): Effect.Effect<A | void, never, R> =>
  Effect.catchAllCause(self, (cause) => {
    child.cause = cause
    return Exit.void
  })

const noted = <A, E, R>(
  child: Child<A, E>,
  self: Effect.Effect<A, E, R>,
  note: NonNullable<Bound<never, never>["note"]>
): Effect.Effect<A | void, never, R> =>
  Effect.matchCauseEffect(self, {
    onFailure: (cause) => {
      child.cause = cause
      return note(Exit.failCause(cause))
    },
    onSuccess: (value) => {
      const exit = Exit.succeed(value)
      const told = note(exit)
      return told === Effect.void ? exit : Effect.zipRight(told, exit)
    }
  })

const awaited = <A, E, B, E2>(
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  child: Child<A, E>,
  restore: <X, Y, Z>(effect: Effect.Effect<X, Y, Z>) => Effect.Effect<X, Y, Z>,
  { disconnected, millis, onTimeout }: Bound<B, E2>
): Effect.Effect<A | B, E | E2> => {
  let isTimedOut = false
  let onEnd: () => Effect.Effect<B, E2> = onTimeout
  let cancel: Timer.Cancel = constVoid
  // An observer, not a canceler: on interruption the parent first stops the child below.
  const ended = Effect.async<void>((resume) => {
    const clock = Context.get(parent.currentDefaultServices, Clock.Clock)
    cancel = Timer.after(clock, millis, child.runtime, (defect) => {
      isTimedOut = true
      if (defect !== undefined) onEnd = () => Effect.failCause(defect)
      child.fiber.unsafeInterruptAsFork(parent.id())
      if (disconnected) resume(Effect.void)
    })
    // The child may have ended since it was started: then the observer is called at once.
    child.fiber.addObserver(() => {
      cancel()
      resume(Effect.void)
    })
  })
  return Effect.matchCauseEffect(restore(ended), {
    onFailure: (cause) => {
      cancel()
      return interrupted(parent, child, cause, { disconnected, isTimedOut })
    },
    onSuccess: (): Effect.Effect<A | B, E | E2> => (isTimedOut ? onEnd() : joined(child, exitOf(child)!))
  })
}

/** The parent is interrupted. What the child's finalizers die of is kept, as long as there was no timeout before. */
const interrupted = <A, E>(
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  child: Child<A, E>,
  cause: Cause.Cause<never>,
  { disconnected, isTimedOut }: { readonly disconnected: boolean; readonly isTimedOut: boolean }
): Effect.Effect<A, E> => {
  child.fiber.unsafeInterruptAsFork(parent.id())
  if (disconnected) return Effect.failCause(cause)
  return Effect.flatMap(Fiber.await(child.fiber), () => {
    const exit = exitOf(child)!
    return Exit.isFailure(exit) && !isTimedOut ? exit : Effect.failCause(cause)
  })
}

/** The FiberRefs of a success are the parent's from then on. */
const joined = <A, E>({ fiber, runtime }: Child<A, E>, exit: Exit.Exit<A, E>): Effect.Effect<A, E> =>
  Exit.isFailure(exit) || !hasChanged(fiber, runtime) ? exit : Effect.zipRight(Fiber.inheritAll(fiber), exit)

/** Flags that a child has because of its own end. */
const inherited = ~(RuntimeFlags.Interruption | RuntimeFlags.WindDown)

/** Whether a child has left another value in a FiberRef. Taking over what has not changed costs microseconds. */
const hasChanged = (
  child: Fiber.RuntimeFiber<unknown, unknown>,
  { fiberRefs, runtimeFlags }: Runtime.Runtime<never>
): boolean => {
  for (const [ref, [[, value]]] of child.getFiberRefs().locals) {
    if (ref === FiberRef.currentRuntimeFlags) {
      if (((value as number) ^ runtimeFlags) & inherited) return true
    } else if (value !== fiberRefs.locals.get(ref)?.[0][1]) return true
  }
  return false
}
