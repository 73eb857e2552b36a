/**
 * The attempt of a named operation in which code runs: how nesting is noticed.
 *
 * A fiber has the innermost attempt in a FiberRef, from its begin to its end. Forks and captured runtimes take along the one of
 * that moment, which may end before they do: what has ended is skipped. An attempt that is interrupted is left in the FiberRef
 * and skipped as well. This file alone knows of the FiberRef.
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
  /** What the fiber gets back at the end: an attempt that may have ended before this one began. */
  readonly before: ActiveAttempt | undefined
  /** The fiber that runs the operation; `undefined` once the attempt has ended. */
  fiber: FiberView | undefined
}

/** One for all copies of this package in a program. A fiber that is joined hands nothing back. */
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
export const current = (fiber: FiberView): ActiveAttempt | undefined => running(fiber.getFiberRef(innermost))

const running = (from: ActiveAttempt | undefined): ActiveAttempt | undefined => {
  let active = from
  while (active !== undefined && !isRunning(active)) active = active.outer
  return active
}

/**
 * Whether the attempt has neither ended nor been interrupted from outside, after which its operation makes no other one.
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
): ActiveAttempt => {
  const before = fiber.getFiberRef(innermost)
  return { name, attempt, outer: running(before), runtimeFlags, before, fiber }
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
  fiber.setFiberRef(innermost, active)
  return self
}

/** What Effect does not declare of a fiber: an effect that writes takes three steps, and these none. */
interface Writable extends FiberView {
  setFiberRef<A>(ref: FiberRef.FiberRef<A>, value: A): void
  unsafeDeleteFiberRef<A>(ref: FiberRef.FiberRef<A>): void
}

const isWritable = (fiber: FiberView | undefined): fiber is Writable =>
  fiber !== undefined && "unsafeDeleteFiberRef" in fiber

/**
 * Notes that an attempt has ended. To be called in the step in which it ends: its fiber has again what it had before. What is
 * left in a FiberRef would come into other fibers, by caches and memoized layers.
 *
 * @category running
 */
export const end = (active: ActiveAttempt): void => {
  const { before, fiber } = active
  active.fiber = undefined
  if (!isWritable(fiber)) return
  if (before === undefined) fiber.unsafeDeleteFiberRef(innermost)
  else fiber.setFiberRef(innermost, before)
}

/**
 * Notes the end of the attempts that began in a fiber after it had `fiberRefs`. A bound of time interrupts them in the fiber's
 * own name, which `isRunning` does not see. An operation that this interruption does not end goes on.
 *
 * @category running
 */
export const endSince = (fiber: FiberView, fiberRefs: FiberRefs.FiberRefs): void => {
  const before = new Set(outwards(FiberRefs.getOrDefault(fiberRefs, innermost)))
  for (const active of outwards(fiber.getFiberRef(innermost))) {
    const isOfFiber = active.fiber === fiber
    // A captured runtime brings along attempts of other fibers.
    if (isOfFiber && !before.has(active) && RuntimeFlags.interruptible(active.runtimeFlags)) active.fiber = undefined
  }
}

function* outwards(from: ActiveAttempt | undefined): Generator<ActiveAttempt> {
  for (let active = from; active !== undefined; active = active.outer) yield active
}
