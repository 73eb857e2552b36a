/**
 * The tables of docs/hedging.md: the slowest answers of many servers, with hedges and without.
 */
import { Hedge, TokenBucket } from "@effect-retry/core"
import { Load } from "@effect-retry/plan"
import { Duration, Effect } from "effect"
import * as Tables from "./Tables.ts"

/** A row of the tables. */
interface Row extends Load.HedgingClient {
  readonly name: string
}

const budget = (ratio: number) => TokenBucket.requestRatio({ ratio, floorPerSecond: 0 })

const percentile = { maxAttempts: 2, delay: Hedge.percentile({ at: 0.95 }) }

export const rows: ReadonlyArray<Row> = [
  { name: "no hedge" },
  { name: "after 60 ms", hedge: { maxAttempts: 2, delay: 60 } },
  { name: "after 60 ms, bucket of 0.1 per request", hedge: { maxAttempts: 2, delay: 60 }, bucket: budget(0.1) },
  { name: "after the 95th percentile", hedge: percentile },
  { name: "95th percentile, bucket of 0.1 per request", hedge: percentile, bucket: budget(0.1) }
]

/** Servers at 30 % and 60 % of what they can serve, and such that work for clients that have gone. */
export const settings = [
  { load: 0.3, abandoned: "drop" },
  { load: 0.6, abandoned: "drop" },
  { load: 0.6, abandoned: "serve" }
] as const satisfies ReadonlyArray<Omit<Load.LatencyOptions, "seed">>

const millis = (time: Duration.Duration): string => Duration.toMillis(time).toFixed(0)

/** The cells of a client under each setting: the median, the 99th and the 99.9th percentile, hedges, work. */
export const rowOf = (
  row: Row,
  under: ReadonlyArray<(typeof settings)[number]> = settings
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.forEach(under, (setting) => Load.latency(row, { ...setting, seed: 1, requests: 6_000 })),
    (outcomes) => [
      row.name,
      ...outcomes.map(
        ({ hedges, p50, p99, p999, work }) =>
          `${[p50, p99, p999].map(millis).join(" / ")}, ${(hedges * 100).toFixed(1)} %, ${work.toFixed(2)}`
      )
    ]
  )

export const table: Effect.Effect<string> = Effect.map(
  Effect.forEach(rows, (row) => rowOf(row)),
  (cells) =>
    Tables.table(
      ["hedge", ...settings.map(({ abandoned, load }) => `load ${load}, abandoned requests: ${abandoned}`)],
      cells
    )
)

/** A row of the page under the last setting. */
interface Measured {
  readonly name: string
  readonly p99Millis: number
  /** The work of the servers beside what they would do without hedges. */
  readonly work: number
}

/** The table as the page has it. */
export const measured = (page: string): ReadonlyArray<Measured> =>
  Array.from(
    page.matchAll(/^\| ([^|]+) \|.*\| [\d.]+ \/ ([\d.]+) \/ [\d.]+, [\d.]+ %, ([\d.]+) \|$/gm),
    ([, name = "", p99, work]) => ({ name, p99Millis: Number(p99), work: Number(work) })
  )
