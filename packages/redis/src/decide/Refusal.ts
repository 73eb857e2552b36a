/**
 * What a process knows after the store was short of tokens: how long it asks for no more. Pure.
 *
 * A refusal holds for what it was asked, not for less: a question for fewer tokens than the store had left is not blocked.
 */
import type { Limits } from "./Gcra.ts"

/**
 * @category models
 */
export interface Refusal {
  /** When the store answered last, in milliseconds. */
  readonly atMillis: number
  /** Tokens that the store had left. */
  readonly level: number
  /** By how much longer than until the tokens are there the process waits, so that a fleet does not come at once. */
  readonly factor: number
  /** Tokens that were refused. */
  readonly need: number
  /** When it is over, in milliseconds. */
  readonly overMillis: number
}

/**
 * What a store answered that was short of tokens.
 *
 * @category models
 */
export interface Shortage extends Omit<Refusal, "factor" | "overMillis"> {
  readonly retryAfterMillis: number
  /** Refusals in a row before this one: the process waited as told, and others took the tokens. */
  readonly refusals: number
  /** A number of `U[0, 1)`. */
  readonly draw: number
}

/**
 * The store is left alone until it can have the tokens, times `U[1, 1.5)`, and twice as long after each refusal in a row:
 * so the larger a fleet is that wants more than there is, the less often each of its processes asks.
 * Formula: `millis * min(2^refusals, max(1, half / millis)) * U[1, 1.5)`, where `half` is the time in which half of the burst
 * comes in. So doubled pauses end before three quarters of the burst have come in.
 *
 * @category constructors
 */
export const make = (limits: Limits, shortage: Shortage): Refusal => {
  const { atMillis, draw, level, need, refusals, retryAfterMillis } = shortage
  const millis = Math.max(retryAfterMillis, millisUntil(limits, level, need))
  const longestMillis = (limits.burst / 2 / limits.perSecond) * 1000
  const factor = (1 + draw / 2) * Math.min(2 ** refusals, Math.max(1, longestMillis / millis))
  return { atMillis, level, need, factor, overMillis: atMillis + factor * millis }
}

/**
 * The refusal after tokens were granted, or returned, before it is over.
 *
 * @category combinators
 */
export const withLevel = (self: Refusal, level: number, atMillis: number): Refusal => ({ ...self, level, atMillis })

/**
 * How long the store is not asked for `need` tokens, in milliseconds; zero or less where it may be asked now.
 *
 * @category destructors
 */
export const millisFor = (self: Refusal, limits: Limits, need: number, nowMillis: number): number => {
  const { atMillis, factor, level, overMillis } = self
  const millis = millisUntil(limits, level, need)
  if (millis === 0 || nowMillis >= overMillis) return 0
  const enoughMillis = atMillis + factor * millis
  return (need < self.need ? enoughMillis : Math.max(overMillis, enoughMillis)) - nowMillis
}

/** Whole milliseconds until the store has `need` tokens by time alone. */
const millisUntil = ({ perSecond }: Limits, level: number, need: number): number =>
  need <= level ? 0 : Math.ceil(((need - level) / perSecond) * 1000 - 1e-6)
