import { FleetMetrics, type FleetEvent } from "@effect-retry/fleet"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Snapshots from "../../../core/test/support/Snapshots.ts"
import * as Events from "./Events.ts"

/** The series of a bucket, as `name{tags} value`. */
const seriesOf = (bucket: string) =>
  Effect.map(Snapshots.all, (all) =>
    all
      .filter(({ tags }) => tags.some(({ key, value }) => key === "retry.fleet.bucket" && value === bucket))
      .map(({ name, tags, value }) => {
        const shown = tags
          .filter(({ key }) => key !== "retry.fleet.bucket")
          .map(({ key, value }) => `${key.replace(/^retry\.(fleet\.)?/, "")}=${value}`)
        return `${name.replace("retry.fleet.", "")}{${shown.toSorted().join(",")}} ${value}`
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
        "grants{} 10",
        "held{unit={token}} 1",
        "lease.size{unit={token}} 8",
        "outages{} 1",
        "store.away{unit={store}} 1",
        "store.calls{answer=granted} 2",
        "store.calls{answer=refused} 1",
        "store.calls{answer=returned} 1",
        "store.level{unit={token}} 12",
        "store.tokens{} 7"
      ]
      expect(yield* seriesOf("metrics")).toEqual(series)
      yield* observe([Events.back({ grants: 0 })])
      expect(yield* seriesOf("metrics")).toEqual(
        series.map((line) =>
          line
            .replace("away{unit={store}} 1", "away{unit={store}} 0")
            .replace("held{unit={token}} 1", "held{unit={token}} 3")
            .replace("level{unit={token}} 12", "level{unit={token}} 40")
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
      const calls = (yield* seriesOf("by key")).filter((line) => line.startsWith("store.calls"))
      expect(calls).toEqual([
        "store.calls{answer=returned,key=a} 2",
        "store.calls{answer=returned,key=b} 1",
        "store.calls{answer=returned,key=other} 2",
        "store.calls{answer=returned,key=} 1"
      ])
    })
  )

  it("refuses a bad bound", () => {
    expect(() => FleetMetrics.metricsByKey({ maxKeys: 0 })).toThrow(
      "FleetMetrics.metricsByKey: maxKeys must be a whole number >= 1, got 0"
    )
    expect(() => FleetMetrics.metricsByKey({ maxKeys: 1, maxKey: 2 } as never)).toThrow(
      "FleetMetrics.metricsByKey: maxKey must be absent (did you mean maxKeys?), got 2"
    )
  })
})
