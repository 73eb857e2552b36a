/**
 * When hedges are sent: a pure state, changed by every attempt that is sent and by every failure. All times in
 * milliseconds of one clock.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Summary of Retry and Hedging Logic".
 */

/** What does not change during a call. */
export interface Limits {
  readonly maxAttempts: number
  readonly delayMillis: number
  /** When the last attempt may be sent, exclusively. */
  readonly untilMillis: number
}

export interface Hedges {
  readonly sent: number
  readonly running: number
  /** When the next attempt is sent; `Infinity` where there is none. */
  readonly dueMillis: number
  /** Before this, the server wants no further attempt; `Infinity` where it wants none at all. */
  readonly heldMillis: number
}

/** Nothing is sent yet: the first attempt is due at once. */
export const initial: Hedges = { sent: 0, running: 0, dueMillis: -Infinity, heldMillis: -Infinity }

/** An attempt is sent; the next one follows after the hedging delay. */
export const sent = (self: Hedges, limits: Limits, nowMillis: number): Hedges =>
  planned({ ...self, sent: self.sent + 1, running: self.running + 1 }, limits, nowMillis + limits.delayMillis)

/**
 * An attempt has failed, and the call goes on: the next one is sent at once, or when the pushback has passed.
 *
 * A pushback that has not passed yet is not shortened by another failure.
 */
export const failed = (self: Hedges, limits: Limits, nowMillis: number, pushbackMillis: number | undefined): Hedges => {
  const heldMillis = Math.max(self.heldMillis, nowMillis + (pushbackMillis ?? 0))
  return planned({ ...self, running: self.running - 1, heldMillis }, limits, heldMillis)
}

/**
 * The bucket has granted the attempt that was due: it is sent now, after a pushback that arrived meanwhile, or not at all
 * if its time is over.
 */
export const granted = (self: Hedges, limits: Limits, nowMillis: number): Hedges =>
  planned(self, limits, Math.max(nowMillis, self.heldMillis))

/** No further attempt is sent. */
export const closed = (self: Hedges): Hedges => ({ ...self, dueMillis: Infinity, heldMillis: Infinity })

/** Whether no attempt runs and none will be sent. */
export const isOver = (self: Hedges): boolean => self.running === 0 && self.dueMillis === Infinity

const planned = (self: Hedges, { maxAttempts, untilMillis }: Limits, dueMillis: number): Hedges => ({
  ...self,
  dueMillis: self.sent < maxAttempts && dueMillis < untilMillis && self.heldMillis < Infinity ? dueMillis : Infinity
})
