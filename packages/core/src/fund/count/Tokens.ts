/**
 * The arithmetic of buckets that refill over time up to a capacity. Pure.
 *
 * Fractions are kept. A level is never below zero nor above the capacity, taking is all or nothing, and a clock that
 * steps back makes no tokens.
 */
import * as Option from "effect/Option"

export interface Tokens {
  readonly level: number
  /** The time to which `level` refers, in milliseconds. */
  readonly atMillis: number
}

export interface Limits {
  readonly capacity: number
  readonly refillPerSecond: number
}

/** The tokens, refilled up to the given time. */
export const refilled = (self: Tokens, { capacity, refillPerSecond }: Limits, nowMillis: number): Tokens => {
  if (nowMillis === self.atMillis) return self
  // Zero tokens per second times an infinite time would be NaN.
  const elapsedMillis = refillPerSecond === 0 ? 0 : Math.max(0, nowMillis - self.atMillis)
  return { level: Math.min(capacity, self.level + (elapsedMillis * refillPerSecond) / 1000), atMillis: nowMillis }
}

/**
 * Takes `cost` tokens, or nothing.
 *
 * A shortage of less than a millionth of a token, or of the cost, is ignored: a wait rounded to the clock's resolution must
 * not be repeated because of a floating-point error.
 */
export const taken = (self: Tokens, cost: number): Option.Option<Tokens> =>
  missing(self, cost) === 0
    ? Option.some({ level: Math.max(0, self.level - cost), atMillis: self.atMillis })
    : Option.none()

/** Adds tokens, up to the capacity. */
export const added = (self: Tokens, { capacity }: Limits, tokens: number): Tokens => {
  const level = Math.max(0, Math.min(capacity, self.level + tokens))
  return level === self.level ? self : { level, atMillis: self.atMillis }
}

/** Whole milliseconds until time alone has refilled `cost` tokens; `Infinity` if it never does. */
export const millisUntil = (self: Tokens, { refillPerSecond }: Limits, cost: number): number => {
  const tokens = missing(self, cost)
  return tokens === 0 ? 0 : Math.ceil((tokens / refillPerSecond) * 1000 - 1e-6)
}

const missing = ({ level }: Tokens, cost: number): number =>
  cost - level > 1e-6 * Math.min(1, cost) ? cost - level : 0
