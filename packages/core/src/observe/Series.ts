/**
 * Sets of metric labels, with one array per set.
 *
 * Effect's registry finds a metric at once by an array of labels that it has seen, but takes microseconds for another
 * array with the same labels.
 */
import type { Labels } from "./TelemetryLine.ts"
import * as Telemetry from "./TelemetryLine.ts"

/** A set of labels. */
export interface Series {
  /** Its own labels in the order of adding, then those set by `Effect.tagMetrics`. */
  readonly labels: Telemetry.Series
  /** The set with one more label: the same object for the same label. */
  readonly and: (key: string, value: string) => Series
  /** Those that are looked up most, once they have been found. */
  tokens: Series | undefined
  succeeded: Series | undefined
}

/**
 * Makes a cache of label sets, looked up by a fiber's array for as long as that is in use.
 *
 * When it holds `most` sets, it is emptied.
 */
export const make = (most: number): ((ofFiber: Labels) => Series) => {
  let known = new WeakMap<Labels, Series>()
  let made = 0
  const series = (own: Labels, ofFiber: Labels): Series => {
    made += 1
    const next = new Map<string, Map<string, Series>>()
    const add = (key: string, value: string): Series => {
      const added = series(Telemetry.withLabel(own, key, value), ofFiber)
      const values = next.get(key) ?? new Map<string, Series>()
      next.set(key, values.set(value, added))
      return added
    }
    return {
      labels: Telemetry.series(own, ofFiber),
      and: (key, value) => next.get(key)?.get(value) ?? add(key, value),
      tokens: undefined,
      succeeded: undefined
    }
  }
  return (ofFiber) => {
    if (made >= most) {
      known = new WeakMap()
      made = 0
    }
    const found = known.get(ofFiber)
    if (found !== undefined) return found
    const empty = series(Telemetry.noLabels, ofFiber)
    known.set(ofFiber, empty)
    return empty
  }
}
