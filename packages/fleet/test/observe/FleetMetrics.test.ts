import { FleetMetrics, type FleetEvent } from "@effect-retry/fleet"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Metric, MetricState } from "effect"
import * as Events from "./Events.ts"

/** The series of a bucket, as `name{tags} value`. */
const seriesOf = (bucket: string) =>
  Effect.map(Metric.snapshot, (pairs) =>
    pairs
      .filter(({ metricKey }) => metricKey.tags.some(({ key, value }) => key === "bucket" && value === bucket))
      .map(({ metricKey, metricState }) => {
        const tags = metricKey.tags.filter(({ key }) => key !== "bucket").map(({ key, value }) => `${key}=${value}`)
        const value = MetricState.isCounterState(metricState)
          ? metricState.count
          : MetricState.isGaugeState(metricState)
            ? metricState.value
            : NaN
        return `${metricKey.name.replace("retry_fleet_", "")}{${tags.toSorted().join(",")}} ${value}`
      })
      .toSorted()
  )

const renamed = (name: string, events: ReadonlyArray<FleetEvent.FleetEvent>) =>
  events.map((event) => ({ ...event, name }))

const events = [
  Events.asked(5),
  Events.asked(0),
  Events.asked(2, { leaseSize: 8, held: 6 }),
  Events.returned,
  Events.away({ level: 12, held: 1 })
]

describe("FleetMetrics.metrics", () => {
  it.effect("keeps calls, tokens, grants and outages by the name of the bucket, and the latest levels", () =>
    Effect.gen(function* () {
      const observe = (each: ReadonlyArray<FleetEvent.FleetEvent>) =>
        Effect.forEach(renamed("metrics", each), FleetMetrics.metrics).pipe(Effect.tagMetrics("tenant", "secret"))
      yield* observe(events)
      const series = [
        "grants_total{} 10",
        "held{} 1",
        "lease_size{} 8",
        "outages_total{} 1",
        "store_away{} 1",
        "store_calls_total{answer=granted} 2",
        "store_calls_total{answer=refused} 1",
        "store_calls_total{answer=returned} 1",
        "store_level{} 12",
        "store_tokens_total{} 7"
      ]
      expect(yield* seriesOf("metrics")).toEqual(series)
      yield* observe([Events.back({ grants: 0 })])
      expect(yield* seriesOf("metrics")).toEqual(
        series.map((line) =>
          line
            .replace("store_away{} 1", "store_away{} 0")
            .replace("held{} 1", "held{} 3")
            .replace("level{} 12", "level{} 40")
        )
      )
    })
  )
})

describe("FleetMetrics.metricsByKey", () => {
  it.effect("keeps the first keys apart, and the others together", () =>
    Effect.gen(function* () {
      const observer = yield* FleetMetrics.metricsByKey({ maxKeys: 2 })
      const events = ["a", "b", "", "c", "a", "d"].map((key) => ({
        ...Events.returned,
        name: "by key",
        key,
        grants: 0
      }))
      yield* Effect.forEach(events, observer)
      const calls = (yield* seriesOf("by key")).filter((line) => line.startsWith("store_calls"))
      expect(calls).toEqual([
        "store_calls_total{answer=returned,key=a} 2",
        "store_calls_total{answer=returned,key=b} 1",
        "store_calls_total{answer=returned,key=other} 2",
        "store_calls_total{answer=returned,key=} 1"
      ])
    })
  )

  it("refuses a bad bound", () => {
    expect(() => FleetMetrics.metricsByKey({ maxKeys: 0 })).toThrow(
      "FleetMetrics.metricsByKey: maxKeys must be a whole number >= 1, got 0"
    )
  })
})
