/**
 * All series of all metrics.
 *
 * This is the file of Effect 4: labels are a record.
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

export interface Series {
  readonly name: string
  readonly description: string | null
  /** The count of a counter, the value of a gauge. */
  readonly value: number | undefined
  readonly tags: ReadonlyArray<{ readonly key: string; readonly value: string }>
}

export const all: Effect.Effect<ReadonlyArray<Series>> = Effect.map(Metric.snapshot, (found) =>
  found.map(({ attributes, description, id, state, type }) => ({
    name: id,
    description: description ?? null,
    value: type === "Counter" ? Number(state.count) : type === "Gauge" ? Number(state.value) : undefined,
    tags: Object.entries(attributes ?? {}).map(([key, value]) => ({ key, value: String(value) }))
  }))
)
