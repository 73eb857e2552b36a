/**
 * What pages show of Effect 4: below a block, the lines that the line for Effect 4 has in place of others.
 */
import type { Finding } from "@effect-retry/check/Finding"
import { snippetOf } from "@effect-retry/check/Snippets"
import { installed } from "./names/installs.ts"

export interface Page {
  readonly path: string
  readonly text: string
  /** A file of examples, and what is derived of it; nothing where there is none. */
  readonly three: (file: string) => string | undefined
  readonly four: (file: string) => string | undefined
}

export interface Shown {
  readonly findings: ReadonlyArray<Finding>
  /** The page with what is derived. */
  readonly refreshed: string
}

const opening = "<details><summary>On Effect 4</summary>"
const closing = "</details>"

export const show = ({ four, path, text, three }: Page): Shown => {
  const lines = text.split("\n")
  const findings: Array<Finding> = []
  const refreshed: Array<string> = []
  let at = 0
  while (at < lines.length) {
    const close = isBlock(lines[at]) ? lines.indexOf("```", at + 1) : at
    const block = lines.slice(at, Math.max(at, close) + 1)
    refreshed.push(...block)
    at += block.length
    const shown = shownAt(lines, at)
    const marker = lines[at - block.length - 1] ?? ""
    const expected = differencesOf(block, marker, three, four) ?? shown
    if (expected.join("\n") !== shown.join("\n")) {
      findings.push({ file: path, line: at, message: "differs from what is derived: run effect4 --sources --write" })
    }
    refreshed.push(...expected)
    at += shown.length
  }
  return { findings, refreshed: refreshed.join("\n") }
}

const isBlock = (line = ""): boolean => line === "```ts" || line === "```sh"

/** What a page shows of Effect 4 below a block. */
const shownAt = (lines: ReadonlyArray<string>, at: number): ReadonlyArray<string> =>
  lines[at + 1] === opening ? lines.slice(at, lines.indexOf(closing, at) + 1) : []

/** What should be there; nothing if that is not known. */
const differencesOf = (
  block: ReadonlyArray<string>,
  marker: string,
  three: Page["three"],
  four: Page["four"]
): ReadonlyArray<string> | undefined => {
  const own = block.slice(1, -1)
  if (block[0] === "```sh") return folded(own, installed(own))
  const [, file, region] = /^<!-- example: (\S+?)(?:#(\S+))? -->$/.exec(marker) ?? []
  if (block[0] !== "```ts" || file === undefined) return []
  const [before, after] = [three(file), four(file)]
  if (before === undefined || after === undefined) return undefined
  return folded(snippetOf(before, region) ?? [], snippetOf(after, region) ?? [])
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
