/**
 * Runs the scenarios and prints their tables.
 *
 *     pnpm comparison            prints them
 *     pnpm comparison --write    writes them into docs/comparison.md as well
 */
import * as Limits from "./Limits.ts"
import * as Page from "./Page.ts"

const tables = [Page.settings(), ...(await Page.tables())]
const limits = await Limits.table()
console.log(`${Page.render(tables)}\n${limits}`)
if (process.argv.includes("--write")) {
  Page.write(tables)
  Limits.write(limits)
}
