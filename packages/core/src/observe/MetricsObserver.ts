/**
 * The observers that update the metrics.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"
import type { Kind } from "../classify/Verdict.ts"
import { kindOf } from "../classify/Verdict.ts"
import * as AtOnce from "../fund/fiber/AtOnce.ts"
import * as Readable from "../loop/run/Readable.ts"
import type { Observer, RetryEvent } from "../loop/policy/RetryEvent.ts"
import * as Metrics from "./Metrics.ts"
import * as Series from "./Series.ts"
import * as Telemetry from "./TelemetryLine.ts"

/** The series of an event: for the gauge, and for all other metrics. */
interface Apart {
  readonly gauge: Series.Series
  readonly others: Series.Series
}

/** Where an event is counted. */
interface Place extends Apart {
  readonly registry: Telemetry.Registry
}

/** Bounds the memory of a program that keeps making new names: a set of labels takes less than a kilobyte. */
const mostRemembered = 10_000

/**
 * Updates all metrics. If reading the bucket's level takes time, `apart` is called inside the effects, because
 * `AtOnce.suspend` must change nothing before.
 */
const keeping = (apart: (series: Series.Series, event: RetryEvent) => Apart): Observer => {
  const seriesOf = Series.make(mostRemembered)
  const find = (event: RetryEvent): Place => {
    const fiber = AtOnce.currentFiber()
    const named = seriesOf(Telemetry.labelsOf(fiber)).and("retry.operation", event.name)
    const { gauge, others } = apart(named, event)
    return { gauge, others, registry: Telemetry.registryOf(fiber) }
  }
  return (event) =>
    AtOnce.suspend(() => {
      const level = AtOnce.run(event.level)
      if (AtOnce.hasEnded(level)) {
        const place = find(event)
        count(event, place)
        if (Exit.isSuccess(level)) setLevel(level.value, place)
        return Exit.asVoid(level)
      }
      return Effect.zipRight(
        Effect.sync(() => count(event, find(event))),
        Effect.map(level, (tokens) => setLevel(tokens, find(event)))
      )
    })
}

/**
 * Updates all metrics of the module `Metrics`, with the policy's name as the label `retry.operation`.
 *
 * One cache for the process, like Effect's registry of metrics.
 *
 * For operations with several keys, the gauge of the bucket's level shows the latest; `metricsByKey` separates them.
 *
 * @category constructors
 */
export const metrics: Observer = /*#__PURE__*/ keeping((series) => ({ gauge: series, others: series }))

/**
 * Like `metrics`, with the label `retry.key`, the `TokenBucket.Key` of the operation, such as a host or a tenant, and
 * the tags of a protocol, such as the method and the class of the status. The gauge has only the label `retry.key`.
 *
 * Effect's registry keeps every combination of tags for as long as the program runs. The first `maxKeys` different keys
 * get their own series; further keys share the key `other`. Keys become visible, so they must not be secret.
 *
 * @category constructors
 */
export const metricsByKey = (options: { readonly maxKeys: number }): Effect.Effect<Observer> => {
  const owner = "Observe.metricsByKey"
  const given = Argument.options(owner, "{ maxKeys: 100 }", options, { maxKeys: true })
  const maxKeys = Argument.number(owner, "maxKeys", given.maxKeys, { min: 1, integer: true })
  return Effect.sync(() => {
    const known = new Set<string>()
    const bounded = (key: string): string => {
      if (key === "" || known.has(key)) return key
      if (known.size >= maxKeys) return "other"
      known.add(key)
      return key
    }
    return keeping((series, event) => {
      const { key, tags } = event.details()
      const byKey = series.and("retry.key", bounded(key))
      const others = Object.entries(tags).reduce((series, [name, value]) => series.and(name, value), byKey)
      return { gauge: byKey, others }
    })
  })
}

const setLevel = (level: Option.Option<number>, { gauge, registry }: Place): void => {
  if (Option.isSome(level)) {
    gauge.tokens ??= gauge.and("unit", "{token}")
    Telemetry.update(Metrics.bucketLevel, Readable.rounded(level.value), gauge.tokens.labels, registry)
  }
}

const count = (event: RetryEvent, { others: series, registry }: Place): void => {
  switch (event._tag) {
    case "AttemptFailed":
      return counted(registry, Metrics.attempts, withKind(series.and("retry.outcome", "failed"), kindOf(event.verdict)))
    case "Succeeded":
      series.succeeded ??= withKind(series.and("retry.outcome", "succeeded"), Option.none())
      return counted(registry, Metrics.attempts, series.succeeded)
    case "RetryScheduled": {
      const ofKind = withKind(series, kindOf(event.verdict))
      counted(registry, Metrics.retries, ofKind)
      const { labels } = ofKind.and("retry.delay_source", event.source).and("unit", "s")
      return Telemetry.update(Metrics.delays, Duration.toSeconds(event.delay), labels, registry)
    }
    case "GaveUp":
      return counted(registry, Metrics.stops, withKind(series.and("retry.stop_reason", event.reason._tag), event.kind))
    case "NestingNoticed":
      return counted(registry, Metrics.nested, series.and("retry.outer", event.outer.name))
    case "HedgeStarted":
      return counted(registry, Metrics.hedges, series.and("retry.hedge_because", event.because))
    case "HedgeRefused":
      return counted(registry, Metrics.hedges, series.and("retry.hedge_because", "Refused"))
  }
}

const counted = (
  registry: Telemetry.Registry,
  metric: Metric.Metric.Counter<number>,
  { labels }: Series.Series
): void => Telemetry.update(metric, 1, labels, registry)

const withKind = (series: Series.Series, kind: Option.Option<Kind>): Series.Series =>
  series.and("retry.kind", Option.isSome(kind) ? kind.value : "none")
