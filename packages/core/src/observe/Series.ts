/**
 * The labels of metrics, one array for each set of them.
 *
 * Effect's registry finds a metric at once by an array of labels that it has seen, and takes microseconds for another
 * array of the same labels.
 */
import type { Labels } from "./TelemetryLine.ts"
import * as Telemetry from "./TelemetryLine.ts"

/** A set of labels. */
export interface Series {
  /** Its own, in the order in which they were added, then those that `Effect.tagMetrics` has set. */
  readonly labels: Telemetry.Series
  /** The set with one label more: the same value for the same label. */
  readonly and: (key: string, value: string) => Series
}

/**
 * The sets of labels of fibers. Those of a fiber are known by its array, for as long as that is in use.
 *
 * When `most` sets are remembered, all are forgotten.
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
      and: (key, value) => next.get(key)?.get(value) ?? add(key, value)
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
