/**
 * All series of all metrics.
 *
 * This is the file of Effect 3, in whose place the line for Effect 4 has its own.
 */
import { Effect, Metric, Option } from "effect"

export interface Series {
  readonly name: string
  readonly description: string | null
  readonly tags: ReadonlyArray<{ readonly key: string; readonly value: string }>
}

export const all: Effect.Effect<ReadonlyArray<Series>> = Effect.map(Metric.snapshot, (pairs) =>
  pairs.map(({ metricKey: { description, name, tags } }) => ({
    name,
    description: Option.getOrNull(description),
    tags: tags.map(({ key, value }) => ({ key, value }))
  }))
)
