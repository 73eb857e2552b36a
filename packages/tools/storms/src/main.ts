/**
 * Runs the storms and writes their tables into docs/buckets.md, between the markers of that page.
 */
import { Console, Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Tables from "./Tables.ts"

const page = fileURLToPath(new URL("../../../../docs/buckets.md", import.meta.url))

const between = (text: string, name: string, content: string): string => {
  const begin = `<!-- ${name} -->`
  const end = `<!-- /${name} -->`
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/buckets.md has no markers ${begin} and ${end}`)
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`
}

const write = (name: string, table: string) =>
  Effect.sync(() => writeFileSync(page, between(readFileSync(page, "utf8"), name, table)))

const tables = {
  amplification: Tables.amplification,
  recovery: Tables.recovery("exponential"),
  "recovery-constant": Tables.recovery("constant")
}

/** The tables named in the command, or all of them; each is written as soon as it is finished. */
const main = Effect.gen(function* () {
  const named = process.argv.slice(2)
  for (const [name, table] of Object.entries(tables)) {
    if (named.length > 0 && !named.includes(name)) continue
    const text = yield* table
    yield* Console.log(`${name}\n\n${text}\n`)
    yield* write(name, text)
  }
})

await Effect.runPromise(main)
