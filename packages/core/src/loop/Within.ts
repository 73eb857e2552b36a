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
import * as Timer from "./Timer.ts"

/** How long an effect may run, and what happens then. */
interface Bound<B, E2> {
  /** How long the effect may run. */
  readonly millis: number
  /** Gives the outcome when the time is up. */
  readonly onTimeout: () => Effect.Effect<B, E2>
  /** Whether to go on without an effect that cannot be interrupted, instead of waiting for it. */
  readonly disconnected: boolean
}

/** The fiber of the effect. It does not fail as the effect does, because Effect logs the raw error of a fiber that fails. */
interface Child<A, E> {
  readonly fiber: Fiber.RuntimeFiber<A | void>
  readonly caught: Caught<E>
}

interface Caught<E> {
  cause?: Cause.Cause<E>
}

/** How the effect has ended; `null` as long as it has not. */
const exitOf = <A, E>({ caught, fiber }: Child<A, E>): Exit.Exit<A, E> | null => {
  const exit = fiber.unsafePoll() as Exit.Exit<A> | null
  return exit === null || Exit.isFailure(exit) || caught.cause === undefined ? exit : Exit.failCause(caught.cause)
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
      const child = start(runtime, self)
      const exit = exitOf(child)
      return exit === null ? awaited(parent, child, runtime, restore, bound) : joined(child, exit, runtime)
    })
  )

/** Effects nested deeper are not started on the stack of their parent, or it would overflow. */
const deepest = 100
let depth = 0

const start = <A, E, R>(runtime: Runtime.Runtime<R>, self: Effect.Effect<A, E, R>): Child<A, E> => {
  const caught: Caught<E> = {}
  const { runtimeFlags } = runtime
  // Caught where nothing interrupts: there Effect keeps all of the cause.
  const restored = RuntimeFlags.interruptible(runtimeFlags) ? Effect.interruptible(self) : self
  const catching = Effect.catchAllCause(restored, (cause) => {
    caught.cause = cause
    return Exit.void
  })
  const uninterruptible = { ...runtime, runtimeFlags: RuntimeFlags.disable(runtimeFlags, RuntimeFlags.Interruption) }
  depth += 1
  try {
    return { fiber: Runtime.runFork(uninterruptible, catching, { immediate: depth <= deepest }), caught }
  } finally {
    depth -= 1
  }
}

const awaited = <A, E, R, B, E2>(
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  child: Child<A, E>,
  runtime: Runtime.Runtime<R>,
  restore: <X, Y, Z>(effect: Effect.Effect<X, Y, Z>) => Effect.Effect<X, Y, Z>,
  { disconnected, millis, onTimeout }: Bound<B, E2>
): Effect.Effect<A | B, E | E2> => {
  let isTimedOut = false
  let onEnd: () => Effect.Effect<B, E2> = onTimeout
  let cancel: Timer.Cancel = constVoid
  // An observer, not a canceler: on interruption the parent first stops the child below.
  const ended = Effect.async<void>((resume) => {
    const clock = Context.get(parent.currentDefaultServices, Clock.Clock)
    cancel = Timer.after(clock, millis, runtime, (defect) => {
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
    onSuccess: (): Effect.Effect<A | B, E | E2> => (isTimedOut ? onEnd() : joined(child, exitOf(child)!, runtime))
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
const joined = <A, E>(
  { fiber }: Child<A, E>,
  exit: Exit.Exit<A, E>,
  runtime: Runtime.Runtime<never>
): Effect.Effect<A, E> =>
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
