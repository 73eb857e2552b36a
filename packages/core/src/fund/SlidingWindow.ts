/**
 * A sum over the last while, in ten slots: what is older than the window is forgotten, a slot at a time. Pure.
 *
 * A clock that steps back goes on counting in the newest slot.
 */

const slots = 10

/**
 * @category models
 */
export interface SlidingWindow {
  readonly slotMillis: number
  /** Number of the newest slot since the epoch. */
  readonly newest: number
  /** Sums by slot, the oldest first. */
  readonly sums: ReadonlyArray<number>
}

/**
 * An empty window.
 *
 * @category constructors
 */
export const make = (windowMillis: number): SlidingWindow => ({
  slotMillis: windowMillis / slots,
  newest: -Infinity,
  sums: Array.from({ length: slots }, () => 0)
})

/**
 * The window as time has moved it.
 *
 * @category combinators
 */
export const advanced = (self: SlidingWindow, nowMillis: number): SlidingWindow => {
  const newest = Math.floor(nowMillis / self.slotMillis)
  const steps = Math.min(slots, newest - self.newest)
  if (steps <= 0) return self
  const zeros = Array.from({ length: steps }, () => 0)
  return { slotMillis: self.slotMillis, newest, sums: [...self.sums.slice(steps), ...zeros] }
}

/**
 * Adds to the newest slot.
 *
 * @category combinators
 */
export const added = (self: SlidingWindow, amount: number): SlidingWindow => ({
  ...self,
  sums: self.sums.with(-1, (self.sums.at(-1) ?? 0) + amount)
})

/**
 * The sum over the window.
 *
 * @category destructors
 */
export const sum = (self: SlidingWindow): number => self.sums.reduce((total, slot) => total + slot, 0)
