/**
 * The observer that keeps the metrics.
 */
import { Duration, Effect, Metric, Option } from "effect"
import { kindOf } from "../classify/Verdict.ts"
import type { Observer, RetryEvent } from "../loop/RetryEvent.ts"
import * as Metrics from "./Metrics.ts"

/**
 * Updates all metrics of the module `Metrics`.
 *
 * @category constructors
 */
export const metrics: Observer = (event) =>
  Effect.zipRight(
    count(event),
    Effect.flatMap(event.level, (level) =>
      Option.isNone(level) ? Effect.void : Metric.set(named(Metrics.bucketLevel, event), level.value)
    )
  )

const count = (event: RetryEvent): Effect.Effect<void> => {
  switch (event._tag) {
    case "AttemptFailed":
      return Metric.increment(Metric.tagged(named(Metrics.attempts, event), "outcome", "failed"))
    case "Succeeded":
      return Metric.increment(Metric.tagged(named(Metrics.attempts, event), "outcome", "succeeded"))
    case "RetryScheduled": {
      const kind = Option.getOrElse(kindOf(event.verdict), () => "none")
      return Effect.zipRight(
        Metric.increment(Metric.tagged(named(Metrics.retries, event), "kind", kind)),
        Metric.update(
          Metric.tagged(named(Metrics.delays, event), "source", event.source),
          Duration.toMillis(event.delay)
        )
      )
    }
    case "GaveUp":
      return Metric.increment(Metric.tagged(named(Metrics.stops, event), "reason", event.reason._tag))
    case "NestingNoticed":
      return Metric.increment(Metric.tagged(named(Metrics.nested, event), "outer", event.outer.name))
  }
}

const named = <T, I, O>(metric: Metric.Metric<T, I, O>, { name }: RetryEvent): Metric.Metric<T, I, O> =>
  Metric.tagged(metric, "operation", name)
