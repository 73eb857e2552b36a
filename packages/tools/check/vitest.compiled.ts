/**
 * The projects of `vitest.workspace.ts`, with the sources of the published packages compiled once before a run.
 *
 * Vite gives each worker every module on demand and puts a getter between a module and what it imports, which takes a
 * seventh of the processor time of all tests. What Node loads by itself costs neither. As every run compiles all sources
 * first, in less than a second, no test sees an old one. Vite does not know of the sources then: `--watch`, `--changed`
 * and `--coverage` need the other file.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"
import workspace, { projects } from "../../../vitest.workspace.ts"

const packages = fileURLToPath(new URL("../..", import.meta.url))
const published = readdirSync(packages).filter((name) => name !== "tools" && !name.includes("."))

/** Below the package, so that Node finds what the package depends on. */
const compiledFolder = (name: string): string => join(packages, name, "node_modules/.cache/compiled")

const sourcesOf = (name: string): ReadonlyArray<string> =>
  readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(packages, name, "src", file))

/** Where a source is compiled to; nothing for any other file. */
const compiled = new Map(
  published.flatMap((name) =>
    sourcesOf(name).map((source) => {
      const file = relative(join(packages, name, "src"), source).replace(/\.ts$/, ".js")
      return [source, join(compiledFolder(name), file)]
    })
  )
)

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly "@effect-retry/source": string }>>
}

/** The sources by the names under which packages import them. */
const exported = new Map(
  published.flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as Manifest
    return Object.entries(manifest.exports).flatMap(([path, entry]) =>
      typeof entry === "string"
        ? []
        : [[join(manifest.name, path), join(packages, name, entry["@effect-retry/source"])] as const]
    )
  })
)

const resolve = (path: string, importer = ""): string | undefined =>
  compiled.get(exported.get(path) ?? (path.startsWith(".") ? join(dirname(importer), path) : path))

const imports: Plugin = {
  name: "imports",
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ importer, kind, path }) =>
      kind === "entry-point" ? undefined : { path: resolve(path, importer) ?? path, external: true }
    )
}

const outputs = await Promise.all(
  published.map((name) =>
    build({
      entryPoints: [...sourcesOf(name)],
      outbase: join(packages, name, "src"),
      outdir: compiledFolder(name),
      bundle: true,
      format: "esm",
      target: "es2022",
      sourcemap: "inline",
      plugins: [imports],
      write: false
    })
  )
)

// What has not changed stays, and what has is replaced at once: other runs may read it.
for (const { path, text } of outputs.flatMap(({ outputFiles }) => outputFiles)) {
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
}

const tests = new Map<string, boolean>()

/** Only Vite can load a module again or in another form: tests that ask for it, and what they import, stay with Vite. */
const replacesModules = (importer: string): boolean => {
  const known = tests.get(importer)
  if (known !== undefined) return known
  const found =
    importer.endsWith(".test.ts") && /\bvi\.(?:resetModules|mock|doMock)\(/.test(readFileSync(importer, "utf8"))
  tests.set(importer, found)
  return found
}

// For a file that a test names at run time, Vite gives `index.html` as the importer.
const staysWithVite = (importer: string): boolean =>
  !importer.endsWith(".ts") || compiled.has(importer) || replacesModules(importer)

const instead = {
  name: "compiled",
  enforce: "pre" as const,
  resolveId: (path: string, importer = "") => (staysWithVite(importer) ? undefined : resolve(path, importer))
}

export default {
  ...workspace,
  test: {
    ...workspace.test,
    projects: projects.map(({ test, ...project }) => ({
      ...project,
      plugins: [instead],
      test: { ...test, server: { deps: { external: [/\/node_modules\/\.cache\/compiled\//] } } }
    }))
  }
}
