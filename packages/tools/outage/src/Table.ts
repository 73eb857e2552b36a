/**
 * The results of the fleet, as a table of Markdown beside what the formulas allow. Pure.
 */
import { table } from "../../storms/src/Tables.ts"
import type { Options, Run } from "./Fleet.ts"
import { isDown } from "./Server.ts"

/**
 * The names of the kinds, for so many processes.
 *
 * @category destructors
 */
export const names = (processes: number): Readonly<Record<Run["kind"], string>> => ({
  none: "no bucket",
  own: "a bucket for each process",
  part: `1/${processes} of the bucket for each process`,
  shared: "one bucket, shared by `RedisBucket`"
})

/**
 * The most retries that a run may have, from the formula of its bucket.
 *
 * Formula: `buckets * (capacity + floorPerSecond * t) + ratio * successes`; without a bucket three for each operation.
 *
 * @category destructors
 */
export const mostRetries = (run: Run, processes: number, { budget }: Pick<Options, "budget">): number => {
  const seconds = Math.max(0, ...run.arrivals.map(({ atMillis }) => atMillis)) / 1000
  const credits = budget.ratio * run.succeeded
  const floor = budget.floorPerSecond * seconds
  switch (run.kind) {
    case "none":
      return 3 * run.operations
    case "own":
      return processes * (budget.capacity + floor) + credits
    case "part":
      return Math.max(processes, budget.capacity) + floor + credits
    case "shared":
      return budget.capacity + floor + credits
  }
}

/**
 * @category destructors
 */
export const retries = ({ arrivals }: Run): number => arrivals.filter(({ isRetry }) => isRetry).length

/**
 * Whether the first attempts of the outage came when they were due: on a machine that has other things to do they come
 * later, and the run says more about the machine than about buckets.
 *
 * @category guards
 */
export const isOnTime = (
  { arrivals }: Pick<Run, "arrivals">,
  { operationsPerSecond, outage }: Pick<Options, "operationsPerSecond" | "outage">
): boolean => {
  const due = (operationsPerSecond * (outage.toMillis - outage.fromMillis)) / 1000
  const came = arrivals.filter(({ atMillis, isRetry }) => !isRetry && isDown(outage, atMillis)).length
  return Math.abs(came - due) <= 0.2 * due
}

/**
 * @category destructors
 */
export const draw = (
  runs: ReadonlyArray<Run>,
  processes: number,
  options: Pick<Options, "budget" | "outage">
): string =>
  table(
    ["each process has", "requests in the outage", "of these, retries", "retries in all", "the formula allows"],
    runs.map((run) => {
      const down = run.arrivals.filter(({ atMillis }) => isDown(options.outage, atMillis))
      const numbers = [
        down.length,
        down.filter(({ isRetry }) => isRetry).length,
        retries(run),
        Math.floor(mostRetries(run, processes, options))
      ]
      return [names(processes)[run.kind], ...numbers.map((number) => number.toLocaleString("en"))]
    })
  )

/**
 * How often Redis ran a script, from the section `commandstats` of its `INFO`.
 *
 * @category destructors
 */
export const storeCalls = (commandstats: string): number =>
  Array.from(commandstats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm), ([, calls]) => Number(calls)).reduce(
    (sum, calls) => sum + calls,
    0
  )
