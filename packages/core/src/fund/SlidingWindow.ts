/**
 * A sliding-window sum in slots of a hundredth: what is older than the window is forgotten, a slot at a time. Pure.
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
  /** Number of the newest slot, counted from the zero of the clock. */
  readonly newest: number
  /** Sums by slot, the oldest first. */
  readonly sums: ReadonlyArray<number>
  readonly total: number
}

/**
 * An empty window.
 *
 * @category constructors
 */
export const make = (windowMillis: number): SlidingWindow => ({
  slotMillis: windowMillis / hundredths,
  newest: -Infinity,
  sums: zeros,
  total: 0
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
  const sums = [...self.sums.slice(steps), ...zeros.slice(slots - steps)]
  // Added up afresh: a floating-point error in the total would stay for ever.
  const total = sums.reduce((total, slot) => total + slot, 0)
  return { slotMillis: self.slotMillis, newest, sums, total }
}

/**
 * Adds to the newest slot.
 *
 * @category combinators
 */
export const added = (self: SlidingWindow, amount: number): SlidingWindow => ({
  slotMillis: self.slotMillis,
  newest: self.newest,
  sums: self.sums.with(slots - 1, (self.sums[slots - 1] ?? 0) + amount),
  total: self.total + amount
})

/**
 * Takes away what was added when `slot` was the newest, never more than is left of it.
 *
 * @category combinators
 */
export const removed = (self: SlidingWindow, slot: number, amount: number): SlidingWindow => {
  const index = slots - 1 - (self.newest - slot)
  const part = Math.min(amount, self.sums[index] ?? 0)
  if (part === 0) return self
  return {
    slotMillis: self.slotMillis,
    newest: self.newest,
    sums: self.sums.with(index, (self.sums[index] ?? 0) - part),
    total: self.total - part
  }
}

/**
 * The sum over the window.
 *
 * @category destructors
 */
export const sum = (self: SlidingWindow): number => self.total
