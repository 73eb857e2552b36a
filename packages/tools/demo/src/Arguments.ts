/**
 * The arguments of `pnpm demo`.
 */
import { parseArgs } from "node:util"

const options = { seed: { type: "string", default: "5" }, help: { type: "boolean", short: "h" } } as const

/**
 * The arguments, or what is wrong with them.
 *
 * @category constructors
 */
export const parse = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: args.filter((arg) => arg !== "--"), options }).values
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * @category constructors
 */
export const help = `Calls a failing HTTP server on a loopback port, with effect-retry and with plain
retries, and prints what happened. Exits with 1 if a promise is broken.

  pnpm demo                 the same delays every time
  pnpm demo --seed <text>   other delays
  pnpm demo --help          this text

COLUMNS sets the width where the output is no terminal, FORCE_COLOR and NO_COLOR
its colours.
`
