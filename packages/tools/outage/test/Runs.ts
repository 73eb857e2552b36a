/** Runs made up for what is drawn of them. */
import type { Run } from "../src/Fleet.ts"
import type { Arrival } from "../src/Server.ts"

export const options = {
  budget: { capacity: 10, ratio: 0.5, floorPerSecond: 2 },
  outage: { fromMillis: 1000, toMillis: 3000 },
  untilMillis: 4000,
  operationsPerSecond: 5
}

const arrival = (atMillis: number, isRetry = false): Arrival => ({ atMillis, isRetry })

/** Three requests in the outage, of which one is a retry, and a retry after it. */
const arrivals = [0, 999, 1000, 2999].map((at) => arrival(at)).concat(arrival(1500, true), arrival(3500, true))

export const run = (kind: Run["kind"]): Run => ({ kind, arrivals, operations: 4, succeeded: 3 })

export const runs: ReadonlyArray<Run> = [run("none"), run("own"), run("part"), run("shared")]
