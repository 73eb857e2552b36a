/**
 * A sum over the last while, in slots of a hundredth: what is older than the window is forgotten, a slot at a time. Pure.
 *
 * What is added is remembered for the whole window, and for up to a hundredth longer. A clock that steps back goes on
 * counting in the newest slot, and from the time it shows.
 */

const hundredths = 100

/** One more than fill the window, since the newest is not over yet. */
const slots = hundredths + 1

const zeros: ReadonlyArray<number> = /*#__PURE__*/ Array.from({ length: slots }, () => 0)

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
  slotMillis: windowMillis / hundredths,
  newest: -Infinity,
  sums: zeros
})

/**
 * The window as time has moved it.
 *
 * @category combinators
 */
export const advanced = (self: SlidingWindow, nowMillis: number): SlidingWindow => {
  const newest = Math.floor(nowMillis / self.slotMillis)
  if (newest === self.newest) return self
  const steps = Math.max(0, Math.min(slots, newest - self.newest))
  return { slotMillis: self.slotMillis, newest, sums: [...self.sums.slice(steps), ...zeros.slice(slots - steps)] }
}

/**
 * Adds to the newest slot.
 *
 * @category combinators
 */
export const added = (self: SlidingWindow, amount: number): SlidingWindow => ({
  ...self,
  sums: [...self.sums.slice(0, -1), (self.sums.at(-1) ?? 0) + amount]
})

/**
 * Takes away again, the oldest first and never more than there is.
 *
 * @category combinators
 */
export const removed = (self: SlidingWindow, amount: number): SlidingWindow => {
  let left = amount
  const sums = self.sums.map((slot) => {
    const part = Math.min(slot, left)
    left -= part
    return slot - part
  })
  return { ...self, sums }
}

/**
 * The sum over the window.
 *
 * @category destructors
 */
export const sum = (self: SlidingWindow): number => self.sums.reduce((total, slot) => total + slot, 0)
