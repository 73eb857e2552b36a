/**
 * Finds the random numbers with which a policy gives the recorded delays.
 */
import * as Decision from "@effect-retry/core/unstable/Decision"
import type { Prepared } from "@effect-retry/core/unstable/PolicyCheck"
import * as Progress from "@effect-retry/core/unstable/Progress"
import type { Operation } from "./Recorded.ts"

/**
 * One for each delay, as far as the policy retries; if no draw gives the delay, the nearest one. If the operation ended
 * because a longer delay would have passed the deadline, the middle of the draws that end it.
 */
export const match = (prepared: Prepared, { attempts, delaysMillis }: Operation): ReadonlyArray<number> => {
  const draws: Array<number> = []
  const progress = Progress.make(prepared)
  let elapsedMillis = 0
  for (const [i, { gapMillis, ranMillis, verdict }] of attempts.entries()) {
    const delayMillis = delaysMillis[i]
    elapsedMillis += gapMillis + ranMillis
    if (verdict === undefined) break
    progress.attempts = i + 1
    Progress.fail(prepared, progress, verdict)
    const decide = (u: number) => {
      const now = { elapsedMillis, ranMillis, outer: undefined, u, stepped: undefined }
      return Decision.decide(prepared, progress, now, verdict)
    }
    const delayOf = (u: number) => {
      const decided = decide(u)
      return decided._tag === "Retry" ? decided.delayMillis : Infinity
    }
    if (delayMillis === undefined) {
      const isLast = delayOf(0) < Infinity && delayOf(mostDraw) === Infinity
      return isLast ? [...draws, (drawFor(Number.MAX_VALUE, delayOf) + mostDraw) / 2] : draws
    }
    const u = drawFor(delayMillis, delayOf)
    draws.push(u)
    const decided = decide(u)
    if (decided._tag !== "Retry") break
    Progress.backOffFrom(progress, decided.tree, decided.startsOver)
  }
  return draws
}

const mostDraw = 1 - Number.EPSILON

/** The draw for a delay. Delays grow with the draw; if they do not depend on it, any draw will do. */
const drawFor = (delayMillis: number, delayOf: (u: number) => number): number => {
  let [low, high] = [0, mostDraw]
  for (let i = 0; i < 40; i += 1) {
    const middle = (low + high) / 2
    if (delayOf(middle) < delayMillis) low = middle
    else high = middle
  }
  // A delay is recorded to a thousandth of a millisecond.
  return Math.abs(delayOf(low) - delayMillis) <= Math.abs(delayOf(high) - delayMillis) ? low : high
}
