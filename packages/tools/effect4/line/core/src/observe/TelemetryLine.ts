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
  own: Keyed | undefined
}

/** One series of a metric, and its key in a registry. */
interface Keyed {
  readonly metric: AnyMetric
  readonly labelled: AnyMetric
  readonly key: string
}

type AnyMetric = Metric.Metric<any, any>

/** Its own labels come first, and count where the fiber has the same. */
export const series = (own: Labels, ofFiber: Labels): Series => ({
  labels: { ...own, ...ofFiber, ...own },
  own: undefined
})

/** Where metrics are counted. */
export type Registry = Metric.MetricRegistry

/** That of a fiber. */
export const registryOf = (fiber: AnyFiber): Registry => fiber.getRef(Metric.MetricRegistry)

/**
 * Updates one series of a metric, in this step: by the key of the series, for which Effect would look in the context of the
 * fiber at every update. Without a registry, in that of the fiber that runs.
 */
export const update = <In>(
  metric: Metric.Metric<In, any>,
  value: In,
  series: Series,
  registry: Registry = registryOf(currentFiber())
): void => {
  if (series.own?.metric !== metric) series.own = keyed(metric, series.labels)
  const { key, labelled } = series.own
  const known = registry.get(key)
  if (known === undefined) labelled.updateUnsafe(value, only(registry))
  else known.hooks.update(value, Context.empty())
}

/** The context of a metric that has all its labels. */
const only = (registry: Registry): Context.Context<never> => Context.make(Metric.MetricRegistry, registry)

/** Effect tells the key of a series to registries alone. */
const keyed = (metric: AnyMetric, labels: Labels): Keyed => {
  const labelled = withLabels(metric, labels)
  const registry: Registry = new Map()
  labelled.valueUnsafe(only(registry))
  const [key = ""] = registry.keys()
  return { metric, labelled, key }
}

/**
 * A metric of one series alone, which makes its key once: with that very string the registry finds the series at once.
 * All counters of these packages are incremental.
 */
const withLabels = (metric: AnyMetric, attributes: Labels): AnyMetric => {
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
