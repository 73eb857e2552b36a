/**
 * Code in Markdown is a copy of a file that is compiled and run. A marker above the block says of which:
 *
 * ```
 * <!-- example: packages/tools/examples/src/hello.ts -->          the whole file
 * <!-- example: packages/tools/examples/src/hello.ts#greeting --> from `// #region greeting` to `// #endregion`
 * ```
 */
import type { Finding } from "./Finding.ts"

const marker = /^\s*<!-- example: (\S+?)(?:#(\S+))? -->\s*$/
const fence = /^(\s*)(`{3,}|~{3,})\s*(\w*)/
const languages = ["ts", "typescript", "mts", "tsx"]
const homes = ["packages/tools/examples/src/", "packages/tools/examples/programs/", "packages/tools/comparison/src/"]

interface Block {
  /** Index of the opening fence. */
  readonly open: number
  /** Index of the closing fence. */
  readonly close: number
  readonly indent: string
  readonly language: string
}

export interface SnippetsInput {
  readonly path: string
  readonly text: string
  /** Answers undefined when there is no such file. */
  readonly example: (path: string) => string | undefined
}

interface SnippetsOutput {
  readonly findings: ReadonlyArray<Finding>
  /** The Markdown with every block that has a valid marker brought up to date. */
  readonly refreshed: string
}

export const checkSnippets = ({ example, path, text }: SnippetsInput): SnippetsOutput => {
  const lines = text.split("\n")
  const findings: Array<Finding> = []
  const refreshed: Array<string> = []
  const object = (index: number, message: string) => findings.push({ file: path, line: index + 1, message })

  const blocks = blocksOf(lines)
  const marked = new Set<number>()
  let copied = 0
  for (const block of blocks.filter(({ language }) => languages.includes(language))) {
    const above = block.open - 1
    const [, file, region] = marker.exec(lines[above] ?? "") ?? []
    if (file === undefined) {
      object(block.open, "code block without a marker: <!-- example: packages/tools/examples/src/<file>.ts -->")
      continue
    }
    marked.add(above)
    const isAtHome = homes.some((home) => file.startsWith(home))
    const source = isAtHome ? example(file) : undefined
    if (source === undefined) {
      object(above, isAtHome ? `no such file: ${file}` : `examples live in ${homes.join(", ")}, not in ${file}`)
      continue
    }
    const snippet = snippetOf(source, region)
    if (snippet === undefined) {
      object(above, `no region "${region}" in ${file}`)
      continue
    }
    const expected = snippet.map((line) => (line === "" ? "" : block.indent + line))
    const actual = lines.slice(block.open + 1, block.close)
    if (expected.join("\n") !== actual.join("\n")) {
      const first = expected.findIndex((line, index) => line !== actual[index])
      const offset = first < 0 ? expected.length : Math.min(first, actual.length)
      object(block.open + 1 + offset, `differs from ${file}: run check snippets --write`)
    }
    refreshed.push(...lines.slice(copied, block.open + 1), ...expected)
    copied = block.close
  }
  refreshed.push(...lines.slice(copied))

  const inside = (index: number) => blocks.some(({ close, open }) => index > open && index < close)
  for (const [index, line] of lines.entries()) {
    if (marker.test(line) && !marked.has(index) && !inside(index)) object(index, "marker without a code block below it")
  }
  return { findings: findings.toSorted((a, b) => a.line - b.line), refreshed: refreshed.join("\n") }
}

const blocksOf = (lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  for (let open = 0; open < lines.length; open++) {
    const [, indent, ticks, language] = fence.exec(lines[open] ?? "") ?? []
    if (indent === undefined || ticks === undefined || language === undefined) continue
    const closes = (line: string) => line.trim().startsWith(ticks) && /^(`+|~+)$/.test(line.trim())
    const found = lines.findIndex((line, index) => index > open && closes(line))
    const close = found < 0 ? lines.length : found
    blocks.push({ open, close, indent, language: language.toLowerCase() })
    open = close
  }
  return blocks
}

/** The lines of a file, or of a region of it, as a page shows them; nothing if there is no such region. */
export const snippetOf = (source: string, region: string | undefined): ReadonlyArray<string> | undefined =>
  region === undefined ? wholeOf(source) : regionOf(source, region)

const regionLine = /^\s*\/\/ #(region|endregion)\b/

const wholeOf = (source: string): ReadonlyArray<string> => trimBlank(source.split("\n"))

const regionOf = (source: string, name: string): ReadonlyArray<string> | undefined => {
  const lines = source.split("\n")
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`)
  if (start < 0) return undefined
  const length = lines.slice(start + 1).findIndex((line) => regionLine.test(line))
  if (length < 0) return undefined
  const body = trimBlank(lines.slice(start + 1, start + 1 + length))
  const indent = Math.min(...body.filter((line) => line !== "").map((line) => line.search(/\S/)))
  return body.map((line) => line.slice(indent))
}

const trimBlank = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept = lines.filter((line) => !regionLine.test(line))
  const first = kept.findIndex((line) => line.trim() !== "")
  const last = kept.findLastIndex((line) => line.trim() !== "")
  return first < 0 ? [] : kept.slice(first, last + 1)
}
