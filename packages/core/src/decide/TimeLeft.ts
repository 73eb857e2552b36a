/**
 * What a deadline leaves: for a wait, for the start of an attempt, and for the attempt itself. All times in milliseconds.
 */
import type { AttemptTimeout } from "./AttemptTimeout.ts"
import type { Deadline } from "./Deadline.ts"

/**
 * The wait that keeps the deadline, in milliseconds, or `undefined` where none does.
 *
 * An attempt may start while time is left and at least `reserve` of it. Exactly at the deadline nothing is left.
 *
 * @category destructors
 */
export const fit = (self: Deadline<unknown>, elapsedMillis: number, delayMillis: number): number | undefined => {
  if (self._tag === "Cut" || mayStart(self, elapsedMillis + delayMillis)) return delayMillis
  // A wait of less than a millisecond would be none, and the next failure would find itself here again.
  const waitMillis = Math.floor(self.withinMillis - self.reserveMillis - elapsedMillis)
  return self._tag === "Truncate" && waitMillis > 0 ? waitMillis : undefined
}

/**
 * Whether an attempt may start when so much time has passed.
 *
 * @category guards
 */
export const mayStart = (self: Deadline<unknown>, elapsedMillis: number): boolean => {
  const leftMillis = self.withinMillis - elapsedMillis
  return leftMillis > 0 && leftMillis >= self.reserveMillis
}

/**
 * Whether a timeout depends on when an attempt starts: whether its function declares a parameter for it.
 *
 * @category guards
 */
export const readsStart = ({ millisOf }: AttemptTimeout<unknown>): boolean => millisOf.length > 1

/**
 * What attempt `attempt` is given, in milliseconds, where it starts `startMillis` after the operation and `leftMillis` are
 * left until the deadline.
 *
 * @category destructors
 */
export const millisFor = (
  self: AttemptTimeout<unknown>,
  attempt: number,
  startMillis: number,
  leftMillis: number
): number => Math.max(0, Math.min(self.millisOf(attempt, startMillis), leftMillis))
