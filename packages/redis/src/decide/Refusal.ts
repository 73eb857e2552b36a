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
 * The factor for a draw of `U[0, 1)`: `U[1, 1.5)`.
 *
 * @category constructors
 */
export const factor = (draw: number): number => 1 + draw / 2

/**
 * What the store says of the time until the tokens are there counts, where it is longer than the rate says.
 *
 * @category constructors
 */
export const make = (limits: Limits, retryAfterMillis: number, answer: Omit<Refusal, "overMillis">): Refusal => {
  const { atMillis, factor, level, need } = answer
  return { ...answer, overMillis: atMillis + factor * Math.max(retryAfterMillis, millisUntil(limits, level, need)) }
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
