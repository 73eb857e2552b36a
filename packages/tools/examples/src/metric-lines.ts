import { Effect, Metric, MetricState } from "effect"

/** The counters and gauges of this process that have one of the names, a line each: name, tags and value. */
export const metricLines = (names: ReadonlyArray<string>) =>
  Effect.map(Metric.snapshot, (pairs) =>
    pairs
      .filter(({ metricKey }) => names.includes(metricKey.name))
      .map(({ metricKey, metricState }) => {
        const tags = metricKey.tags.map(({ key, value }) => `${key}=${value}`).toSorted()
        const value = MetricState.isCounterState(metricState)
          ? metricState.count
          : MetricState.isGaugeState(metricState)
            ? metricState.value
            : NaN
        return `${metricKey.name}{${tags.join(", ")}} ${value}`
      })
      .toSorted()
  )

export const program = Metric.gauge("metric_lines").pipe(
  Metric.tagged("of", "tests"),
  Metric.set(3),
  Effect.zipRight(metricLines(["metric_lines"]))
)

export const expected = ["metric_lines{of=tests} 3"]
