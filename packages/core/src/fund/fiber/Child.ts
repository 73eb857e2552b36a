/**
 * Runs an effect in a child of the running fiber, as `Effect.timeout` does: the child begins in the step that makes it, an
 * interruption from outside reaches it, and only its success changes FiberRefs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Interruption from "./Interruption.ts"
import type { AnyFiber, Runner } from "./Line.ts"
import * as Undeclared from "./Undeclared.ts"

/** What a child inherits. */
export interface Parent {
  readonly fiber: AnyFiber
  /** The flags of the fiber, which decide whether the child is interruptible. */
  readonly runtimeFlags: Interruption.Flags
  /** The FiberRefs of the fiber; once the child has begun, those that the child began with. */
  fiberRefs: FiberRefs.FiberRefs
  /** A value that the child finds in place of the one outside. */
  readonly handed: Handed | undefined
}

export const parentOf = (fiber: AnyFiber, runtimeFlags: Interruption.Flags, handed: Handed | undefined): Parent => ({
  fiber,
  runtimeFlags,
  fiberRefs: fiberRefsOf(fiber, runtimeFlags),
  handed
})

/** Runs effects that belong to a child, with what the child inherited. */
export const runnerOf = ({ fiber, fiberRefs, runtimeFlags }: Parent): Runner =>
  Runtime.make({ context: fiber.currentContext, runtimeFlags, fiberRefs })

/** A FiberRef value for the child alone: a join does not bring it back. */
export interface Handed {
  readonly ref: FiberRef.FiberRef<any>
  /** Receives the value outside the child. */
  readonly value: (around: any) => unknown
  readonly next: Handed | undefined
}

/** A service for the child. */
export const service = <S>(tag: Context.Tag<any, S>, value: S): Handed => ({
  ref: FiberRef.currentContext,
  value: Context.add(tag, value),
  next: undefined
})

/** An effect as its child runs it. It succeeds with its exit, because Effect logs the raw error of a failed fiber. */
type Handing<A, E, R> = Effect.Effect<Exit.Exit<A, E>, never, R>

/** A child that has begun. */
export type Child<A, E> = Fiber.RuntimeFiber<Exit.Exit<A, E>>

/** Receives the exit of an effect in the step in which it ends, so that no interruption comes between. */
export type Note = (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>

/** Makes the effect that a child runs, interruptible if its parent is. */
export const handing = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  runtimeFlags: Interruption.Flags,
  note?: Note
): Handing<A, E, R> => {
  const exit = Effect.exit(Interruption.restore(runtimeFlags)(self))
  return note === undefined ? exit : Effect.tap(exit, note)
}

/** Effects nested deeper than this are not started on their parent's stack, which would overflow. */
const deepest = 100
let depth = 0

/** Begins a child at once. Call it in a step of the parent after which no interruption can come until the child is watched. */
export const begin = <A, E, R>(parent: Parent, handing: Handing<A, E, R>): Child<A, E> => {
  const { fiber, fiberRefs, handed, runtimeFlags } = parent
  // `updateRefs` sets all FiberRefs: those of a runtime would be copied once more.
  const runtime = Runtime.make({
    context: fiber.currentContext as Context.Context<R>,
    runtimeFlags: RuntimeFlags.disable(runtimeFlags, RuntimeFlags.Interruption),
    fiberRefs: noFiberRefs
  })
  depth += 1
  try {
    return Runtime.runFork(runtime, handing, {
      immediate: depth <= deepest,
      updateRefs: (_, id) => (parent.fiberRefs = handOver(fiber, FiberRefs.forkAs(fiberRefs, id), handed))
    })
  } finally {
    depth -= 1
  }
}

/**
 * Begins a child of an uninterruptible fiber. Effect passes an interruption of such a fiber on to its registered
 * children, so the child must be one of them.
 */
export const fork = <A, E, R>(parent: Parent, handing: Handing<A, E, R>): Effect.Effect<Child<A, E>, never, R> => {
  const { fiber, handed } = parent
  const handedOver = Effect.updateFiberRefs(
    (_, { locals }) => (parent.fiberRefs = handOver(fiber, FiberRefs.unsafeMake(new Map(locals)), handed))
  )
  return Effect.fork(Effect.zipRight(handedOver, handing))
}

/** The FiberRefs of a fiber, including its flags, with which a join compares the child's flags. */
const fiberRefsOf = (fiber: AnyFiber, runtimeFlags: Interruption.Flags): FiberRefs.FiberRefs => {
  const fiberRefs = Undeclared.fiberRefs(fiber)
  const known: unknown = fiberRefs?.locals.get(FiberRef.currentRuntimeFlags)?.[0][1]
  return typeof known === "number" && isSame(known, runtimeFlags) ? fiberRefs! : fiber.getFiberRefs()
}

const noFiberRefs = /*#__PURE__*/ FiberRefs.empty()

/**
 * Puts the handed values into new FiberRefs as if the outer fiber had them, so that a join sees no change and copies none of
 * them back.
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

/** Gives the parent the outcome of a child that has ended. */
export const joined = <A, E>(parent: Parent, child: Child<A, E>): Effect.Effect<A, E> => {
  const exit = exitOf(child)!
  return Exit.isSuccess(exit) && hasChanged(parent, child) ? Effect.zipRight(Fiber.inheritAll(child), exit) : exit
}

/** How the effect of a child has ended; `undefined` while it runs. */
export const exitOf = <A, E>(child: Child<A, E>): Exit.Exit<A, E> | undefined => {
  const ended = child.unsafePoll()
  return ended === null ? undefined : Exit.flatten(ended)
}

/** Whether flags are the same, apart from those that a region or the end of a fiber sets. */
const isSame = (one: number, other: number): boolean =>
  ((one ^ other) & ~(RuntimeFlags.Interruption | RuntimeFlags.WindDown)) === 0

/** Whether a child has changed a FiberRef: copying unchanged values back costs microseconds. */
const hasChanged = ({ fiberRefs, runtimeFlags }: Parent, child: AnyFiber): boolean => {
  const flags = Undeclared.runtimeFlags(child)
  if (Undeclared.fiberRefs(child) === fiberRefs && flags !== undefined && isSame(flags, runtimeFlags)) return false
  let changed = false
  // Not a `for` loop, which makes an array for each entry.
  child.getFiberRefs().locals.forEach((values, ref) => {
    const value = values[0][1]
    changed ||=
      ref === FiberRef.currentRuntimeFlags
        ? !isSame(value as number, runtimeFlags)
        : value !== fiberRefs.locals.get(ref)?.[0][1]
  })
  return changed
}
