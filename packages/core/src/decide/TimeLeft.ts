/**
 * How much time a deadline leaves for a wait, for starting an attempt, and for the attempt itself. All times in
 * milliseconds.
 */

/** The numbers of a deadline. */
export interface Limit {
  readonly _tag: "Refuse" | "Truncate" | "Cut"
  readonly withinMillis: number
  readonly reserveMillis: number
}

/** The numbers of a timeout. */
interface Timeout {
  readonly millisOf: (attempt: number, startMillis: number) => number
}

/**
 * The longest wait up to the delay that keeps the deadline, in milliseconds, or `undefined` if there is none.
 *
 * An attempt may start while there is time left, and at least the reserve. Exactly at the deadline no time is left.
 */
export const fit = (self: Limit, elapsedMillis: number, delayMillis: number): number | undefined => {
  // A cut ends waits by itself, but no attempt may start once the cut is due.
  if (mayStart(self, elapsedMillis + (self._tag === "Cut" ? 0 : delayMillis))) return delayMillis
  // A wait below a millisecond would be no wait, and the next failure would come straight back here.
  const waitMillis = Math.floor(self.withinMillis - self.reserveMillis - elapsedMillis)
  return self._tag === "Truncate" && waitMillis > 0 ? waitMillis : undefined
}

/** Time until the deadline. */
export const untilEnd = ({ withinMillis }: Limit, elapsedMillis: number): number =>
  Math.max(0, withinMillis - elapsedMillis)

/** Whether an attempt may start after this much time. */
export const mayStart = (self: Limit, elapsedMillis: number): boolean => {
  const leftMillis = self.withinMillis - elapsedMillis
  return leftMillis > 0 && leftMillis >= self.reserveMillis
}

/**
 * Whether it is too late for an attempt when its wait is over.
 *
 * A truncating deadline has shortened the wait to leave its reserve; a timer that fires late must not undo that.
 */
export const isLate = (self: Limit, elapsedMillis: number): boolean =>
  self._tag === "Truncate" ? elapsedMillis >= self.withinMillis : !mayStart(self, elapsedMillis)

/** Whether a timeout depends on when an attempt starts: whether its function declares a parameter for it. */
export const readsStart = ({ millisOf }: Timeout): boolean => millisOf.length > 1

/**
 * The timeout of attempt `attempt`, in milliseconds, if it starts `startMillis` after the operation and `leftMillis`
 * remain until the deadline.
 */
export const millisFor = (self: Timeout, attempt: number, startMillis: number, leftMillis: number): number =>
  Math.max(0, Math.min(self.millisOf(attempt, startMillis), leftMillis))
