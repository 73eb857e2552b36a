/**
 * Runs the scenarios and prints their tables.
 *
 *     pnpm comparison            prints them
 *     pnpm comparison --write    writes them into docs/comparison.md as well
 */
import * as Page from "./Page.ts"

const tables = [Page.settings(), ...(await Page.tables())]
console.log(Page.render(tables))
if (process.argv.includes("--write")) Page.write(tables)
