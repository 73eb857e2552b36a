/**
 * What a process knows after the store was short of tokens: how long it asks for no more. Pure.
 *
 * A refusal holds for what it was asked, not for less: a question for fewer tokens than the store had left is not blocked.
 */
import type { Limits } from "./Gcra.ts"

export interface Refusal {
  /** When the store answered last, in milliseconds. */
  readonly atMillis: number
  /** Tokens that the store had left. */
  readonly level: number
  /** By how much longer than until the tokens are there the process waits, so that a fleet does not come at once. */
  readonly factor: number
  /** The random part of the factor. */
  readonly spread: number
  /** Tokens that were refused. */
  readonly need: number
  /** When it is over, in milliseconds. */
  readonly overMillis: number
}

/** What a store answered that was short of tokens. */
export interface Shortage extends Omit<Refusal, "factor" | "overMillis" | "spread"> {
  /** The least that was asked for: the store does not have it before the time that it names. */
  readonly refused: number
  readonly retryAfterMillis: number
  /** Refusals in a row before this one: the process waited as told, and others took the tokens. */
  readonly refusals: number
  /** A number of `U[0, 1)`. */
  readonly draw: number
}

/**
 * What a process counts as refusals in a row at least, where attempts still wait after it got some of what it wanted: it
 * lets tokens for several attempts come in, which processes that were refused can take before it asks again.
 */
const refusalsAfterGrant = 2

/** The refusals to count after the store granted a process less than its waiting attempts want. */
export const afterGrant = (refusals: number): number => Math.max(refusalsAfterGrant, refusals)

/**
 * For how many tokens a process with waiting attempts pauses: the cost of the bucket's most expensive attempt, at most a
 * quarter of the burst, and at least one. It is the same for all processes of the bucket. If each paused for the tokens
 * that it lacks itself, processes with cheap attempts would ask more often, and take the tokens that the others wait for.
 */
export const pause = ({ burst }: Pick<Limits, "burst">, dearest: number): number =>
  Math.min(dearest, Math.max(1, burst / 4))

/**
 * The store is left alone until it can have the tokens, times `U[1, 1.5)`, and twice as long after each refusal in a row:
 * so the larger a fleet is that wants more than there is, the less often each of its processes asks.
 * Formula: `millis * min(2^refusals, max(1, quarter / millis)) * U[1, 1.5)`, where `quarter` is the time in which a quarter of
 * the burst comes in. So doubled pauses end before three eighths of the burst have come in.
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
 * What the store has left. A store also refuses if less than a microsecond of refill is missing, which its level need not
 * show. A process that relied on the level would ask again at once, and be refused again, until time has moved on.
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
  // More tokens than were refused take no longer than time does to bring them, once the pause is over.
  return (need < self.need ? atMillis + factor * millis : Math.max(overMillis, atMillis + spread * millis)) - nowMillis
}

/** Whole milliseconds until the store has `need` tokens by time alone. */
const millisUntil = ({ perSecond }: Limits, level: number, need: number): number =>
  need <= level ? 0 : Math.ceil(((need - level) / perSecond) * 1000 - 1e-6)
