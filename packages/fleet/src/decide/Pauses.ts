/**
 * How a process pauses when the store is short of tokens: by the latest refusal, and longer after refusals in a row. Pure.
 */
import type { Limits, Taken } from "./Gcra.ts"
import * as Refusal from "./Refusal.ts"

export interface Pauses {
  readonly refusal: Refusal.Refusal | undefined
  /** The number of refusals in a row; if attempts wait, a grant lowers it by one. */
  readonly refusals: number
  /** A refusal up to this time continues the row: as long after the pause as the pause lasted. */
  readonly inRowUntilMillis: number
}

export const none: Pauses = { refusal: undefined, refusals: 0, inRowUntilMillis: 0 }

/** A request to the store, in tokens. */
export interface Question {
  readonly want: number
  readonly least: number
  /** For how many tokens the process pauses if the store is short of them. */
  readonly pause: number
}

/** The store's answer to a request. */
export interface Answer extends Question, Taken {
  /** Whether attempts of the bucket wait for tokens. */
  readonly waits: boolean
  readonly atMillis: number
  /** A number of `U[0, 1)`. */
  readonly draw: number
}

/** Doubling twenty times exceeds any pause. */
const mostRefusals = 20

export const answered = (self: Pauses, limits: Limits, answer: Answer): Pauses => {
  const { atMillis, granted, least, level, pause, waits, want } = answer
  const before = refusalsBefore(self, answer)
  const isShort = granted < want
  const refusals =
    waits && granted > 0 ? Math.max(0, self.refusals - 1) : Math.min(mostRefusals, before + (isShort ? 1 : 0))
  if (!isShort) return { ...self, refusals, refusal: remaining(self, level, atMillis) }
  const need = granted > 0 && !waits ? want - granted : pause
  const refusal = Refusal.make(limits, { ...answer, need, refused: least, refusals: before })
  return { refusal, refusals, inRowUntilMillis: refusal.overMillis + (refusal.overMillis - atMillis) }
}

/** A refusal that is not over still applies, with what the store has left. */
const remaining = ({ refusal }: Pauses, level: number, atMillis: number): Pauses["refusal"] =>
  refusal !== undefined && atMillis < refusal.overMillis ? Refusal.withLevel(refusal, level, atMillis) : undefined

/**
 * Refusals in a row before an answer. If attempts do not wait, a process that got only a part has taken what others
 * were refused, so that counts too, and only time ends the row: if a grant ended it, one process could take all tokens.
 */
const refusalsBefore = ({ inRowUntilMillis, refusals }: Pauses, { atMillis, granted, waits }: Answer): number => {
  if (!waits) return atMillis < inRowUntilMillis ? refusals : 0
  return granted > 0 ? Refusal.afterGrant(refusals) : refusals
}

/** The state after tokens were returned to the store. */
export const returned = (self: Pauses, tokens: number): Pauses =>
  self.refusal === undefined
    ? self
    : { ...self, refusal: Refusal.withLevel(self.refusal, self.refusal.level + tokens, self.refusal.atMillis) }

/** The state after the store failed: an earlier refusal no longer keeps an attempt from asking. */
export const failed = (self: Pauses): Pauses => ({ ...self, refusal: undefined })

/** When the store may be asked for `need` tokens, in milliseconds from now; zero or less if at once. */
export const millisFor = ({ refusal }: Pauses, limits: Limits, need: number, nowMillis: number): number =>
  refusal === undefined ? 0 : Refusal.millisFor(refusal, limits, need, nowMillis)
