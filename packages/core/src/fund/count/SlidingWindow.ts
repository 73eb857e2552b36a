/**
 * A sliding-window sum in slots of a hundredth of the window: older amounts are forgotten one slot at a time. Pure.
 *
 * An amount is remembered for the whole window, and for up to a hundredth of it longer. When the clock steps back, amounts
 * go on being added to the newest slot.
 */

const hundredths = 100

const zeros: ReadonlyArray<number> = /*#__PURE__*/ Array.from({ length: hundredths }, () => 0)

export interface SlidingWindow {
  readonly slotMillis: number
  /** The index of the newest slot, counted from the clock's zero. */
  readonly newest: number
  /** The sum of the newest slot. It is still open, so the slots before it make up a whole window by themselves. */
  readonly current: number
  /** The sums of the slots before it, the oldest first. */
  readonly earlier: ReadonlyArray<number>
  /** The total of `earlier`. */
  readonly earlierTotal: number
}

/** An empty window. */
export const make = (windowMillis: number): SlidingWindow => ({
  slotMillis: windowMillis / hundredths,
  newest: -Infinity,
  current: 0,
  earlier: zeros,
  earlierTotal: 0
})

/** The window moved on to the given time. */
export const advanced = (self: SlidingWindow, nowMillis: number): SlidingWindow => {
  const newest = Math.floor(nowMillis / self.slotMillis)
  if (newest === self.newest) return self
  // A clock that has stepped back does not move the window.
  const steps = Math.max(0, Math.min(hundredths + 1, newest - self.newest))
  if (steps === 0) return { ...self, newest }
  const kept = [...self.earlier, self.current].slice(steps)
  const earlier = [...kept, ...zeros.slice(kept.length)]
  // Summed anew: a floating-point error in a running total would stay for ever.
  const earlierTotal = earlier.reduce((total, slot) => total + slot, 0)
  return { slotMillis: self.slotMillis, newest, current: 0, earlier, earlierTotal }
}

/** Adds to the newest slot. */
export const added = (self: SlidingWindow, amount: number): SlidingWindow => withCurrent(self, self.current + amount)

const withCurrent = ({ earlier, earlierTotal, newest, slotMillis }: SlidingWindow, current: number): SlidingWindow => ({
  slotMillis,
  newest,
  current,
  earlier,
  earlierTotal
})

/** Subtracts an amount that was added when `slot` was the newest, never more than remains in it. */
export const removed = (self: SlidingWindow, slot: number, amount: number): SlidingWindow => {
  if (slot === self.newest) return withCurrent(self, self.current - Math.min(amount, self.current))
  const index = hundredths - (self.newest - slot)
  const sum = self.earlier[index] ?? 0
  const part = Math.min(amount, sum)
  if (part === 0) return self
  return { ...self, earlier: self.earlier.with(index, sum - part), earlierTotal: self.earlierTotal - part }
}

/** The sum over the window. */
export const sum = ({ current, earlierTotal }: SlidingWindow): number => earlierTotal + current
