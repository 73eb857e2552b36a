/**
 * What a process remembers when the store was short of tokens: how long not to ask for more. Pure.
 *
 * A refusal applies to the amount requested, not to less: a request for fewer tokens than the store had left is not blocked.
 */
import type { Limits } from "./Gcra.ts"

export interface Refusal {
  /** When the store answered last, in milliseconds. */
  readonly atMillis: number
  /** Tokens that the store had left. */
  readonly level: number
  /** The factor by which the process waits longer than until the tokens are there, so that a fleet does not return all at once. */
  readonly factor: number
  /** The random part of the factor. */
  readonly spread: number
  /** Tokens that were refused. */
  readonly need: number
  /** When it is over, in milliseconds. */
  readonly overMillis: number
}

/** The answer of a store that was short of tokens. */
export interface Shortage extends Omit<Refusal, "factor" | "overMillis" | "spread"> {
  /** The minimum that was requested: the store will not have it before the time that it named. */
  readonly refused: number
  readonly retryAfterMillis: number
  /** How many refusals in a row came before this one: the process waited as told, but others took the tokens. */
  readonly refusals: number
  /** A number of `U[0, 1)`. */
  readonly draw: number
}

/**
 * The least number of refusals in a row that a process counts if attempts still wait after it got only a part: it
 * pauses while tokens for several attempts are refilled, so that refused processes can take them first.
 */
const refusalsAfterGrant = 2

/** The refusals to count after the store granted a process less than its waiting attempts want. */
export const afterGrant = (refusals: number): number => Math.max(refusalsAfterGrant, refusals)

/**
 * For how many tokens a process with waiting attempts pauses: the cost of the bucket's most expensive attempt, between
 * one and a quarter of the burst. It is the same for all processes of the bucket. If each paused for the tokens that it
 * lacks itself, processes with cheap attempts would ask more often, and take the tokens that the others wait for.
 */
export const pause = ({ burst }: Pick<Limits, "burst">, dearest: number): number =>
  Math.min(dearest, Math.max(1, burst / 4))

/**
 * The store is not asked until it can have the tokens, times `U[1, 1.5)`, and twice as long after each refusal in a
 * row. So the more processes want more than there is, the less often each of them asks.
 * Formula: `millis * min(2^refusals, max(1, quarter / millis)) * U[1, 1.5)`, where `quarter` is the time in which a
 * quarter of the burst is refilled. So doubled pauses end before three eighths of the burst are refilled.
 */
export const make = (limits: Limits, shortage: Shortage): Refusal => {
  const { atMillis, draw, need, refusals, retryAfterMillis } = shortage
  const level = levelOf(limits, shortage)
  const millis = Math.max(retryAfterMillis, millisUntil(limits, level, need))
  const longestMillis = (limits.burst / 4 / limits.perSecond) * 1000
  const spread = 1 + draw / 2
  const factor = spread * Math.min(2 ** refusals, Math.max(1, longestMillis / millis))
  return { atMillis, level, need, factor, spread, overMillis: atMillis + factor * millis }
}

/**
 * What the store has left. A store also refuses if less than a microsecond of refill is missing, which its level may
 * not show; a process that relied on the level would ask again at once, and be refused again.
 */
const levelOf = (limits: Limits, { level, refused, retryAfterMillis }: Shortage): number =>
  retryAfterMillis > 0 && millisUntil(limits, level, refused) === 0
    ? refused - (limits.perSecond * retryAfterMillis) / 1000
    : level

/** The refusal after tokens were granted, or returned, before it is over. */
export const withLevel = (self: Refusal, level: number, atMillis: number): Refusal => ({ ...self, level, atMillis })

/** How long the store is not asked for `need` tokens, in milliseconds; zero or less where it may be asked now. */
export const millisFor = (self: Refusal, limits: Limits, need: number, nowMillis: number): number => {
  const { atMillis, factor, level, overMillis, spread } = self
  const millis = millisUntil(limits, level, need)
  if (millis === 0 || nowMillis >= overMillis) return 0
  // For more tokens than were refused, only the time of their refill is added once the pause is over.
  return (need < self.need ? atMillis + factor * millis : Math.max(overMillis, atMillis + spread * millis)) - nowMillis
}

/** Whole milliseconds until the store has `need` tokens by time alone. */
const millisUntil = ({ perSecond }: Limits, level: number, need: number): number =>
  need <= level ? 0 : Math.ceil(((need - level) / perSecond) * 1000 - 1e-6)
