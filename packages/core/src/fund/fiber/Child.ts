/**
 * An effect in a child of the fiber that runs, as `Effect.timeout` has one: it begins in the very step that makes it, an
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

/** What a child begins with. */
export interface Parent {
  readonly fiber: AnyFiber
  /** The flags of the fiber, where the child is to be interruptible as that is. */
  readonly runtimeFlags: Interruption.Flags
  /** The FiberRefs of the fiber; once the child has begun, those that the child has begun with. */
  fiberRefs: FiberRefs.FiberRefs
  /** What the child finds in FiberRefs, instead of the values outside. */
  readonly handed: Handed | undefined
}

export const parentOf = (fiber: AnyFiber, runtimeFlags: Interruption.Flags, handed: Handed | undefined): Parent => ({
  fiber,
  runtimeFlags,
  fiberRefs: fiberRefsOf(fiber, runtimeFlags),
  handed
})

/** Runs what belongs to a child, with what the child has begun with. */
export const runnerOf = ({ fiber, fiberRefs, runtimeFlags }: Parent): Runner =>
  Runtime.make({ context: fiber.currentContext, runtimeFlags, fiberRefs })

/** A value of a FiberRef for the child alone: it does not come back. */
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

/** An effect as its child runs it. It hands its exit over: Effect logs the raw error of a fiber that fails. */
export type Handing<A, E, R> = Effect.Effect<Exit.Exit<A, E>, never, R>

/** A child that has begun. */
export type Child<A, E> = Fiber.RuntimeFiber<Exit.Exit<A, E>>

/** An effect as a child runs it, interruptible as its parent is. */
export const handing = <A, E, R>(self: Effect.Effect<A, E, R>, runtimeFlags: Interruption.Flags): Handing<A, E, R> =>
  Effect.exit(Interruption.restore(runtimeFlags)(self))

/** Effects nested deeper are not started on the stack of their parent, or it would overflow. */
const deepest = 100
let depth = 0

/** Begins a child at once. To be called in a step of the parent that no interruption can follow before the child is watched. */
export const begin = <A, E, R>(parent: Parent, handing: Handing<A, E, R>): Child<A, E> => {
  const { fiber, fiberRefs, handed, runtimeFlags } = parent
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
      updateRefs: (_, id) => (parent.fiberRefs = handOver(fiber, FiberRefs.forkAs(fiberRefs, id), handed))
    })
  } finally {
    depth -= 1
  }
}

/**
 * Begins a child of a fiber that cannot be interrupted. Effect passes an interruption of that on to its children, so this one
 * has to be one of them.
 */
export const fork = <A, E, R>(parent: Parent, handing: Handing<A, E, R>): Effect.Effect<Child<A, E>, never, R> => {
  const { fiber, handed } = parent
  const handedOver = Effect.updateFiberRefs(
    (_, { locals }) => (parent.fiberRefs = handOver(fiber, FiberRefs.unsafeMake(new Map(locals)), handed))
  )
  return Effect.fork(Effect.zipRight(handedOver, handing))
}

/** The FiberRefs of a fiber, with its flags among them: a join compares the child's flags with those. */
const fiberRefsOf = (fiber: AnyFiber, runtimeFlags: Interruption.Flags): FiberRefs.FiberRefs => {
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

/** The outcome of a child that has ended, as its parent has it. */
export const joined = <A, E>(parent: Parent, child: Child<A, E>): Effect.Effect<A, E> => {
  const exit = exitOf(child)!
  return Exit.isSuccess(exit) && hasChanged(parent, child) ? Effect.zipRight(Fiber.inheritAll(child), exit) : exit
}

/** How the effect of a child has ended; `undefined` while it runs. */
export const exitOf = <A, E>(child: Child<A, E>): Exit.Exit<A, E> | undefined => {
  const ended = child.unsafePoll()
  return ended === null ? undefined : Exit.flatten(ended)
}

/** Whether flags are the same, except those that a fiber has because of a region or its own end. */
const isSame = (one: number, other: number): boolean =>
  ((one ^ other) & ~(RuntimeFlags.Interruption | RuntimeFlags.WindDown)) === 0

/** Whether a child has left another value in a FiberRef. Copying unchanged values costs microseconds. */
const hasChanged = ({ fiberRefs, runtimeFlags }: Parent, child: AnyFiber): boolean => {
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
