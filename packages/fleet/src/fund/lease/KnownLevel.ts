/**
 * What a process knows about the tokens in the store: the latest answer, refilled since. What other processes have
 * taken since is unknown.
 */
import type { Limits } from "../../decide/Gcra.ts"

export interface KnownLevel {
  /** Notes what the store answered. */
  readonly learn: (level: number, nowMillis: number) => void
  /** Notes that tokens were put in. */
  readonly add: (tokens: number, nowMillis: number) => void
  /** The tokens now; the burst until the store has answered. */
  readonly at: (nowMillis: number) => number
  readonly isKnown: () => boolean
  /** When the store last answered; `-Infinity` at first. */
  readonly learnedMillis: () => number
}

export const make = ({ burst, perSecond }: Limits): KnownLevel => {
  let level = burst
  let atMillis = -Infinity
  let learnedMillis = -Infinity
  const at = (nowMillis: number): number =>
    learnedMillis === -Infinity ? burst : Math.min(burst, level + ((nowMillis - atMillis) * perSecond) / 1000)
  const set = (tokens: number, nowMillis: number): void => {
    level = Math.max(0, Math.min(burst, tokens))
    atMillis = nowMillis
  }
  return {
    learn: (tokens, nowMillis) => {
      set(tokens, nowMillis)
      learnedMillis = nowMillis
    },
    add: (tokens, nowMillis) => set(at(nowMillis) + tokens, nowMillis),
    at,
    isKnown: () => learnedMillis !== -Infinity,
    learnedMillis: () => learnedMillis
  }
}
