import { Effect, Metric } from "effect"

/** The counters and gauges of this process that have one of the names, a line each: name, attributes and value. */
export const metricLines = (names: ReadonlyArray<string>) =>
  Effect.map(Metric.snapshot, (metrics) =>
    metrics
      .filter(({ id }) => names.includes(id))
      .map((metric) => {
        const attributes = Object.entries(metric.attributes ?? {}).map(([key, value]) => `${key}=${value}`)
        const value =
          metric.type === "Counter" ? metric.state.count : metric.type === "Gauge" ? metric.state.value : NaN
        return `${metric.id}{${attributes.toSorted().join(", ")}} ${value}`
      })
      .toSorted()
  )

export const program = Metric.gauge("metric_lines").pipe(
  Metric.withAttributes({ of: "tests" }),
  Metric.update(3),
  Effect.andThen(metricLines(["metric_lines"]))
)

export const expected = ["metric_lines{of=tests} 3"]
