/**
 * When the attempts of a hedged operation start: a pure state, changed by every attempt that starts and by every failure. All
 * times in milliseconds since the operation began.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Summary of Retry and Hedging Logic", which knows
 * no limit of attempts in flight.
 */
import * as TimeLeft from "./TimeLeft.ts"

/** What does not change during an operation. */
export interface Limits {
  readonly maxAttempts: number
  readonly maxInFlight: number
  readonly deadline: TimeLeft.Limit | undefined
}

export interface Hedges {
  readonly started: number
  readonly running: number
  /** When the next attempt starts; `Infinity` where there is none, or none before another one has failed. */
  readonly dueMillis: number
  /** Before this, the server wants no further attempt; `Infinity` where there is to be none at all. */
  readonly heldMillis: number
}

/** Nothing has started yet: the first attempt is due at once. */
export const initial: Hedges = { started: 0, running: 0, dueMillis: -Infinity, heldMillis: -Infinity }

/** An attempt has started; the next one follows after `delayMillis`. */
export const started = (self: Hedges, limits: Limits, nowMillis: number, delayMillis: number): Hedges => {
  const after = { ...self, started: self.started + 1, running: self.running + 1 }
  return planned(after, limits, nowMillis, nowMillis + delayMillis)
}

/**
 * An attempt has failed, and the operation goes on: the next one starts at once, or when the hint has passed.
 *
 * A hint that has not passed yet is not shortened by another failure.
 */
export const failed = (self: Hedges, limits: Limits, nowMillis: number, hintMillis: number): Hedges => {
  const heldMillis = Math.max(self.heldMillis, nowMillis + hintMillis)
  return planned({ ...self, running: self.running - 1, heldMillis }, limits, nowMillis, heldMillis)
}

/**
 * The bucket has granted the attempt that was due: it starts now, after a hint that arrived meanwhile, or not at all if its
 * time is over.
 */
export const granted = (self: Hedges, limits: Limits, nowMillis: number): Hedges =>
  planned(self, limits, nowMillis, Math.max(nowMillis, self.heldMillis))

/** No further attempt starts. */
export const closed = (self: Hedges): Hedges => ({ ...self, dueMillis: Infinity, heldMillis: Infinity })

/** Whether no attempt runs and none will start. */
export const isOver = (self: Hedges): boolean => self.running === 0 && self.dueMillis === Infinity

const planned = (self: Hedges, limits: Limits, nowMillis: number, dueMillis: number): Hedges => {
  const { deadline, maxAttempts, maxInFlight } = limits
  const mayStart = self.started < maxAttempts && self.running < maxInFlight && self.heldMillis < Infinity
  const fitted = deadline === undefined ? 0 : TimeLeft.fit(deadline, nowMillis, dueMillis - nowMillis)
  if (!mayStart || fitted === undefined) return { ...self, dueMillis: Infinity }
  return { ...self, dueMillis: deadline === undefined ? dueMillis : nowMillis + fitted }
}
