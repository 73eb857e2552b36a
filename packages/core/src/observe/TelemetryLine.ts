/**
 * Metrics, logs and spans, as far as their shape differs between Effect 3 and Effect 4. This is the file for Effect 3.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricLabel from "effect/MetricLabel"
import type * as Tracer from "effect/Tracer"
import type { AnyFiber } from "../fund/fiber/Line.ts"

/** Labels of metrics. */
export type Labels = ReadonlyArray<MetricLabel.MetricLabel>

export const noLabels: Labels = []

/** The labels set around a fiber's code. */
export const labelsOf = (fiber: AnyFiber): Labels => fiber.getFiberRef(FiberRef.currentMetricLabels)

export const withLabel = (labels: Labels, key: string, value: string): Labels => [
  ...labels,
  MetricLabel.make(key, value)
]

/** All labels of one series of a metric. */
export type Series = Labels

export const series = (own: Labels, ofFiber: Labels): Series => Arr.union(own, ofFiber)

/** Where metrics are counted: Effect 3 has one place for all fibers. */
export type Registry = undefined

export const registryOf = (_fiber: AnyFiber): Registry => undefined

/** Updates one series of a metric, within this step. */
export const update = <In>(
  metric: Metric.Metric<any, In, any>,
  value: In,
  series: Series,
  _registry?: Registry
): void => metric.unsafeUpdate(value, series)

/** Updates a metric with labels in addition to those set around the effect. */
export const updateWith = <In>(
  metric: Metric.Metric<any, In, any>,
  value: In,
  labels: Readonly<Record<string, string>>
): Effect.Effect<void> =>
  Metric.update(
    Metric.taggedWithLabels(
      metric,
      Object.entries(labels).map(([key, value]) => MetricLabel.make(key, value))
    ),
    value
  )

/** A histogram whose buckets grow by a factor. */
export const histogram = (
  name: string,
  {
    description,
    ...buckets
  }: {
    readonly description: string
    readonly start: number
    readonly factor: number
    readonly count: number
  }
): Metric.Metric.Histogram<number> => Metric.histogram(name, MetricBoundaries.exponential(buckets), description)

/** The innermost span around a fiber's code. */
export const spanOf = (fiber: AnyFiber): Tracer.AnySpan | undefined => fiber.currentSpan

/** Whether a line of this level is below the minimum log level. */
export const isBelowMinimum = (level: LogLevel.LogLevel, fiber: AnyFiber): boolean =>
  LogLevel.lessThan(level, fiber.getFiberRef(FiberRef.currentMinimumLogLevel))

export const log = (level: LogLevel.LogLevel, text: string): Effect.Effect<void> => Effect.logWithLevel(level, text)

/** Runs an effect without the logger that turns log lines into events of the current span. */
export const outsideOfSpans: (self: Effect.Effect<void>) => Effect.Effect<void> = /*#__PURE__*/ Effect.locallyWith(
  FiberRef.currentLoggers,
  /*#__PURE__*/ HashSet.remove(Logger.tracerLogger)
)
