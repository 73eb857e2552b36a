/**
 * Bounds the time of an effect.
 *
 * The effect runs in a child, which begins in the step that bounds it and is watched by an observer, so an effect that ends
 * in that step costs neither a timer nor a wake-up.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { constVoid } from "effect/Function"
import * as Child from "./Child.ts"
import * as Interruption from "./Interruption.ts"
import * as Line from "./Line.ts"
import * as Timer from "./Timer.ts"

/** How long an effect may run, and what happens when the time is up. */
interface Bound<B, E2> {
  /** How long the effect may run. */
  readonly millis: number
  /** Gives the outcome when the time is up. */
  readonly onTimeout: () => Effect.Effect<B, E2>
  /** Whether to continue without waiting for an effect that cannot be interrupted. */
  readonly disconnected: boolean
  /** Receives the exit of the effect in the step in which it ends, so that no interruption comes between. */
  readonly note?: Child.Note | undefined
  /** A value that the effect finds in place of the one outside. */
  readonly handed?: Child.Handed | undefined
}

/** A bound, with the fiber that starts the bounded child. */
interface Around<B, E2> {
  readonly bound: Bound<B, E2>
  readonly parent: Child.Parent
}

/** A running effect. One mutable record, because it is held in memory for as long as the effect waits. */
interface Running<A, E, B, E2> {
  readonly around: Around<B, E2>
  readonly child: Child.Child<A, E>
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
 * Like `Effect.timeoutTo`: finalizers are awaited, only a success keeps its changes to FiberRefs, and interruption from
 * outside reaches the effect. An effect that ends while it is being interrupted counts as interrupted.
 */
export const within = <A, E, R, B, E2>(
  self: Effect.Effect<A, E, R>,
  bound: Bound<B, E2>
): Effect.Effect<A | B, E | E2, R> =>
  Line.withFiber<A | B, E | E2, R>((_, { runtimeFlags }) => withinKnown(self, bound, runtimeFlags))

/** The same if the flags of the fiber are already known. */
export const withinKnown = <A, E, R, B, E2>(
  self: Effect.Effect<A, E, R>,
  bound: Bound<B, E2>,
  runtimeFlags: Interruption.Flags
): Effect.Effect<A | B, E | E2, R> =>
  // No interruption can come between starting the child and watching it.
  Line.withUninterruptibleFiber<A | B, E | E2, R>((fiber) => {
    // The fiber ends here, because the interruption is let through.
    if (Interruption.isPending(fiber, runtimeFlags)) return Effect.interruptible(Effect.never)
    const { disconnected, handed, note } = bound
    const parent = Child.parentOf(fiber, runtimeFlags, handed)
    const around = { bound, parent }
    const handing = Child.handing(self, runtimeFlags, note)
    if (!disconnected && !Interruption.isInterruptible(runtimeFlags)) {
      return Effect.flatMap(Child.fork(parent, handing), (child) => watched(around, child))
    }
    const child = Child.begin(parent, handing)
    return Line.exitOf(child) === undefined ? watched(around, child) : Child.joined(parent, child)
  })

/** Waits for a child that has begun. */
const watched = <A, E, B, E2>(around: Around<B, E2>, child: Child.Child<A, E>): Effect.Effect<A | B, E | E2> => {
  const run: Running<A, E, B, E2> = { around, child, cancel: constVoid, isUp: false, defect: undefined }
  // Only observes: on interruption, the code below stops the child.
  const ended = Effect.async<void>((resume) => {
    const goOn = () => resume(Effect.void)
    setTimer(run, goOn)
    child.addObserver(() => {
      run.cancel()
      goOn()
    })
  })
  return Effect.matchCauseEffect(Interruption.restore(around.parent.runtimeFlags)(ended), {
    onFailure: (cause) => interrupted(run, cause),
    onSuccess: (): Effect.Effect<A | B, E | E2> => (run.isUp ? timedOut(run) : Child.joined(around.parent, child))
  })
}

const setTimer = <A, E, B, E2>(run: Running<A, E, B, E2>, goOn: () => void): void => {
  const { around, child } = run
  const { bound, parent } = around
  const timeIsUp = (defect?: Cause.Cause<never>) => {
    run.isUp = true
    run.defect = defect
    Interruption.send(child, parent.fiber)
    if (bound.disconnected) goOn()
  }
  try {
    const clock = Context.get(Line.services(parent.fiber), Clock.Clock)
    run.cancel = Timer.after(clock, bound.millis, Child.runnerOf(parent), timeIsUp)
  } catch (defect) {
    timeIsUp(Cause.die(defect))
  }
}

/** The outcome when the time was up. An interruption from outside takes precedence. */
const timedOut = <A, E, B, E2>({ around, defect }: Running<A, E, B, E2>): Effect.Effect<B, E2> =>
  Effect.flatMap(Interruption.restore(around.parent.runtimeFlags)(Effect.void), () =>
    defect === undefined ? around.bound.onTimeout() : Effect.failCause(defect)
  )

/**
 * The outcome when the outer fiber was interrupted. Defects of the effect's finalizers are kept, unless the time was up
 * before.
 */
const interrupted = <A, E, B, E2>(run: Running<A, E, B, E2>, cause: Cause.Cause<never>): Effect.Effect<A, E> => {
  const { around, child } = run
  run.cancel()
  Interruption.send(child, around.parent.fiber)
  if (around.bound.disconnected) return Effect.failCause(cause)
  return Effect.flatMap(Fiber.await(child), () => {
    const exit = Child.exitOf(child)!
    return Exit.isFailure(exit) && !run.isUp ? exit : Effect.failCause(cause)
  })
}
