/**
 * Metrics, logs and spans, as far as Effect 3 and Effect 4 have them in another shape. This is the file of Effect 4.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import type * as Tracer from "effect/Tracer"
import type { AnyFiber } from "../fund/fiber/Line.ts"

/** Labels of metrics. */
export type Labels = Readonly<Record<string, string>>

export const noLabels: Labels = {}

/** The labels that are set around the code of a fiber. */
export const labelsOf = (fiber: AnyFiber): Labels => fiber.getRef(Metric.CurrentMetricAttributes) as Labels

export const withLabel = (labels: Labels, key: string, value: string): Labels => ({ ...labels, [key]: value })

/** All labels of one series of a metric: the context in which the metric is updated. */
export type Series = Context.Context<never>

/** Its own labels come first, and count where the fiber has the same. */
export const series = (own: Labels, ofFiber: Labels): Series =>
  Context.make(Metric.CurrentMetricAttributes, { ...own, ...ofFiber, ...own }) as Series

/** Updates one series of a metric, in this step. */
export const update = <In>(metric: Metric.Metric<In, any>, value: In, series: Series): void =>
  metric.updateUnsafe(value, series)

/** Updates a metric, with labels beside those that are set around. */
export const updateWith = <In>(metric: Metric.Metric<In, any>, value: In, labels: Labels): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(metric, labels), value)

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
): Metric.Histogram<number> =>
  Metric.histogram(name, { description, boundaries: Metric.exponentialBoundaries(buckets) })

/** The innermost span around the code of a fiber. */
export const spanOf = (fiber: AnyFiber): Tracer.AnySpan | undefined => fiber.cache.span

/** Whether a line of a level is shown to no logger. */
export const isBelowMinimum = (level: LogLevel.LogLevel, fiber: AnyFiber): boolean =>
  LogLevel.isLessThan(level, fiber.cache.minimumLogLevel)

export const log = (level: LogLevel.LogLevel, text: string): Effect.Effect<void> =>
  Effect.logWithLevel(level as LogLevel.Severity)(text)

/** Without the logger that turns log lines into events of the current span. */
export const outsideOfSpans: (self: Effect.Effect<void>) => Effect.Effect<void> = /*#__PURE__*/ Effect.updateService(
  Logger.CurrentLoggers,
  (loggers) => new Set([...loggers].filter((logger) => logger !== Logger.tracerLogger))
)
