/**
 * The times in which this process stood still, since the machine was busy with others: what a bound of time does not count.
 */
import { performance } from "node:perf_hooks"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** What is known of the stalls of a process. */
export interface Stalls {
  /** The milliseconds from one time to another one, without those in which the process stood still. */
  readonly without: (from: number, to: number) => number
}

const tickMillis = 10

/** Watches a timer that is due all the time, and counts what it comes late. */
export const watch: Effect.Effect<Stalls, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const stalls: Array<{ readonly from: number; readonly to: number }> = []
      let latest = performance.now()
      const tick = () => {
        const now = performance.now()
        if (now - latest > 2 * tickMillis) stalls.push({ from: latest + tickMillis, to: now })
        latest = now
      }
      return { stalls, tick, timer: setInterval(tick, tickMillis) }
    }),
    ({ timer }) => Effect.sync(() => clearInterval(timer))
  ),
  ({ stalls, tick }) => ({
    without: (from, to) => {
      tick()
      const overlap = (stall: { readonly from: number; readonly to: number }) =>
        Math.max(0, Math.min(to, stall.to) - Math.max(from, stall.from))
      return stalls.reduce((millis, stall) => millis - overlap(stall), to - from)
    }
  })
)
