/**
 * Metrics of retried operations, which `Observe.metrics` and `Observe.metricsByKey` keep.
 *
 * Every metric carries the tag `operation`, the name of the policy, and those that `Effect.tagMetrics` sets around the
 * operation. Each combination of tags is a series that Effect's registry keeps for ever, so no tag is made of errors, and
 * only `Observe.metricsByKey`, which bounds their number, makes one of keys.
 */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/** Attempts that ended, by `outcome`: succeeded, failed. */
export const attempts: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry_attempts_total", {
  description: "Attempts that ended",
  incremental: true
})

/** Retries that were scheduled, by `kind` of the failure. */
export const retries: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry_retries_total", {
  description: "Retries that were scheduled",
  incremental: true
})

/** Operations that gave up, by `reason`. */
export const stops: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry_stops_total", {
  description: "Operations that gave up",
  incremental: true
})

/** Operations that ran inside an attempt of another one, by `outer`, the name of that one. */
export const nested: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry_nested_total", {
  description: "Operations inside an attempt of another one",
  incremental: true
})

/** Further attempts of hedged operations, by `because`: Delay, Failure; those that the bucket refused are Refused. */
export const hedges: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("retry_hedges_total", {
  description: "Further attempts of hedged operations",
  incremental: true
})

/** Delays before retries, in milliseconds, by `source`: Curve, Cap, Hint, Deadline. */
export const delays: Metric.Metric.Histogram<number> = /*#__PURE__*/ Metric.histogram(
  "retry_delay_milliseconds",
  /*#__PURE__*/ MetricBoundaries.exponential({ start: 1, factor: 2, count: 18 }),
  "Delays before retries"
)

/**
 * Tokens in the bucket at the latest event of an operation.
 *
 * Under `TokenBucket.keyed` that is the level for the operation's key, so operations of one name and several keys
 * overwrite each other's; `Observe.metricsByKey` makes a series of each.
 */
export const bucketLevel: Metric.Metric.Gauge<number> = /*#__PURE__*/ Metric.gauge("retry_bucket_level", {
  description: "Tokens in the bucket"
})
