/**
 * Metrics of shared buckets, and the observers that update them.
 *
 * Every metric carries the label `retry.fleet.bucket`, the name of the bucket, and no label of the program, because it
 * is chance which operation makes a process ask the store. Each combination of labels is a series that Effect's
 * registry keeps for ever, so keys become labels only with `metricsByKey`, which bounds their number.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import { Key } from "@effect-retry/core/TokenBucket"
import * as Readable from "@effect-retry/core/unstable/Readable"
import * as Effect from "effect/Effect"
import * as TelemetryLine from "@effect-retry/core/unstable/TelemetryLine"
import * as Metric from "effect/Metric"
import type { FleetEvent, FleetObserver } from "../fund/fleet/FleetEvent.ts"

/**
 * Calls that the store answered, by `retry.fleet.answer`: granted, refused, returned. Divided by `grants`: store calls per
 * grant.
 *
 * @category constructors
 */
export const storeCalls: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.fleet.store.calls", {
  description: "Calls that the store answered",
  incremental: true
})

/**
 * Tokens that the store granted to this process.
 *
 * @category constructors
 */
export const storeTokens: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.fleet.store.tokens", {
  description: "Tokens that the store granted",
  incremental: true
})

/**
 * Attempts that this process granted from the store's tokens.
 *
 * @category constructors
 */
export const grants: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.fleet.grants", {
  description: "Attempts granted by this process",
  incremental: true
})

/**
 * How often the store went away.
 *
 * @category constructors
 */
export const outages: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.fleet.outages", {
  description: "How often the store went away",
  incremental: true
})

/**
 * 1 while the store is away, so that `failOpen`, `failClosed` or the local share decides; otherwise 0.
 *
 * @category constructors
 */
export const storeAway: Metric.Metric.Gauge<number> = /*#__PURE__*/ Metric.gauge("retry.fleet.store.away", {
  description: "1 while the store is away"
})

/**
 * Tokens in the store by its latest answer.
 *
 * @category constructors
 */
export const storeLevel: Metric.Metric.Gauge<number> = /*#__PURE__*/ Metric.gauge("retry.fleet.store.level", {
  description: "Tokens in the store by its latest answer"
})

/**
 * Tokens that this process holds.
 *
 * @category constructors
 */
export const held: Metric.Metric.Gauge<number> = /*#__PURE__*/ Metric.gauge("retry.fleet.held", {
  description: "Tokens that this process holds"
})

/**
 * How many tokens this process asks for beyond what waiting attempts need.
 *
 * @category constructors
 */
export const leaseSize: Metric.Metric.Gauge<number> = /*#__PURE__*/ Metric.gauge("retry.fleet.lease.size", {
  description: "Tokens that this process asks for ahead"
})

type Labels = TelemetryLine.Labels

const { withLabel } = TelemetryLine

/**
 * Updates all metrics, by the name of the bucket. Gauges of a keyed bucket show the key of the latest event.
 *
 * @category constructors
 */
export const metrics: FleetObserver = (event) => Effect.sync(() => update(event, ofBucket(event)))

/**
 * Like `metrics`, with the label `retry.key`, the `TokenBucket.Key` of the bucket.
 *
 * The first `maxKeys` different keys get their own series; further keys share the key `other`. Keys become visible, so
 * they must not be secret.
 *
 * @category constructors
 */
export const metricsByKey = (options: { readonly maxKeys: number }): Effect.Effect<FleetObserver> => {
  const owner = "FleetMetrics.metricsByKey"
  const given = Argument.options(owner, "{ maxKeys: 100 }", options, { maxKeys: true })
  const maxKeys = Argument.number(owner, "maxKeys", given.maxKeys, { min: 1, integer: true })
  return Effect.sync(() => {
    const known = new Set<string>()
    const bounded = (key: string): string => {
      if (key === "" || known.has(key)) return key
      if (key === Key.overflow) return "other"
      if (known.size >= maxKeys) return "other"
      known.add(key)
      return key
    }
    return (event) => Effect.sync(() => update(event, withLabel(ofBucket(event), "retry.key", bounded(event.key))))
  })
}

const ofBucket = ({ name }: FleetEvent): Labels => withLabel(TelemetryLine.noLabels, "retry.fleet.bucket", name)

/**
 * Updates one series. `@effect/opentelemetry` reads the label `unit` as the unit of a metric; Prometheus takes a gauge
 * without a unit for a ratio.
 */
const set = (
  metric: Parameters<typeof TelemetryLine.update<number>>[0],
  value: number,
  labels: Labels,
  unit?: "{token}" | "{store}"
): void =>
  TelemetryLine.update(
    metric,
    value,
    TelemetryLine.series(unit === undefined ? labels : withLabel(labels, "unit", unit), TelemetryLine.noLabels)
  )

const update = (event: FleetEvent, labels: Labels): void => {
  set(grants, event.grants, labels)
  set(storeLevel, Readable.rounded(event.level), labels, "{token}")
  set(held, Readable.rounded(event.held), labels, "{token}")
  switch (event._tag) {
    case "Asked":
      set(storeTokens, event.granted, labels)
      set(leaseSize, event.leaseSize, labels, "{token}")
      return answered(event.granted > 0 ? "granted" : "refused", labels)
    case "Returned":
      return answered("returned", labels)
    case "StoreAway":
      set(outages, 1, labels)
      return set(storeAway, 1, labels, "{store}")
    case "StoreBack":
      return set(storeAway, 0, labels, "{store}")
  }
}

const answered = (answer: string, labels: Labels): void =>
  set(storeCalls, 1, withLabel(labels, "retry.fleet.answer", answer))
