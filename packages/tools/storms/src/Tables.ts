/**
 * The tables of docs/buckets.md, from runs with fixed seeds.
 */
import { Load } from "@effect-retry/plan"
import { Duration, Effect, Option } from "effect"
import { recovery as clients } from "./Clients.ts"
import type { Row } from "./Clients.ts"
import { perSecond, rows as formulas } from "./Formulas.ts"

const loads = [0.3, 0.5, 0.7, 0.8, 0.9]
const seeds = [1, 2, 3, 4, 5]

/** Seconds to recover, by client and load; the middle one of the seeds. */
export const recovery = (serviceTimes: "constant" | "exponential"): Effect.Effect<string> =>
  Effect.gen(function* () {
    const rows: Array<ReadonlyArray<string>> = []
    for (const client of Object.values<Row>(clients)) {
      const server = { serviceTimes, expired: client.expired ?? ("serve" as const) }
      const cells: Array<string> = []
      let failed = 0
      for (const load of loads) {
        const outcomes = yield* Effect.forEach(seeds, (seed) => Load.recovery(client, { load, seed, server }))
        cells.push(recovered(outcomes))
        failed = median(outcomes.map((outcome) => outcome.failed))
      }
      rows.push([client.name, ...cells, failed.toLocaleString("en")])
    }
    return table(["client", ...loads.map((load) => `${load * 100} %`), "failed at 90 %"], rows)
  })

/** Attempts per request and share of successes, by client and failure probability. */
export const amplification: Effect.Effect<string> = Effect.gen(function* () {
  const probabilities = [0.05, 0.1, 0.2, 0.5, 1]
  const rows: Array<ReadonlyArray<string>> = []
  for (const row of formulas) {
    const cells: Array<string> = []
    for (const p of probabilities) {
      const outcome = yield* Load.amplification(row, {
        failureProbability: p,
        requests: 20_000,
        requestsPerSecond: perSecond,
        seed: 1
      })
      cells.push(`${outcome.loadFactor.toFixed(3)} (${row.formula(p).toFixed(3)}) / ${outcome.succeeded.toFixed(3)}`)
    }
    rows.push([row.name, ...cells])
  }
  return table(["client", ...probabilities.map((p) => `p = ${p}`)], rows)
})

const recovered = (outcomes: ReadonlyArray<Load.Recovery>): string => {
  const seconds = outcomes.flatMap(({ recoveredAfter }) => Option.toArray(recoveredAfter).map(Duration.toSeconds))
  if (seconds.length === 0) return "never"
  const middle = `${median(seconds)}`
  return seconds.length === outcomes.length ? middle : `${middle} (${seconds.length} of ${outcomes.length})`
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN

/** A table of Markdown: names on the left, numbers on the right. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map((_, i) => (i === 0 ? "---" : "---:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
