/**
 * Golden tables of delays, each row run in three ways that must agree.
 */
import type { Backoff } from "@effect-retry/core"
import { SeededRandom } from "@effect-retry/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { delayAt, failing, nativeTrace, operationTrace, retryTrace } from "./Traces.ts"

/** A row: what is waited, in milliseconds; `us` are all the numbers that may be drawn. */
export interface Row {
  readonly name: string
  readonly backoff: Backoff.Backoff
  readonly us?: ReadonlyArray<number>
  readonly delays: ReadonlyArray<number | "ended">
}

/** Seconds. */
export const s = (...seconds: ReadonlyArray<number>) => seconds.map((second) => second * 1_000)

export const same = (value: number, times: number) => Array.from({ length: times }, () => value)

/** The greatest draw. */
export const last = 1 - Number.EPSILON / 2

/** How often each delay comes before retry `n`, over draws from the middles of equal cells. */
export const shares = (backoff: Backoff.Backoff, n: number, cells: number): ReadonlyMap<number | undefined, number> => {
  const counts = new Map<number | undefined, number>()
  for (let cell = 0; cell < cells; cell++) {
    const delay = delayAt(backoff, n, (cell + 0.5) / cells)
    counts.set(delay, (counts.get(delay) ?? 0) + 1)
  }
  return counts
}

/** Runs every row by its tree, in our loop and as a native schedule; a draw more than the row holds dies. */
export const golden = (rows: ReadonlyArray<Row>) =>
  rows.forEach(({ backoff, delays, name, us = [] }) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const failures = failing(delays.length)
        const chance = SeededRandom.layerFixed(us)
        expect(
          operationTrace(
            backoff,
            delays.map((_, i) => ({ u: us[i] ?? 0 }))
          )
        ).toEqual(delays)
        const native = yield* Effect.provide(nativeTrace(backoff, failures), chance)
        expect(native.waits).toEqual(delays)
        expect(native.outputs).toEqual(delays.map((delay) => (delay === "ended" ? 0 : delay)))
        expect(yield* Effect.provide(retryTrace(backoff, failures), chance)).toEqual(delays)
      })
    )
  )
