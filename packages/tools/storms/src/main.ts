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

const main = Effect.gen(function* () {
  const amplification = yield* Tables.amplification
  yield* Console.log(`Load amplification\n\n${amplification}\n`)
  const recovery = yield* Tables.recovery
  yield* Console.log(`Seconds to recover\n\n${recovery}`)
  const text = readFileSync(page, "utf8")
  writeFileSync(page, between(between(text, "amplification", amplification), "recovery", recovery))
})

await Effect.runPromise(main)
