/**
 * How the laws are run: by one seed, which fast-check prints with the path to the shrunken case when a law fails.
 *
 * `LAW_SEED=7 LAW_RUNS=10` in the environment looks elsewhere, ten times as long.
 */
const seed = Number(process.env["LAW_SEED"] ?? 20_261_120)
const factor = Number(process.env["LAW_RUNS"] ?? 1)

export const law = (numRuns = 200) => ({ fastCheck: { seed, numRuns: numRuns * factor }, timeout: 60_000 * factor })
