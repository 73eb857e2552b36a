/**
 * A sliding-window sum in slots of a hundredth: what is older than the window is forgotten, a slot at a time. Pure.
 *
 * What is added is remembered for the whole window, and for up to a hundredth longer. A clock that steps back goes on
 * counting in the newest slot, and from the time it shows.
 */

const hundredths = 100

const zeros: ReadonlyArray<number> = /*#__PURE__*/ Array.from({ length: hundredths }, () => 0)

export interface SlidingWindow {
  readonly slotMillis: number
  /** Number of the newest slot, counted from the zero of the clock. */
  readonly newest: number
  /** The sum of the newest slot. It is not over yet, so the slots before it fill a window by themselves. */
  readonly current: number
  /** Sums of the slots before it, the oldest first. */
  readonly earlier: ReadonlyArray<number>
  /** The sum over the slots before it. */
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

/** The window as time has moved it. */
export const advanced = (self: SlidingWindow, nowMillis: number): SlidingWindow => {
  const newest = Math.floor(nowMillis / self.slotMillis)
  if (newest === self.newest) return self
  // A clock that stepped back moves nothing on.
  const steps = Math.max(0, Math.min(hundredths + 1, newest - self.newest))
  if (steps === 0) return { ...self, newest }
  const kept = [...self.earlier, self.current].slice(steps)
  const earlier = [...kept, ...zeros.slice(kept.length)]
  // Added up afresh: a floating-point error in the total would stay for ever.
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

/** Takes away what was added when `slot` was the newest, never more than is left of it. */
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
