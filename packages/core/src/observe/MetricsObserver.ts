/**
 * The observers that keep the metrics.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"
import { kindOf } from "../classify/Verdict.ts"
import * as Readable from "../loop/Readable.ts"
import type { Details, Observer, RetryEvent } from "../loop/RetryEvent.ts"
import * as Metrics from "./Metrics.ts"

/**
 * Updates all metrics of the module `Metrics`, with the policy's name as the tag `operation`.
 *
 * Of operations with several keys the gauge of the bucket's level shows the latest: `metricsByKey` keeps them apart.
 *
 * @category constructors
 */
export const metrics: Observer = (event) => counted(event, noLabels, noLabels)

/**
 * As `metrics`, kept apart by the tag `key`, the `TokenBucket.Key` of the operation, such as a host or a tenant, and by
 * the tags of a protocol, such as the method and the class of the status. The gauge has the tag `key` alone.
 *
 * Effect's registry keeps every combination of tags for as long as the program runs. The first `maxKeys` different keys
 * have series of their own; those beyond share the key `other`. Keys become visible: none may be a secret.
 *
 * @category constructors
 */
export const metricsByKey = (options: { readonly maxKeys: number }): Effect.Effect<Observer> => {
  const maxKeys = Argument.number("Observe.metricsByKey", "maxKeys", options.maxKeys, { min: 1, integer: true })
  return Effect.sync(() => {
    const known = new Set<string>()
    const bounded = (key: string): string => {
      if (key === "" || known.has(key)) return key
      if (known.size >= maxKeys) return "other"
      known.add(key)
      return key
    }
    return (event) => {
      const { key, tags } = event.details()
      const byKey = [MetricLabel.make("key", bounded(key))]
      return counted(event, byKey, [...byKey, ...labelsOf(tags)])
    }
  })
}

type Labels = ReadonlyArray<MetricLabel.MetricLabel>

const noLabels: Labels = []

const labelsOf = (tags: Details["tags"]): Labels =>
  Object.entries(tags).map(([name, value]) => MetricLabel.make(name, value))

/** Updates the metrics of an event, and the gauge with labels of its own. */
const counted = (event: RetryEvent, gaugeLabels: Labels, labels: Labels): Effect.Effect<void> =>
  Effect.zipRight(
    count(event, labels),
    Effect.flatMap(event.level, (level) =>
      Option.isNone(level)
        ? Effect.void
        : Metric.set(named(Metrics.bucketLevel, event, gaugeLabels), Readable.rounded(level.value))
    )
  )

const count = (event: RetryEvent, labels: Labels): Effect.Effect<void> => {
  const of = <T, I, O>(metric: Metric.Metric<T, I, O>, name: string, value: string) =>
    named(metric, event, [...labels, MetricLabel.make(name, value)])
  switch (event._tag) {
    case "AttemptFailed":
      return Metric.increment(of(Metrics.attempts, "outcome", "failed"))
    case "Succeeded":
      return Metric.increment(of(Metrics.attempts, "outcome", "succeeded"))
    case "RetryScheduled": {
      const kind = Option.getOrElse(kindOf(event.verdict), () => "none")
      return Effect.zipRight(
        Metric.increment(of(Metrics.retries, "kind", kind)),
        Metric.update(of(Metrics.delays, "source", event.source), Duration.toMillis(event.delay))
      )
    }
    case "GaveUp":
      return Metric.increment(of(Metrics.stops, "reason", event.reason._tag))
    case "NestingNoticed":
      return Metric.increment(of(Metrics.nested, "outer", event.outer.name))
  }
}

const named = <T, I, O>(metric: Metric.Metric<T, I, O>, { name }: RetryEvent, labels: Labels): Metric.Metric<T, I, O> =>
  Metric.taggedWithLabels(metric, [MetricLabel.make("operation", name), ...labels])
