/**
 * What pages show of Effect 4: below a block of code, the lines that the line for Effect 4 has in place of others. Below a
 * table and what a program prints, a page says itself which rows and lines are others there; tests on Effect 4 hold them.
 */
import type { Finding } from "@effect-retry/check/Finding"
import { snippetOf } from "@effect-retry/check/Snippets"
import { installed } from "./names/installs.ts"
import { reword } from "./Words.ts"

export interface Page {
  readonly path: string
  readonly text: string
  /** A file of examples, and what is derived of it; nothing where there is none. */
  readonly three: (file: string) => string | undefined
  readonly four: (file: string) => string | undefined
}

interface Shown {
  readonly findings: ReadonlyArray<Finding>
  /** The page with what is derived. */
  readonly refreshed: string
}

const opening = "<details><summary>On Effect 4</summary>"
const closing = "</details>"
const labels = { three: "With Effect 3:", four: "With Effect 4:" }

export const show = ({ four, path, text, three }: Page): Shown => {
  const findings: Array<Finding> = []
  const refreshed = piecesOf(text).flatMap((piece) => {
    const { at, block, label, shown } = piece
    const expected = differencesOf(piece, three, four) ?? shown
    const isUnlabelled = expected[1] === labels.four && label !== labels.three
    if (isUnlabelled || expected.join("\n") !== shown.join("\n")) {
      const line = at + block.length
      findings.push({ file: path, line, message: "differs from what is derived: run effect4 --sources --write" })
    }
    for (const line of strangers(piece)) {
      findings.push({ file: path, line: at + 1, message: `has no line for this one of Effect 4: ${line}` })
    }
    return [...(isUnlabelled ? [labels.three, ""] : []), ...block, ...expected]
  })
  return { findings, refreshed: refreshed.join("\n") }
}

/** The page for readers who have Effect 4: their code in place of the other, and what installs packages for both. */
export const forFour = ({ four, text }: Pick<Page, "four" | "text">): string =>
  piecesOf(text)
    .flatMap(({ block, marker, shown }) => {
      if (!isBlock(block[0])) return changedBy(block, shown).map((line) => reword(line))
      const code = block[0] === "```ts" ? snippetAt(marker, four) : undefined
      return code === undefined ? [...block, ...shown] : ["```ts", ...code, "```"]
    })
    .join("\n")

/** A line of a page, or a block of code or of commands with what is derived below it. */
interface Piece {
  /** Index of its first line. */
  readonly at: number
  readonly block: ReadonlyArray<string>
  /** The line above. */
  readonly marker: string
  /** The line above an empty one. */
  readonly label: string
  /** What the page shows of Effect 4. */
  readonly shown: ReadonlyArray<string>
}

const piecesOf = (text: string): ReadonlyArray<Piece> => {
  const lines = text.split("\n")
  const pieces: Array<Piece> = []
  for (let at = 0; at < lines.length;) {
    const close = isFence(lines[at]) ? lines.indexOf("```", at + 1) : isRow(lines[at]) ? lastRow(lines, at) : at
    const block = lines.slice(at, Math.max(at, close) + 1)
    const shown = isBlock(lines[at]) || isTold(lines[at]) ? shownAt(lines, at + block.length) : []
    pieces.push({ at, block, marker: lines[at - 1] ?? "", label: lines[at - 2] ?? "", shown })
    at += block.length + shown.length
  }
  return pieces
}

const isFence = (line = ""): boolean => /^```\w/.test(line)

const isBlock = (line = ""): boolean => line === "```ts" || line === "```sh"

const isRow = (line = ""): boolean => line.startsWith("|")

/** Whether a page says itself what is other on Effect 4. */
const isTold = (line = ""): boolean => line === "```text" || isRow(line)

const lastRow = (lines: ReadonlyArray<string>, at: number): number =>
  isRow(lines[at + 1]) ? lastRow(lines, at + 1) : at

