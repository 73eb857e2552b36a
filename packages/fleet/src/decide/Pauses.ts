/**
 * How a process pauses after the store was short of tokens: by the latest refusal, and longer after refusals in a row. Pure.
 */
import type { Limits, Taken } from "./Gcra.ts"
import * as Refusal from "./Refusal.ts"

export interface Pauses {
  readonly refusal: Refusal.Refusal | undefined
  /** Refusals in a row; a grant makes it one less where attempts wait. */
  readonly refusals: number
  /** Until when a refusal is one of the row: as long after the pause as the pause was. */
  readonly inRowUntilMillis: number
}

export const none: Pauses = { refusal: undefined, refusals: 0, inRowUntilMillis: 0 }

/** A question to the store, in tokens. */
export interface Question {
  readonly want: number
  readonly least: number
  /** For how many the process pauses if the store is short of them. */
  readonly pause: number
}

/** What the store answered to a question. */
export interface Answer extends Question, Taken {
  /** Whether attempts of the bucket wait for tokens. */
  readonly waits: boolean
  readonly atMillis: number
  /** A number of `U[0, 1)`. */
  readonly draw: number
}

/** Twice the time, twice twenty times, is longer than any pause. */
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

/** A refusal that is not over still holds, with what the store has left. */
const remaining = ({ refusal }: Pauses, level: number, atMillis: number): Pauses["refusal"] =>
  refusal !== undefined && atMillis < refusal.overMillis ? Refusal.withLevel(refusal, level, atMillis) : undefined

/**
 * Refusals in a row before an answer. Where attempts do not wait, a process that got some of what it wanted has taken what
 * others were refused, so that counts as well, and only time ends the row: a grant would let one process take all tokens.
 */
const refusalsBefore = ({ inRowUntilMillis, refusals }: Pauses, { atMillis, granted, waits }: Answer): number => {
  if (!waits) return atMillis < inRowUntilMillis ? refusals : 0
  return granted > 0 ? Refusal.afterGrant(refusals) : refusals
}

/** After tokens came into the store. */
export const returned = (self: Pauses, tokens: number): Pauses =>
  self.refusal === undefined
    ? self
    : { ...self, refusal: Refusal.withLevel(self.refusal, self.refusal.level + tokens, self.refusal.atMillis) }

/** After the store failed: what it refused before does not keep an attempt from asking. */
export const failed = (self: Pauses): Pauses => ({ ...self, refusal: undefined })

/** When the store may be asked for `need` tokens, in milliseconds from now; zero or less where it may be asked at once. */
export const millisFor = ({ refusal }: Pauses, limits: Limits, need: number, nowMillis: number): number =>
  refusal === undefined ? 0 : Refusal.millisFor(refusal, limits, need, nowMillis)
