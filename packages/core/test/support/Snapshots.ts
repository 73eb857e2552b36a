/**
 * All series of all metrics.
 *
 * This is the file of Effect 3, in whose place the line for Effect 4 has its own.
 */
import { Effect, Metric, MetricState, Option } from "effect"

interface Series {
  readonly name: string
  readonly description: string | null
  /** The count of a counter, the value of a gauge. */
  readonly value: number | undefined
  readonly tags: ReadonlyArray<{ readonly key: string; readonly value: string }>
}

export const all: Effect.Effect<ReadonlyArray<Series>> = Effect.map(Metric.snapshot, (pairs) =>
  pairs.map(({ metricKey: { description, name, tags }, metricState }) => ({
    name,
    description: Option.getOrNull(description),
    value: MetricState.isCounterState(metricState)
      ? Number(metricState.count)
      : MetricState.isGaugeState(metricState)
        ? Number(metricState.value)
        : undefined,
    tags: tags.map(({ key, value }) => ({ key, value }))
  }))
)
