/**
 * The tables of docs/buckets.md, from runs with fixed seeds.
 */
import { Amplification, Clients, Recovery } from "@effect-retry/plan"
import { Effect, Option } from "effect"

const loads = [0.3, 0.5, 0.7, 0.8, 0.9]
const seeds = [1, 2, 3, 4, 5]
const patienceSeconds = 330

/**
 * Seconds to recover, by client and load; the middle one of five seeds.
 *
 * @category running
 */
export const recovery: Effect.Effect<string> = Effect.gen(function* () {
  const rows: Array<ReadonlyArray<string>> = []
  for (const client of Object.values<Recovery.Client>(Clients.recovery)) {
    const cells: Array<string> = []
    let lost = 0
    for (const load of loads) {
      const outcomes = yield* Effect.forEach(seeds, (seed) => Recovery.run(client, { load, seed, patienceSeconds }))
      cells.push(recovered(outcomes))
      lost = median(outcomes.map((outcome) => outcome.lost))
    }
    rows.push([client.name, ...cells, lost.toLocaleString("en")])
  }
  return table(["client", ...loads.map((load) => `${load * 100} %`), "lost at 90 %"], rows)
})

/**
 * Attempts per request and share of successes, by client and failure probability.
 *
 * @category running
 */
export const amplification: Effect.Effect<string> = Effect.gen(function* () {
  const probabilities = [0.05, 0.1, 0.2, 0.5, 1]
  const rows: Array<ReadonlyArray<string>> = []
  for (const row of Amplification.rows) {
    const cells: Array<string> = []
    for (const p of probabilities) {
      const outcome = yield* Amplification.run(row, {
        p,
        requests: 20_000,
        perSecond: Amplification.perSecond,
        seed: 1
      })
      const expected = row.formula(p)
      cells.push(`${outcome.amplification.toFixed(3)} (${expected.toFixed(3)}) / ${outcome.success.toFixed(3)}`)
    }
    rows.push([row.name, ...cells])
  }
  return table(["client", ...probabilities.map((p) => `p = ${p}`)], rows)
})

const recovered = (outcomes: ReadonlyArray<Recovery.Outcome>): string => {
  const seconds = outcomes.flatMap(({ recoveredAfterSeconds }) => Option.toArray(recoveredAfterSeconds))
  if (seconds.length === 0) return "never"
  const middle = `${median(seconds)}`
  return seconds.length === outcomes.length ? middle : `${middle} (${seconds.length} of ${outcomes.length})`
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map((_, i) => (i === 0 ? "---" : "---:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
