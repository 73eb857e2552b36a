/**
 * Runs the storms and writes their tables into the pages, between the markers there.
 */
import { Console, Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Breakers from "./Breakers.ts"
import * as Hedges from "./Hedges.ts"
import * as Tables from "./Tables.ts"

const between = (page: string, text: string, name: string, content: string): string => {
  const begin = `<!-- ${name} -->`
  const end = `<!-- /${name} -->`
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${page} has no markers ${begin} and ${end}`)
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`
}

const write = (page: string, name: string, table: string) =>
  Effect.sync(() => {
    const path = fileURLToPath(new URL(`../../../../${page}`, import.meta.url))
    writeFileSync(path, between(page, readFileSync(path, "utf8"), name, table))
  })

const tables = {
  amplification: { page: "docs/buckets.md", table: Tables.amplification },
  recovery: { page: "docs/buckets.md", table: Tables.recovery("exponential") },
  "recovery-constant": { page: "docs/buckets.md", table: Tables.recovery("constant") },
  hedges: { page: "docs/hedging.md", table: Hedges.table },
  breakers: { page: "docs/circuit-breakers.md", table: Breakers.table }
}

/** The tables named in the command, or all of them; each is written as soon as it is finished. */
const main = Effect.gen(function* () {
  const named = process.argv.slice(2)
  for (const [name, { page, table }] of Object.entries(tables)) {
    if (named.length > 0 && !named.includes(name)) continue
    const text = yield* table
    yield* Console.log(`${name}\n\n${text}\n`)
    yield* write(page, name, text)
  }
})

await Effect.runPromise(main)
