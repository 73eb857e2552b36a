/**
 * Metrics of retried operations, updated by `Observe.metrics` and `Observe.metricsByKey`.
 *
 * Names, labels and units follow OpenTelemetry: dots between words, no unit and no `_total` in a name. A metric always has
 * the same labels. Each has `retry.operation`, the name of the policy, and the labels that `Effect.tagMetrics` sets
 * around the operation. `@effect/opentelemetry` reads the label `unit` as the unit of a metric.
 *
 * Each combination of labels is a series that Effect's registry keeps for ever, so no label comes from errors, and only
 * `Observe.metricsByKey`, which bounds their number, makes a label from keys.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/general/naming/, read 2026-11-24.
 */
import * as Metric from "effect/Metric"
import { histogram } from "./TelemetryLine.ts"

/**
 * Attempts that ended, by `retry.outcome` (succeeded, failed) and `retry.kind`, which is `none` for a success.
 *
 * @category constructors
 */
export const attempts: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.attempts", {
  description: "Attempts that ended",
  incremental: true
})

/**
 * Retries that were scheduled, by `retry.kind` of the failure.
 *
 * @category constructors
 */
export const retries: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.retries", {
  description: "Retries that were scheduled",
  incremental: true
})

/**
 * Operations that gave up, by `retry.stop_reason` and `retry.kind` of the last failure.
 *
 * @category constructors
 */
export const stops: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.stops", {
  description: "Operations that gave up",
  incremental: true
})

/**
 * Operations that ran inside an attempt of another one, by `retry.outer`, the name of that one.
 *
 * @category constructors
 */
export const nested: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.nested", {
  description: "Operations inside an attempt of another one",
  incremental: true
})

/**
 * Further attempts of hedged operations, by `retry.hedge_because`: Delay, Failure, or Refused if the bucket refused.
 *
 * @category constructors
 */
export const hedges: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.hedges", {
  description: "Further attempts of hedged operations",
  incremental: true
})

/**
 * Delays before retries, in seconds, by `retry.kind` and `retry.delay_source`: Curve, Cap, Hint, Deadline.
 *
 * @category constructors
 */
export const delays: Metric.Metric.Histogram<number> = /*#__PURE__*/ histogram("retry.delay", {
  description: "Delays before retries",
  start: 0.001,
  factor: 2,
  count: 18
})

/**
 * Tokens in the bucket at the latest event of an operation.
 *
 * Under `TokenBucket.keyed` this is the level for the operation's key, so operations with one name and several keys
 * overwrite each other's level; `Observe.metricsByKey` makes a series for each.
 *
 * @category constructors
 */
export const bucketLevel: Metric.Metric.Gauge<number> = /*#__PURE__*/ Metric.gauge("retry.bucket.level", {
  description: "Tokens in the bucket"
})

/**
 * Changes of circuits, by `retry.circuit`, the name of the circuit, and `retry.circuit_state`, the state after them.
 *
 * @category constructors
 */
export const circuitChanges: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry.circuit.changes", {
  description: "Changes of circuits",
  incremental: true
})

/**
 * The state of a circuit, by `retry.circuit`: 0 closed, 1 half open, 2 open, 3 isolated.
 *
 * @category constructors
 */
export const circuitState: Metric.Metric.Gauge<number> = /*#__PURE__*/ Metric.gauge("retry.circuit.state", {
  description: "The state of a circuit"
})
