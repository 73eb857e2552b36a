/**
 * The observers that keep the metrics.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"
import { kindOf } from "../classify/Verdict.ts"
import * as AtOnce from "../fund/fiber/AtOnce.ts"
import * as Readable from "../loop/run/Readable.ts"
import type { Observer, RetryEvent } from "../loop/policy/RetryEvent.ts"
import * as Metrics from "./Metrics.ts"
import * as Series from "./Series.ts"

/** How an event is kept apart from others: for the gauge, and for all other metrics. */
interface Apart {
  readonly gauge: Series.Series
  readonly others: Series.Series
}

/** Bounds the memory of a program that makes ever new names: a set of labels takes less than a kilobyte. */
const mostRemembered = 10_000

/**
 * Keeps all metrics. Where the bucket's level takes time, `apart` is asked inside the effects: `AtOnce.suspend` must change
 * nothing before.
 */
const keeping = (apart: (series: Series.Series, event: RetryEvent) => Apart): Observer => {
  const seriesOf = Series.make(mostRemembered)
  const find = (event: RetryEvent): Apart => {
    const ofFiber = AtOnce.currentFiber().getFiberRef(FiberRef.currentMetricLabels)
    return apart(seriesOf(ofFiber).and("operation", event.name), event)
  }
  return (event) =>
    AtOnce.suspend(() => {
      const level = AtOnce.run(event.level)
      if (AtOnce.hasEnded(level)) {
        const { gauge, others } = find(event)
        count(event, others)
        return Exit.map(level, (tokens) => setLevel(tokens, gauge))
      }
      return Effect.zipRight(
        Effect.sync(() => count(event, find(event).others)),
        Effect.map(level, (tokens) => setLevel(tokens, find(event).gauge))
      )
    })
}

/**
 * Updates all metrics of the module `Metrics`, with the policy's name as the tag `operation`.
 *
 * One cache for the process, as Effect's registry of metrics is one.
 *
 * Of operations with several keys the gauge of the bucket's level shows the latest: `metricsByKey` keeps them apart.
 *
 * @category constructors
 */
export const metrics: Observer = /*#__PURE__*/ keeping((series) => ({ gauge: series, others: series }))

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
    return keeping((series, event) => {
      const { key, tags } = event.details()
      const byKey = series.and("key", bounded(key))
      const others = Object.entries(tags).reduce((series, [name, value]) => series.and(name, value), byKey)
      return { gauge: byKey, others }
    })
  })
}

const setLevel = (level: Option.Option<number>, { labels }: Series.Series): void => {
  if (Option.isSome(level)) Metrics.bucketLevel.unsafeUpdate(Readable.rounded(level.value), labels)
}

const count = (event: RetryEvent, series: Series.Series): void => {
  switch (event._tag) {
    case "AttemptFailed":
      return Metrics.attempts.unsafeUpdate(1, series.and("outcome", "failed").labels)
    case "Succeeded":
      return Metrics.attempts.unsafeUpdate(1, series.and("outcome", "succeeded").labels)
    case "RetryScheduled": {
      const kind = Option.getOrElse(kindOf(event.verdict), () => "none")
      Metrics.retries.unsafeUpdate(1, series.and("kind", kind).labels)
      return Metrics.delays.unsafeUpdate(Duration.toMillis(event.delay), series.and("source", event.source).labels)
    }
    case "GaveUp":
      return Metrics.stops.unsafeUpdate(1, series.and("reason", event.reason._tag).labels)
    case "NestingNoticed":
      return Metrics.nested.unsafeUpdate(1, series.and("outer", event.outer.name).labels)
    case "HedgeStarted":
      return Metrics.hedges.unsafeUpdate(1, series.and("because", event.because).labels)
    case "HedgeRefused":
      return Metrics.hedges.unsafeUpdate(1, series.and("because", "Refused").labels)
  }
}
