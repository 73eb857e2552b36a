/**
 * The attempt of a named operation in which code runs: how nesting is noticed.
 *
 * While an attempt runs, its fiber has it in a FiberRef. Forks and captured runtimes take along what is there at that moment,
 * and may outlive it: an attempt that has ended is skipped. So is one that was interrupted; it stays in the FiberRef. This
 * file alone knows of the FiberRef.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import { globalValue } from "effect/GlobalValue"
import * as RuntimeFlags from "effect/RuntimeFlags"
import type { FiberView } from "./Interruption.ts"
import * as Interruption from "./Interruption.ts"
import * as TimeBound from "./TimeBound.ts"

/**
 * An operation with a name, and which of its attempts is running.
 *
 * @category models
 */
export interface ActiveOperation {
  readonly name: string
  /** From 1. */
  readonly attempt: number
}

/**
 * An attempt of a named operation. It stops running when it ends, so that a fiber that outlives the attempt is not taken
 * for a part of it.
 *
 * @category models
 */
export interface ActiveAttempt extends ActiveOperation {
  /** The attempt around it, where that ran when this one began. */
  readonly outer: ActiveAttempt | undefined
  /** Of the fiber, when the operation began: they say whether an interruption of the fiber ends the operation. */
  readonly runtimeFlags: RuntimeFlags.RuntimeFlags
  /** The bound of time under which the fiber began the attempt. */
  readonly bound: TimeBound.TimeBound | undefined
  /** The fiber that runs the operation; `undefined` once the attempt has ended. */
  fiber: FiberView | undefined
  /** What the fiber had in the FiberRef, and has again after the end; `undefined` where it did not have the FiberRef. */
  before: Entry | undefined
}

/** A value of a FiberRef, with those that it has had in the fibers around: a join asks for all of them. */
type Entry = ReturnType<FiberRefs.FiberRefs["locals"]["get"]>

/** One for all copies of this package in a program. A fiber that is joined changes no attempt. */
const innermost: FiberRef.FiberRef<ActiveAttempt | undefined> = /*#__PURE__*/ globalValue(
  "@effect-retry/core/ActiveOperation/innermost",
  () => FiberRef.unsafeMake<ActiveAttempt | undefined>(undefined, { join: (parent) => parent })
)

/**
 * The running attempt of the innermost named operation around the code of a fiber; `undefined` where there is none.
 *
 * Operations without a name, and operations of one attempt, do not appear here.
 *
 * @category destructors
 */
export const current = (fiber: FiberView): ActiveAttempt | undefined => {
  let active = fiber.getFiberRef(innermost)
  while (active !== undefined && !isRunning(active)) active = active.outer
  return active
}

/**
 * Whether the attempt still runs. Where an interruption of its fiber ends the operation, be it from outside or because a time
 * is up, the attempt ends with it.
 *
 * @category guards
 */
export const isRunning = ({ bound, fiber, runtimeFlags }: ActiveAttempt): boolean =>
  // An interruption bypasses the loop, so the attempt is not noted as ended.
  fiber !== undefined &&
  !(RuntimeFlags.interruptible(runtimeFlags) && (Interruption.isFromOutside(fiber) || TimeBound.isUp(bound)))

/**
 * An attempt that begins in `fiber`.
 *
 * @category constructors
 */
export const make = (
  { attempt, name }: ActiveOperation,
  fiber: FiberView,
  runtimeFlags: RuntimeFlags.RuntimeFlags
): ActiveAttempt => {
  const bound = TimeBound.current(fiber)
  return { name, attempt, outer: current(fiber), runtimeFlags, bound, fiber, before: undefined }
}

/**
 * Makes an attempt visible to operations inside it. To be called in the step in which the attempt begins: where the fiber
 * can be written to, that is done at once.
 *
 * @category running
 */
export const inside = <A, E, R>(self: Effect.Effect<A, E, R>, active: ActiveAttempt): Effect.Effect<A, E, R> => {
  const { fiber } = active
  if (!isWritable(fiber)) return Effect.flatMap(FiberRef.set(innermost, active), () => self)
  active.before = fiber._fiberRefs.locals.get(innermost)
  fiber.setFiberRef(innermost, active)
  return self
}

/** What Effect does not declare of a fiber: an effect that writes takes three steps, and these none. */
interface Writable extends FiberView {
  readonly _fiberRefs: FiberRefs.FiberRefs
  setFiberRef<A>(ref: FiberRef.FiberRef<A>, value: A): void
  setFiberRefs(fiberRefs: FiberRefs.FiberRefs): void
}

const isWritable = (fiber: FiberView | undefined): fiber is Writable => fiber !== undefined && "setFiberRefs" in fiber

/**
 * Notes that an attempt has ended. To be called in the step in which it ends: its fiber has again what it had before.
 *
 * Caches and memoized layers hand on whatever an effect has changed in FiberRefs, so nothing is left, not even a value for
 * none. A fiber that cannot be written to keeps the attempt, which is skipped.
 *
 * @category running
 */
export const end = (active: ActiveAttempt): void => {
  const { before, fiber } = active
  active.fiber = undefined
  active.before = undefined
  if (!isWritable(fiber)) return
  const locals = new Map(fiber._fiberRefs.locals)
  if (before === undefined) locals.delete(innermost)
  else locals.set(innermost, before)
  fiber.setFiberRefs(FiberRefs.unsafeMake(locals))
}
