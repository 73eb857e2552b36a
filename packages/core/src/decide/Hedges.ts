/**
 * When the attempts of a hedged operation start: a pure state that every start and every failure changes. All times in
 * milliseconds since the operation began.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Summary of Retry and Hedging Logic",
 * which has no limit on attempts in flight.
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
  /** When the next attempt starts; `Infinity` if there is none, or none until another one has failed. */
  readonly dueMillis: number
  /** The server wants no further attempt before this; `Infinity` if there must be none at all. */
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
 * An attempt has failed, and the operation continues: the next one starts at once, or when the hint has passed.
 *
 * Another failure does not shorten a hint that is still running.
 */
export const failed = (self: Hedges, limits: Limits, nowMillis: number, hintMillis: number): Hedges => {
  const heldMillis = Math.max(self.heldMillis, nowMillis + hintMillis)
  return planned({ ...self, running: self.running - 1, heldMillis }, limits, nowMillis, heldMillis)
}

/**
 * The bucket has granted the attempt that was due: it starts now, or after a hint that arrived meanwhile, or not at all
 * if there is no time left.
 */
export const granted = (self: Hedges, limits: Limits, nowMillis: number): Hedges =>
  planned(self, limits, nowMillis, Math.max(nowMillis, self.heldMillis))

/** No further attempt starts. */
export const closed = (self: Hedges): Hedges => ({ ...self, dueMillis: Infinity, heldMillis: Infinity })

/** Whether no attempt is running and none will start. */
export const isOver = (self: Hedges): boolean => self.running === 0 && self.dueMillis === Infinity

const planned = (self: Hedges, limits: Limits, nowMillis: number, dueMillis: number): Hedges => {
  const { deadline, maxAttempts, maxInFlight } = limits
  const mayStart = self.started < maxAttempts && self.running < maxInFlight && self.heldMillis < Infinity
  const fitted = deadline === undefined ? 0 : TimeLeft.fit(deadline, nowMillis, dueMillis - nowMillis)
  if (!mayStart || fitted === undefined) return { ...self, dueMillis: Infinity }
  return { ...self, dueMillis: deadline === undefined ? dueMillis : nowMillis + fitted }
}