/** What a page shows of Effect 4 below a block. */
const shownAt = (lines: ReadonlyArray<string>, at: number): ReadonlyArray<string> => {
  const end = lines[at + 1] === opening ? closing : lines[at + 1] === labels.four ? "```" : undefined
  return end === undefined ? [] : lines.slice(at, lines.indexOf(end, at) + 1)
}

/** What should be there; nothing if that is not known. */
const differencesOf = (
  { block, marker }: Piece,
  three: Page["three"],
  four: Page["four"]
): ReadonlyArray<string> | undefined => {
  if (isTold(block[0])) return undefined
  if (block[0] === "```sh") return labelled(block.slice(1, -1))
  if (block[0] !== "```ts" || !exampleLine.test(marker)) return []
  const [before, after] = [snippetAt(marker, three), snippetAt(marker, four)]
  return before === undefined || after === undefined ? undefined : folded(before, after)
}

/** The first cell of a row, and a line that goes as it is. */
const keyOf = (line: string): string => (isRow(line) ? (line.split("|")[1] ?? "") : line)

/** What a page says of Effect 4 below a table or a text, by the row or line in whose place it stands. */
const toldIn = (shown: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const told = new Map<string, ReadonlyArray<string>>()
  let last = ""
  for (const row of shown.filter(isRow).slice(2)) told.set(keyOf(row), [row])
  for (const line of shown) {
    if (line.startsWith("-")) told.set((last = line.slice(1)), [])
    if (line.startsWith("+")) told.set(last, [...(told.get(last) ?? []), line.slice(1)])
  }
  return told
}

const changedBy = (block: ReadonlyArray<string>, shown: ReadonlyArray<string>): ReadonlyArray<string> => {
  const told = toldIn(shown)
  return block.flatMap((line) => told.get(keyOf(line)) ?? [line])
}

/** What a page says of rows and lines that it does not have. */
const strangers = ({ block, shown }: Piece): ReadonlyArray<string> => {
  if (!isTold(block[0])) return []
  const known = new Set(block.map(keyOf))
  return [...toldIn(shown).keys()].filter((key) => !known.has(key))
}

/** The files whose code a page shows. */
export const exampleFiles = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => exampleLine.exec(line)?.[1] ?? [])

const exampleLine = /^<!-- example: (\S+?)(?:#(\S+))? -->$/

/** The code that a marker names; nothing if there is no such file. */
const snippetAt = (marker: string, file: Page["three"]): ReadonlyArray<string> | undefined => {
  const [, path, region] = exampleLine.exec(marker) ?? []
  const source = path === undefined ? undefined : file(path)
  return source === undefined ? undefined : (snippetOf(source, region) ?? [])
}

/** Commands are shown whole, since they are copied. */
const labelled = (commands: ReadonlyArray<string>): ReadonlyArray<string> => {
  const after = installed(commands)
  return after.join("\n") === commands.join("\n") ? [] : ["", labels.four, "", "```sh", ...after, "```"]
}

const folded = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => {
  const changed = changes(before, after)
  return changed.length === 0 ? [] : ["", opening, "", "```diff", ...changed, "```", "", closing]
}

/** The lines that are only in one of two texts, each with its sign; what goes stands before what comes. */
export const changes = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => {
  const changed: Array<string> = []
  let [at, other] = [0, 0]
  for (const [i, j] of [...common(before, after), [before.length, after.length] as const]) {
    changed.push(...before.slice(at, i).map((line) => `-${line}`), ...after.slice(other, j).map((line) => `+${line}`))
    at = i + 1
    other = j + 1
  }
  return changed
}

/** The places of a longest sequence of lines that both texts have. */
const common = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>
): ReadonlyArray<readonly [number, number]> => {
  // How many lines both have from a place of each to their ends.
  const lengths = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0))
  const length = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i]![j] = before[i] === after[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
    }
  }
  const places: Array<readonly [number, number]> = []
  for (let [i, j] = [0, 0]; i < before.length && j < after.length;) {
    if (before[i] === after[j]) places.push([i++, j++])
    else if (length(i + 1, j) >= length(i, j + 1)) i++
    else j++
  }
  return places
}
