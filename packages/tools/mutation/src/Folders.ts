/**
 * The folders that are measured, and the least share of their mutants that the tests notice, in percent.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

export const floors: { readonly [folder: string]: number } = {
  "core/accept": 96,
  "core/classify": 96,
  "core/decide": 96,
  "core/fund/fiber": 96,
  "core/fund/port": 96,
  "core/fund/count": 96,
  "core/fund/store": 96,
  "core/fund/bucket": 96,
  "core/fund/compose": 96,
  "core/loop/policy": 96,
  "core/loop/run": 96,
  "core/loop/hedge": 96,
  "core/loop": 96,
  "core/observe": 96,
  "plan/chance": 96,
  "plan/clock": 96,
  "plan/bounds": 96,
  "plan/explain": 96,
  "plan/sample": 96,
  "plan/load": 96,
  "http/accept": 95,
  "http/classify": 95,
  "http/decide": 95,
  "http/loop/client": 95,
  "http/loop/policy": 95,
  "http/loop/exchange": 95,
  "http/loop/fetch": 95,
  "http/loop": 95
}

/** Where the sources of a folder are, or its tests, from the root of the repository. */
export const path = (folder: string, kind: "src" | "test"): string => {
  const [name = "", ...stage] = folder.split("/")
  return join("packages", name, kind, ...stage)
}

/**
 * A pattern of the folders whose tests count for a room: its stage, and `accept`, which tests what callers pass to any stage.
 * For plan, and for what touches the runtime of Effect, all tests of the package count.
 */
export const tests = (folder: string): string => {
  const [name = "", ownStage] = folder.split("/")
  if (name === "plan" || folder === "core/fund/fiber") return path(name, "test")
  return join(path(name, "test"), ownStage === "accept" ? "accept" : `{accept,${ownStage}}`)
}

/** The stage of a room; plan has none, and is one itself. */
export const stage = (folder: string): string =>
  folder.startsWith("plan/") ? "plan" : folder.split("/").slice(0, 2).join("/")

/** The stages that are measured. */
export const stages = (): ReadonlyArray<string> => [...new Set(Object.keys(floors).map(stage))]

/** A folder and its rooms. */
export const within = (folder: string): ReadonlyArray<string> => [
  folder,
  ...Object.keys(floors).filter((name) => name.startsWith(`${folder}/`))
]

/** The names of the sources of a folder, without those of the folders inside. The index of a package has no code. */
export const files = (folder: string): ReadonlyArray<string> =>
  existsSync(path(folder, "src"))
    ? readdirSync(path(folder, "src")).filter((name) => name.endsWith(".ts") && name !== "index.ts")
    : []

/** The files of each folder among `paths`, which begin at the root of the repository. */
export const group = (paths: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    Object.keys(floors)
      .map(
        (folder) => [folder, files(folder).filter((name) => paths.includes(join(path(folder, "src"), name)))] as const
      )
      .filter(([, names]) => names.length > 0)
  )
