/**
 * How the laws are run: by one seed, which fast-check prints with the path to the shrunken case when a law fails.
 *
 * A law says how often it runs under `LAW_RUNS=1`. Without that, it runs a quarter as often, and at least twenty times.
 * `LAW_SEED=7 LAW_RUNS=10` in the environment looks elsewhere, ten times as long.
 */
const seed = Number(process.env["LAW_SEED"] ?? 20_261_120)

const factor = Number(process.env["LAW_RUNS"] ?? 0.25)
const fewest = 20

/** How often a law runs here. */
export const runsOf = (numRuns: number): number => Math.max(Math.min(numRuns, fewest), Math.ceil(numRuns * factor))

const timeout = 300_000 * Math.max(factor, 1)

export const law = (numRuns = 200) => ({ fastCheck: { seed, numRuns: runsOf(numRuns) }, timeout })
