/**
 * The arithmetic of every bucket: tokens, a capacity, and time. Pure.
 *
 * Fractions are kept. A level is never below zero nor above the capacity, taking is all or nothing, and a clock that
 * steps back makes no tokens.
 */
import { Option } from "effect"

/**
 * @category models
 */
export interface TokenBucket {
  readonly tokens: number
  /** When `tokens` was right, in milliseconds. */
  readonly atMillis: number
}

/**
 * @category models
 */
export interface Limits {
  readonly capacity: number
  readonly refillPerSecond: number
}

/**
 * The bucket as time has filled it.
 *
 * @category combinators
 */
export const refilled = (self: TokenBucket, { capacity, refillPerSecond }: Limits, nowMillis: number): TokenBucket => {
  if (nowMillis === self.atMillis) return self
  // A bucket that was never looked at has waited for ever, and no tokens a second for ever is not a number.
  if (refillPerSecond === 0) return { tokens: self.tokens, atMillis: nowMillis }
  const elapsedMillis = Math.max(0, nowMillis - self.atMillis)
  return {
    tokens: Math.min(capacity, self.tokens + (elapsedMillis * refillPerSecond) / 1000),
    atMillis: nowMillis
  }
}

/**
 * Takes `cost` tokens, or nothing.
 *
 * What is missing by less than a millionth, of a token or of the cost, counts as there: a wait rounded to the clock's
 * resolution must not be repeated for the dust of its arithmetic.
 *
 * @category combinators
 */
export const taken = (self: TokenBucket, cost: number): Option.Option<TokenBucket> =>
  missing(self, cost) === 0
    ? Option.some({ tokens: Math.max(0, self.tokens - cost), atMillis: self.atMillis })
    : Option.none()

/**
 * Puts tokens in, up to the capacity.
 *
 * @category combinators
 */
export const added = (self: TokenBucket, { capacity }: Limits, tokens: number): TokenBucket => {
  const after = Math.max(0, Math.min(capacity, self.tokens + tokens))
  return after === self.tokens ? self : { tokens: after, atMillis: self.atMillis }
}

/**
 * Whole milliseconds until `cost` tokens are there by time alone; `Infinity` where they never are.
 *
 * @category destructors
 */
export const millisUntil = (self: TokenBucket, { refillPerSecond }: Limits, cost: number): number => {
  const tokens = missing(self, cost)
  if (tokens === 0) return 0
  return refillPerSecond === 0 ? Infinity : Math.ceil((tokens / refillPerSecond) * 1000 - 1e-6)
}

const missing = ({ tokens }: TokenBucket, cost: number): number =>
  cost - tokens > 1e-6 * Math.min(1, cost) ? cost - tokens : 0
