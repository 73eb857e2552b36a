/** A block that begins with imports is complete: it can be copied, and everything it uses is in it or named above it. */
import { describe, expect, it } from "vitest"
import { pages, read } from "./rows.ts"

/** The names that the imports of a text bring. */
const importedBy = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^import (?:type )?(.+?) from "/gms), ([, names = ""]) => names).flatMap((names) =>
    Array.from(names.matchAll(/(?:\w+ as )?(\w+)/g), ([, name = ""]) => name).filter((name) => name !== "type")
  )

const withoutImportsAndComments = (text: string): string =>
  text
    .replaceAll(/^import .+? from ".*"$/gms, "")
    .replaceAll(/\/\*.*?\*\/|\/\/.*$/gms, "")
    .replaceAll(/"[^"\n]*"/g, '""')

const marker = /^<!-- example: (packages\/tools\/examples\/\S+?)(?:#\S+)? -->$/

/** The blocks with imports, and the text of the section above each. */
const blocks = pages.flatMap((page) => {
  const lines = read(page).split("\n")
  return lines.flatMap((line, at) => {
    const [, file] = marker.exec(line) ?? []
    if (file === undefined || lines[at + 1] !== "```ts") return []
    const body = lines.slice(at + 2, lines.indexOf("```", at + 2)).join("\n")
    const heading = lines.findLastIndex((line, i) => i < at && line.startsWith("#"))
    const above = lines.slice(heading, at).join("\n")
    return /^import /m.test(body) ? [{ page, file, body, above }] : []
  })
})

describe("blocks with imports", () => {
  it.each(blocks)("of $page from $file import what they use", ({ above, body, file }) => {
    const own = new Set(importedBy(body))
    const text = withoutImportsAndComments(body)
    const missing = [...new Set(importedBy(read(file)))].filter(
      (name) => !own.has(name) && new RegExp(`(?<![.\\w])${name}\\b`).test(text) && !above.includes(`\`${name}\``)
    )
    expect(missing).toEqual([])
  })
})
