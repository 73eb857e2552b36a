/**
 * The scores of files, kept from run to run, so that a folder that is run file by file adds up.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Folders from "./Folders.ts"

/** The score of a file, or of all files of a folder. */
export interface Kept {
  readonly all: number
  readonly run: number
  readonly killed: number
  readonly equivalent: number
  /** Such as `2026-11-22`. */
  readonly date: string
  readonly commit: string
}

interface OfFile extends Kept {
  /** In short: a file that has changed since has no score. */
  readonly source: string
}

interface Scores {
  readonly [path: string]: OfFile
}

const scoresPath = "node_modules/.cache/mutation/scores.json"

const read = (): Scores => (existsSync(scoresPath) ? (JSON.parse(readFileSync(scoresPath, "utf8")) as Scores) : {})

const short = (source: string): string => createHash("sha256").update(source).digest("hex").slice(0, 16)

/** Keeps the score of a file with this source. */
export const keep = (path: string, source: string, score: Kept): void => {
  mkdirSync(dirname(scoresPath), { recursive: true })
  writeFileSync(scoresPath, JSON.stringify({ ...read(), [path]: { ...score, source: short(source) } }, null, 2))
}

/** The score of a folder, and the files that have none, or none any more. */
export const ofFolder = (folder: string): { readonly score: Kept; readonly missing: ReadonlyArray<string> } => {
  const scores = read()
  const found = Folders.files(folder).map((name) => {
    const path = join(Folders.path(folder, "src"), name)
    const score = scores[path]
    return { name, score: score?.source === short(readFileSync(path, "utf8")) ? score : undefined }
  })
  return {
    score: add(found.flatMap(({ score }) => score ?? [])),
    missing: found.filter(({ score }) => score === undefined).map(({ name }) => name)
  }
}

/** The sum of the scores of files, with the date and the commit of the last one. */
export const add = (scores: ReadonlyArray<Kept>): Kept => {
  const last = scores.toSorted((one, other) => one.date.localeCompare(other.date)).at(-1)
  const sum = (count: (score: Kept) => number): number => scores.reduce((all, score) => all + count(score), 0)
  return {
    all: sum(({ all }) => all),
    run: sum(({ run }) => run),
    killed: sum(({ killed }) => killed),
    equivalent: sum(({ equivalent }) => equivalent),
    date: last?.date ?? "",
    commit: last?.commit ?? ""
  }
}
