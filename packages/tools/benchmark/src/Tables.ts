/**
 * Measures workloads of a program and prints their tables: all of them, which are then written into a part of
 * `docs/performance.md`, or those whose titles contain an argument of the command, which are not.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { type Part, replaced } from "./Page.ts"

/** What `one` prints of one workload. */
export interface Measured {
  readonly section: string
  /** The rows that miss their target by more than their spread. */
  readonly failures: ReadonlyArray<string>
}

/** What `one` prints without a title. */
export interface Titles {
  readonly machine: string
  readonly titles: ReadonlyArray<string>
}

interface Program {
  /** The Node that runs `one`, and what it takes before the title. */
  readonly node: string
  readonly args: ReadonlyArray<string>
  readonly page: URL
  readonly part: Part
}

/** Answers the exit code of the process: 1 if a target is missed by more than the spread of its row. */
export const write = ({ args, node, page, part }: Program): number => {
  const startedAt = performance.now()
  /** A process for each: what the compiler learns from one table must not affect the next. */
  const run = (...title: ReadonlyArray<string>): unknown =>
    JSON.parse(execFileSync(node, [...args, ...title], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }))
  const { machine, titles } = run() as Titles
  const words = process.argv.slice(2)
  const isAll = words.length === 0
  const asked = isAll ? titles : titles.filter((title) => words.some((word) => title.includes(word)))
  if (asked.length === 0) throw new Error(`No table has a title with ${words.join(" or ")}:\n${titles.join("\n")}`)
  const tables = asked.map((title) => {
    const table = run(title) as Measured
    console.log(`${table.section}\n`)
    return table
  })
  const content = [machine, ...tables.map(({ section }) => section)].join("\n\n")
  if (isAll) writeFileSync(page, replaced(readFileSync(page, "utf8"), content, part))
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`Took ${seconds} seconds; ${isAll ? "written into docs/performance.md" : "nothing is written"}`)
  const failures = tables.flatMap(({ failures }) => failures)
  for (const failure of failures) console.error(`Missed by more than the spread: ${failure}`)
  return failures.length === 0 ? 0 : 1
}
