/**
 * An effect under a bound of time.
 *
 * The effect runs in a child, which begins in the very step that bounds it and is watched by an observer: an effect that ends
 * in that step costs neither a timer nor a wake-up.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import { constVoid } from "effect/Function"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Interruption from "./Interruption.ts"
import * as Timer from "./Timer.ts"
import * as Undeclared from "./Undeclared.ts"

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
  /** What the effect finds in FiberRefs, instead of the values outside. */
  readonly handed?: Handed | undefined
}

/** A value of a FiberRef for the effect alone: it does not come back. */
export interface Handed {
  readonly ref: FiberRef.FiberRef<any>
  /** Receives the value outside the effect. */
  readonly value: (around: any) => unknown
  readonly next: Handed | undefined
}

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** A bound around an effect that is about to run. */
interface Around<B, E2> {
  readonly bound: Bound<B, E2>
  /** The fiber that bounds the effect. */
  readonly fiber: AnyFiber
  /** Its flags outside the bound. */
  readonly runtimeFlags: RuntimeFlags.RuntimeFlags
  /** Its FiberRefs; once the child has begun, those that the child has begun with. */
  fiberRefs: FiberRefs.FiberRefs
}

/** The effect as its child runs it. It hands its exit over: Effect logs the raw error of a fiber that fails. */
type Handing<A, E, R> = Effect.Effect<Exit.Exit<A, E>, never, R>

/** An effect that runs. Mutable, and one record: it is held for as long as the effect waits. */
interface Running<A, E, B, E2> {
  readonly around: Around<B, E2>
  readonly child: Fiber.RuntimeFiber<Exit.Exit<A, E>>
  /** Removes the timer. */
  cancel: Timer.Cancel
  /** Whether the child was interrupted because the time was up. */
  isUp: boolean
  /** The defect of the clock's sleep. */
  defect: Cause.Cause<never> | undefined
}

/**
 * Runs an effect for at most `millis`, then interrupts it.
 *
 * Like `Effect.timeoutTo`: finalizers are awaited, only a success keeps its changes of FiberRefs, and interruption from
 * outside reaches the effect. An effect that ends while it is being interrupted counts as interrupted.
 */
export const within = <A, E, R, B, E2>(
  self: Effect.Effect<A, E, R>,
  bound: Bound<B, E2>
): Effect.Effect<A | B, E | E2, R> =>
  Effect.withFiberRuntime<A | B, E | E2, R>((_, { runtimeFlags }) => withinKnown(self, bound, runtimeFlags))

/** The same if the flags of the fiber are known, which saves reading them. */
export const withinKnown = <A, E, R, B, E2>(
  self: Effect.Effect<A, E, R>,
  bound: Bound<B, E2>,
  runtimeFlags: RuntimeFlags.RuntimeFlags
): Effect.Effect<A | B, E | E2, R> =>
  // No interruption can come between starting the child and watching it.
  Effect.uninterruptible(
    Effect.withFiberRuntime<A | B, E | E2, R>((fiber) => {
      // Ends here: the interruption is let through.
      if (Interruption.isPending(fiber, runtimeFlags)) return Effect.interruptible(Effect.never)
      const around = { bound, fiber, runtimeFlags, fiberRefs: fiberRefsOf(fiber, runtimeFlags) }
      const { disconnected, note } = bound
      const exit = Effect.exit(Interruption.restore(runtimeFlags)(self))
      const handing = note === undefined ? exit : Effect.tap(exit, note)
      if (!disconnected && !RuntimeFlags.interruptible(runtimeFlags)) return forked(around, handing)
      const child = begin(around, handing)
      return child.unsafePoll() === null ? watched(around, child) : joined(around, child)
    })
  )

/** Effects nested deeper are not started on the stack of their parent, or it would overflow. */
const deepest = 100
let depth = 0

const begin = <A, E, R, B, E2>(
  around: Around<B, E2>,
  handing: Handing<A, E, R>
): Fiber.RuntimeFiber<Exit.Exit<A, E>> => {
  const { bound, fiber, fiberRefs, runtimeFlags } = around
  // All FiberRefs come from `updateRefs`: the FiberRefs of a runtime would be copied once more.
  const runtime = Runtime.make({
    context: fiber.currentContext as Context.Context<R>,
    runtimeFlags: RuntimeFlags.disable(runtimeFlags, RuntimeFlags.Interruption),
    fiberRefs: noFiberRefs
  })
  depth += 1
  try {
    return Runtime.runFork(runtime, handing, {
      immediate: depth <= deepest,
      updateRefs: (_, id) => (around.fiberRefs = handOver(fiber, FiberRefs.forkAs(fiberRefs, id), bound.handed))
    })
  } finally {
    depth -= 1
  }
}

/**
 * The outer fiber cannot be interrupted, but Effect passes the interruption to its children, so this child has to be one
 * of them.
 */
const forked = <A, E, R, B, E2>(around: Around<B, E2>, handing: Handing<A, E, R>): Effect.Effect<A | B, E | E2, R> => {
  const { bound, fiber } = around
  const handedOver = Effect.updateFiberRefs(
    (_, { locals }) => (around.fiberRefs = handOver(fiber, FiberRefs.unsafeMake(new Map(locals)), bound.handed))
  )
  return Effect.flatMap(Effect.fork(Effect.zipRight(handedOver, handing)), (child) => watched(around, child))
}

