/**
 * The named operation inside whose attempt code runs: how nesting is noticed.
 *
 * A fiber has the innermost attempt in a FiberRef, so forks and captured runtimes take along the one of that moment.
 * To write a FiberRef costs more than the rest of an operation. It is therefore written when an attempt begins and left
 * as it is when the attempt ends: what has ended is skipped by the next look. This file alone knows of the FiberRef.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import { globalValue } from "effect/GlobalValue"
import * as RuntimeFlags from "effect/RuntimeFlags"
import type { FiberView } from "./Interruption.ts"
import * as Interruption from "./Interruption.ts"

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
  /** The fiber that runs the operation; `undefined` once the attempt has ended. */
  fiber: FiberView | undefined
}

/** One for all copies of this package in a program. A fiber that is joined hands nothing back. */
const innermost: FiberRef.FiberRef<ActiveAttempt | undefined> = /*#__PURE__*/ globalValue(
  "@effect-retry/core/CurrentOperation",
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
 * Whether the attempt has not ended, and its operation can still make another one.
 *
 * @category guards
 */
export const isRunning = ({ fiber, runtimeFlags }: ActiveAttempt): boolean =>
  // An interruption from outside bypasses the loop, so the attempt is not noted as ended.
  fiber !== undefined && !(RuntimeFlags.interruptible(runtimeFlags) && Interruption.isFromOutside(fiber))

/**
 * An attempt that begins in `fiber`.
 *
 * @category constructors
 */
export const make = (
  { attempt, name }: ActiveOperation,
  fiber: FiberView,
  runtimeFlags: RuntimeFlags.RuntimeFlags
): ActiveAttempt => ({ name, attempt, outer: current(fiber), runtimeFlags, fiber })

/**
 * Makes an attempt visible to operations inside it. To be called in the step in which the attempt begins: where the fiber
 * can be written to, that is done at once.
 *
 * @category running
 */
export const inside = <A, E, R>(self: Effect.Effect<A, E, R>, active: ActiveAttempt): Effect.Effect<A, E, R> => {
  const fiber: Writable | undefined = active.fiber
  if (fiber?.setFiberRef === undefined) return Effect.flatMap(FiberRef.set(innermost, active), () => self)
  fiber.setFiberRef(innermost, active)
  return self
}

/** What Effect does not declare of a fiber: an effect that writes takes three steps, and this none. */
interface Writable extends FiberView {
  setFiberRef?<A>(ref: FiberRef.FiberRef<A>, value: A): void
}

/**
 * Notes that an attempt has ended.
 *
 * @category running
 */
export const end = (active: ActiveAttempt): void => {
  active.fiber = undefined
}

/**
 * Ends the attempts that began in a fiber after it had `fiberRefs`. A bound of time interrupts them in the fiber's own name,
 * which `isRunning` does not see. An operation that this interruption does not end goes on.
 *
 * @category running
 */
export const endSince = (fiber: FiberView, fiberRefs: FiberRefs.FiberRefs): void => {
  const before = new Set(outwards(FiberRefs.getOrDefault(fiberRefs, innermost)))
  for (const active of outwards(fiber.getFiberRef(innermost))) {
    // A captured runtime brings along attempts of other fibers.
    if (active.fiber === fiber && !before.has(active) && RuntimeFlags.interruptible(active.runtimeFlags)) end(active)
  }
}

const outwards = (active: ActiveAttempt | undefined): ReadonlyArray<ActiveAttempt> =>
  active === undefined ? [] : [active, ...outwards(active.outer)]
