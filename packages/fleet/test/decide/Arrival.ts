/**
 * What a store does with the arrival time of a bucket: the specification of its scripts and statements, which do the same in
 * other languages.
 */
import type * as Gcra from "../../src/decide/Gcra.ts"

export interface Answer extends Gcra.Answer {
  /** What the store keeps afterwards. */
  readonly arrival: number
}

/**
 * Takes what is wanted, or as much as there is but at least the minimum, or nothing; a refusal keeps the arrival time.
 *
 * An arrival time too late for this bucket (because the store's clock went back, or the value is not its own) counts as
 * that of an empty bucket. If it is more than two windows away, it counts as the latest one at which the minimum is
 * there: this single grant, which exceeds what was due, writes an arrival time by the new clock. So a clock that went
 * back by a day causes refusals for at most two windows, not for a day.
 */
export const taken = (arrival: number, now: number, { least, want, window }: Gcra.Question): Answer => {
  const isStray = arrival - now > 2 * window && least <= window
  const from = isStray ? now + window - least : Math.min(Math.max(arrival, now), now + window)
  const room = now + window - from
  const granted = Math.min(want, room) < least ? 0 : Math.min(want, room)
  return {
    granted,
    retryAfter: granted < least ? least - room : 0,
    room: room - granted,
    arrival: granted === 0 ? arrival : from + granted
  }
}

/** Moves the arrival time back, at most to now: a bucket is never above its burst. */
export const put = (arrival: number, now: number, window: number, credit: number): number =>
  Math.max(now, Math.min(arrival, now + window) - credit)

/** What can be taken now. */
export const room = (arrival: number, now: number, window: number): number =>
  now + window - Math.min(Math.max(arrival, now), now + window)
