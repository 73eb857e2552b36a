/**
 * Metrics, logs and spans, as far as Effect 3 and Effect 4 have them in another shape. This is the file of Effect 4.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import type * as Tracer from "effect/Tracer"
import { type AnyFiber, currentFiber } from "../fund/fiber/Line.ts"

/** Labels of metrics. */
export type Labels = Readonly<Record<string, string>>

export const noLabels: Labels = {}

/** The labels that are set around the code of a fiber. */
export const labelsOf = (fiber: AnyFiber): Labels => fiber.getRef(Metric.CurrentMetricAttributes) as Labels

export const withLabel = (labels: Labels, key: string, value: string): Labels => ({ ...labels, [key]: value })

/** A set of labels, and the series that was updated with it last. */
export interface Series {
  readonly labels: Labels
  own: { readonly metric: AnyMetric; readonly labelled: AnyMetric } | undefined
}

type AnyMetric = Metric.Metric<any, any>

/** Its own labels come first, and count where the fiber has the same. */
export const series = (own: Labels, ofFiber: Labels): Series => ({
  labels: { ...own, ...ofFiber, ...own },
  own: undefined
})

/** Updates one series of a metric in the registry of the fiber, in this step. To be called while an effect runs. */
export const update = <In>(metric: Metric.Metric<In, any>, value: In, series: Series): void => {
  if (series.own?.metric !== metric) series.own = { metric, labelled: labelled(metric, series.labels) }
  series.own.labelled.updateUnsafe(value, withoutLabels(currentFiber()))
}

/** The context of a fiber for a metric that has all its labels. */
const withoutLabels = ({ context }: AnyFiber): Context.Context<never> =>
  Context.getOrUndefined(context, Metric.CurrentMetricAttributes) === undefined
    ? context
    : Context.add(context, Metric.CurrentMetricAttributes, noLabels)

/**
 * A metric of one series alone, which makes its key once: Effect makes it anew where a metric is updated with other labels.
 * All counters of these packages are incremental.
 */
const labelled = (metric: AnyMetric, attributes: Labels): AnyMetric => {
  const { description, id, type } = metric
  switch (type) {
    case "Counter":
      return Metric.counter(id, { description, attributes, incremental: true })
    case "Gauge":
      return Metric.gauge(id, { description, attributes })
    default:
      return Metric.withAttributes(metric, attributes)
  }
}

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
