/**
 * The tables in `docs/quality.md`.
 */
import * as Folders from "./Folders.ts"
import type { Kept } from "./Kept.ts"
import { percent } from "./Score.ts"

interface Markers {
  readonly begin: string
  readonly end: string
}

const scores: Markers = {
  begin: "<!-- mutation: begin, written by `pnpm mutation <folder> --write` -->",
  end: "<!-- mutation: end -->"
}

const counts: Markers = {
  begin: "<!-- count: begin, written by `pnpm mutation --count` -->",
  end: "<!-- count: end -->"
}

const head = [
  "| folder | mutants | tried | noticed | equivalent | score | at least | date | commit |",
  "| --- | --: | --: | --: | --: | --: | --: | --- | --- |"
]

const row = (folder: string, score: Kept): string => {
  const { all, commit, date, equivalent, killed, run } = score
  const least = Folders.floors[folder] ?? 0
  return `| ${folder} | ${all} | ${run} | ${killed} | ${equivalent} | ${percent(score).toFixed(1)} | ${least} | ${date} | ${commit} |`
}

/** The page with another text between its markers, made of the one that is there. */
const between = (page: string, { begin, end }: Markers, change: (text: string) => string): string => {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from === -1 || to < from) throw new Error(`the page lacks ${begin} or, after it, ${end}`)
  const start = from + begin.length
  return `${page.slice(0, start)}\n\n${change(page.slice(start, to))}\n\n${page.slice(to)}`
}

/** The page with the row of a folder, in the place of an earlier one. The rows stand in the order of the folders. */
export const withScore = (page: string, folder: string, score: Kept): string =>
  between(page, scores, (text) => {
    const rows = new Map(
      text.split("\n").flatMap((line) => {
        const name = /^\| (\S+) +\|/.exec(line)?.[1]
        return name !== undefined && name in Folders.floors ? [[name, line]] : []
      })
    )
    rows.set(folder, row(folder, score))
    return [...head, ...Object.keys(Folders.floors).flatMap((name) => rows.get(name) ?? [])].join("\n")
  })

/** The page with a table of what the tests have. */
export const withCount = (page: string, table: string): string => between(page, counts, () => table)
