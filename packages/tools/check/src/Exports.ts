/**
 * Every module of a package is reachable by a flat name whatever folder it lives in: `@effect-retry/core/Backoff`. The
 * list of modules is written once, in `src/index.ts`, and both exports maps of the package.json must follow it. After those
 * come the modules that import an optional peer, and under `unstable/` the ones that only the sibling packages need.
 */
import { type Finding, lineOf } from "./Finding.ts"
import type { Manifest } from "./Workspace.ts"

interface Module {
  readonly name: string
  /** Relative to `src`, without extension. */
  readonly path: string
}

export interface ExportsInput {
  readonly indexPath: string
  readonly index: string
  readonly manifestPath: string
  readonly manifest: string
  /** Whether the package has this file, such as `src/loop/Loop.ts`. */
  readonly has: (path: string) => boolean
}

const exportLine = /^export \* as (\w+) from "\.\/([\w/]+)\.ts"$/

export const checkExports = (input: ExportsInput): ReadonlyArray<Finding> => {
  const { findings, modules } = readIndex(input)
  const manifest = JSON.parse(input.manifest) as Manifest
  const all = [...modules, ...siblingModules(input, manifest, modules)]
  const differs = (actual: unknown, expected: unknown) => JSON.stringify(actual) !== JSON.stringify(expected)
  const object = (key: string, line: number): Finding => ({
    file: input.manifestPath,
    line,
    message: `${key} does not match ${input.indexPath}: run check exports --write`
  })
  return [
    ...findings,
    ...(differs(manifest.exports, exportsOf(all, true))
      ? [object("exports", lineOf(input.manifest, '"exports"'))]
      : []),
    ...(differs(manifest.publishConfig?.["exports"], exportsOf(all, false))
      ? [object("publishConfig.exports", lineOf(input.manifest, '"publishConfig"'))]
      : [])
  ]
}

/** The text of the package.json with both maps regenerated; formatting is left to the formatter. */
export const writeExports = (input: ExportsInput): string => {
  const { modules } = readIndex(input)
  const manifest = JSON.parse(input.manifest) as Manifest
  const all = [...modules, ...siblingModules(input, manifest, modules)]
  const publishConfig = { ...manifest.publishConfig, exports: exportsOf(all, false) }
  return JSON.stringify({ ...manifest, exports: exportsOf(all, true), publishConfig }, null, 2) + "\n"
}

/** What the manifest exports and the index does not, by the source it names. */
const siblingModules = (
  { has }: ExportsInput,
  manifest: Manifest,
  indexed: ReadonlyArray<Module>
): ReadonlyArray<Module> =>
  Object.entries(manifest.exports ?? {})
    .flatMap(([key, target]) => {
      const source = (target as Readonly<Record<string, string>>)["@effect-retry/source"]
      const [, path] = /^\.\/src\/(.+)\.ts$/.exec(source ?? "") ?? []
      if (path === undefined || path === "index") return []
      const name = path.replace(/^.*\//, "")
      return [{ path, name: key.startsWith("./unstable/") ? `unstable/${name}` : name }]
    })
    .filter(({ name, path }) => has(`src/${path}.ts`) && indexed.every((module) => module.name !== name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))

const readIndex = ({ index, indexPath }: ExportsInput) => {
  const modules: Array<Module> = []
  const findings: Array<Finding> = []
  const withoutComments = index.replace(/\/\*[^]*?\*\/|^\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ""))
  for (const [number, line] of withoutComments.split("\n").entries()) {
    if (line.trim() === "") continue
    const [, name, path] = exportLine.exec(line) ?? []
    if (name === undefined || path === undefined) {
      findings.push({
        file: indexPath,
        line: number + 1,
        message: `is not of the form: export * as X from "./stage/X.ts"`
      })
    } else if (path.split("/").at(-1) !== name) {
      findings.push({ file: indexPath, line: number + 1, message: `exports ${path}.ts under the other name ${name}` })
    } else {
      modules.push({ name, path })
    }
  }
  return { modules, findings }
}

const exportsOf = (modules: ReadonlyArray<Module>, source: boolean): Record<string, unknown> => {
  const entry = (path: string) => ({
    ...(source ? { "@effect-retry/source": `./src/${path}.ts` } : {}),
    types: `./dist/${path}.d.ts`,
    default: `./dist/${path}.js`
  })
  return {
    ".": entry("index"),
    ...Object.fromEntries(modules.map(({ name, path }) => [`./${name}`, entry(path)])),
    "./package.json": "./package.json"
  }
}
