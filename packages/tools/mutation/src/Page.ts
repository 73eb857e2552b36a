/**
 * The table of scores in `docs/quality.md`.
 */
import * as Folders from "./Folders.ts"
import type { Kept } from "./Kept.ts"
import { percent } from "./Score.ts"

const begin = "<!-- mutation: begin, written by `pnpm mutation <folder> --write` -->"
const end = "<!-- mutation: end -->"

const head = [
  "| folder | mutants | noticed | equivalent | score | at least | date | commit |",
  "| --- | --: | --: | --: | --: | --: | --- | --- |"
]

const row = (folder: string, score: Kept): string => {
  const { commit, date, equivalent, killed, run } = score
  const least = Folders.floors[folder] ?? 0
  return `| ${folder} | ${run} | ${killed} | ${equivalent} | ${percent(score).toFixed(1)} | ${least} | ${date} | ${commit} |`
}

/** The page with the row of a folder, in the place of an earlier one. The rows stand in the order of the folders. */
export const withScore = (page: string, folder: string, score: Kept): string => {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from === -1 || to < from) throw new Error(`the page lacks ${begin} or ${end}`)
  const rows = new Map(
    page
      .slice(from, to)
      .split("\n")
      .flatMap((line) => {
        const name = /^\| (\S+) \|/.exec(line)?.[1]
        return name !== undefined && name in Folders.floors ? [[name, line]] : []
      })
  )
  rows.set(folder, row(folder, score))
  const table = [...head, ...Object.keys(Folders.floors).flatMap((name) => rows.get(name) ?? [])]
  return `${page.slice(0, from)}${begin}\n\n${table.join("\n")}\n\n${page.slice(to)}`
}