/** The FiberRefs of a fiber, with its flags among them: a join compares the child's flags with those. */
const fiberRefsOf = (fiber: AnyFiber, runtimeFlags: RuntimeFlags.RuntimeFlags): FiberRefs.FiberRefs => {
  const fiberRefs = Undeclared.fiberRefs(fiber)
  const known: unknown = fiberRefs?.locals.get(FiberRef.currentRuntimeFlags)?.[0][1]
  return typeof known === "number" && isSame(known, runtimeFlags) ? fiberRefs! : fiber.getFiberRefs()
}

const noFiberRefs = /*#__PURE__*/ FiberRefs.empty()

/**
 * Puts the handed values into new FiberRefs, as if the outer fiber had them: so a join sees no change, and takes none of them
 * over.
 */
const handOver = (fiber: AnyFiber, fiberRefs: FiberRefs.FiberRefs, handed: Handed | undefined): FiberRefs.FiberRefs => {
  for (let one = handed; one !== undefined; one = one.next) {
    const before = fiberRefs.locals.get(one.ref)
    const value = one.value(before === undefined ? fiber.getFiberRef(one.ref) : before[0][1])
    const first = [before === undefined ? fiber.id() : before[0][0], value] as const
    fiberRefs.locals.set(one.ref, before === undefined ? [first] : [first, ...before.slice(1)])
  }
  return fiberRefs
}

/** Waits for a child that has begun. */
const watched = <A, E, B, E2>(
  around: Around<B, E2>,
  child: Fiber.RuntimeFiber<Exit.Exit<A, E>>
): Effect.Effect<A | B, E | E2> => {
  const run: Running<A, E, B, E2> = { around, child, cancel: constVoid, isUp: false, defect: undefined }
  // An observer, not a canceler: on interruption the child is stopped below.
  const ended = Effect.async<void>((resume) => {
    const goOn = () => resume(Effect.void)
    setTimer(run, goOn)
    child.addObserver(() => {
      run.cancel()
      goOn()
    })
  })
  return Effect.matchCauseEffect(Interruption.restore(around.runtimeFlags)(ended), {
    onFailure: (cause) => interrupted(run, cause),
    onSuccess: (): Effect.Effect<A | B, E | E2> => (run.isUp ? timedOut(run) : joined(around, child))
  })
}

const setTimer = <A, E, B, E2>(run: Running<A, E, B, E2>, goOn: () => void): void => {
  const { around, child } = run
  const { bound, fiber, fiberRefs, runtimeFlags } = around
  const timeIsUp = (defect?: Cause.Cause<never>) => {
    run.isUp = true
    run.defect = defect
    child.unsafeInterruptAsFork(fiber.id())
    if (bound.disconnected) goOn()
  }
  try {
    const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
    const runtime = Runtime.make({ context: fiber.currentContext, runtimeFlags, fiberRefs })
    run.cancel = Timer.after(clock, bound.millis, runtime, timeIsUp)
  } catch (defect) {
    timeIsUp(Cause.die(defect))
  }
}

/** The outcome when the time was up. An interruption from outside takes precedence. */
const timedOut = <A, E, B, E2>({ around, defect }: Running<A, E, B, E2>): Effect.Effect<B, E2> =>
  Effect.flatMap(Interruption.restore(around.runtimeFlags)(Effect.void), () =>
    defect === undefined ? around.bound.onTimeout() : Effect.failCause(defect)
  )

/** The outcome of a child that has ended in time. */
const joined = <A, E, B, E2>(
  around: Around<B, E2>,
  child: Fiber.RuntimeFiber<Exit.Exit<A, E>>
): Effect.Effect<A, E> => {
  const exit = Exit.flatten(child.unsafePoll()!)
  return Exit.isSuccess(exit) && hasChanged(around, child) ? Effect.zipRight(Fiber.inheritAll(child), exit) : exit
}

/** The outer fiber is interrupted. Defects of the effect's finalizers are kept, unless there was a timeout before. */
const interrupted = <A, E, B, E2>(run: Running<A, E, B, E2>, cause: Cause.Cause<never>): Effect.Effect<A, E> => {
  const { around, child } = run
  run.cancel()
  child.unsafeInterruptAsFork(around.fiber.id())
  if (around.bound.disconnected) return Effect.failCause(cause)
  return Effect.flatMap(Fiber.await(child), (ended) => {
    const exit = Exit.flatten(ended)
    return Exit.isFailure(exit) && !run.isUp ? exit : Effect.failCause(cause)
  })
}

/** Whether flags are the same, except those that a fiber has because of a region or its own end. */
const isSame = (one: number, other: number): boolean =>
  ((one ^ other) & ~(RuntimeFlags.Interruption | RuntimeFlags.WindDown)) === 0

/** Whether a child has left another value in a FiberRef. Copying unchanged values costs microseconds. */
const hasChanged = <B, E2>({ fiberRefs, runtimeFlags }: Around<B, E2>, child: AnyFiber): boolean => {
  const flags = Undeclared.runtimeFlags(child)
  if (Undeclared.fiberRefs(child) === fiberRefs && flags !== undefined && isSame(flags, runtimeFlags)) return false
  let changed = false
  // Not by `for`, which makes an array for each of them.
  child.getFiberRefs().locals.forEach((values, ref) => {
    const value = values[0][1]
    changed ||=
      ref === FiberRef.currentRuntimeFlags
        ? !isSame(value as number, runtimeFlags)
        : value !== fiberRefs.locals.get(ref)?.[0][1]
  })
  return changed
}
