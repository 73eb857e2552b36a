/**
 * The bounds of time that code of a fiber runs under, where a time that is up interrupts that very fiber.
 *
 * Such a fiber goes on after the interruption, so it does not tell what the interruption has ended. The bound does: what has
 * begun under it is over once its time is up.
 */
import type { FiberView } from "./Interruption.ts"

/**
 * A bound of time around code of a fiber.
 *
 * @category models
 */
export interface TimeBound {
  /** The bound around it, in the same fiber. */
  readonly outer: TimeBound | undefined
  /** Whether its time is up. It stays so: what has begun under the bound may be asked about long after. */
  isUp: boolean
}

const innermost = new WeakMap<FiberView, TimeBound | undefined>()

/**
 * The innermost bound of a fiber.
 *
 * @category destructors
 */
export const current = (fiber: FiberView): TimeBound | undefined => innermost.get(fiber)

/**
 * Puts what a fiber does from now on under a bound.
 *
 * @category running
 */
export const begin = (fiber: FiberView): TimeBound => {
  const bound: TimeBound = { outer: current(fiber), isUp: false }
  innermost.set(fiber, bound)
  return bound
}

/**
 * Takes the innermost bound of a fiber away.
 *
 * @category running
 */
export const end = (fiber: FiberView, { outer }: TimeBound): void => {
  innermost.set(fiber, outer)
}

/**
 * Whether the time of a bound is up, or of one around it.
 *
 * @category guards
 */
export const isUp = (innermost: TimeBound | undefined): boolean => {
  let bound = innermost
  while (bound !== undefined && !bound.isUp) bound = bound.outer
  return bound !== undefined
}
