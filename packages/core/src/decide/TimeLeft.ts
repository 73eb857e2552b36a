/**
 * What a deadline leaves: for a wait, for the start of an attempt, and for the attempt itself. All times in milliseconds.
 */

/** A deadline, as far as it is counted with. */
export interface Limit {
  readonly _tag: "Refuse" | "Truncate" | "Cut"
  readonly withinMillis: number
  readonly reserveMillis: number
}

/** A timeout, as far as it is counted with. */
interface Timeout {
  readonly millisOf: (attempt: number, startMillis: number) => number
}

/**
 * The wait that keeps the deadline, in milliseconds, or `undefined` where none does.
 *
 * An attempt may start while time is left and at least `reserve` of it. Exactly at the deadline nothing is left.
 */
export const fit = (self: Limit, elapsedMillis: number, delayMillis: number): number | undefined => {
  // A cut ends waits by itself, but one that is due lets no attempt start either.
  if (mayStart(self, elapsedMillis + (self._tag === "Cut" ? 0 : delayMillis))) return delayMillis
  // A wait of less than a millisecond would be none, and the next failure would find itself here again.
  const waitMillis = Math.floor(self.withinMillis - self.reserveMillis - elapsedMillis)
  return self._tag === "Truncate" && waitMillis > 0 ? waitMillis : undefined
}

/** Time until the deadline. */
export const untilEnd = ({ withinMillis }: Limit, elapsedMillis: number): number =>
  Math.max(0, withinMillis - elapsedMillis)

/** Whether an attempt may start when so much time has passed. */
export const mayStart = (self: Limit, elapsedMillis: number): boolean => {
  const leftMillis = self.withinMillis - elapsedMillis
  return leftMillis > 0 && leftMillis >= self.reserveMillis
}

/**
 * Whether an attempt is too late when its wait is over.
 *
 * A deadline that truncates has shortened the wait to leave its reserve, which a timer that fires late must not undo.
 */
export const isLate = (self: Limit, elapsedMillis: number): boolean =>
  self._tag === "Truncate" ? elapsedMillis >= self.withinMillis : !mayStart(self, elapsedMillis)

/** Whether a timeout depends on when an attempt starts: whether its function declares a parameter for it. */
export const readsStart = ({ millisOf }: Timeout): boolean => millisOf.length > 1

/**
 * What attempt `attempt` is given, in milliseconds, where it starts `startMillis` after the operation and `leftMillis` are
 * left until the deadline.
 */
export const millisFor = (self: Timeout, attempt: number, startMillis: number, leftMillis: number): number =>
  Math.max(0, Math.min(self.millisOf(attempt, startMillis), leftMillis))
