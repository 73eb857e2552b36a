/**
 * Writes the line for Effect 4 into the cache: sources, tests, manifests and settings of the compiler.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Finding } from "@effect-retry/check/Finding"
import { execute } from "@effect-retry/check/Command"
import { filesBelow, root } from "@effect-retry/check/Workspace"
import { randomPrograms } from "@effect-retry/site/RandomPrograms"
import ts from "typescript5"
import { derive } from "./Derive.ts"
import * as Examples from "./Examples.ts"
import { type Exports, exportsOf, supportIn } from "./Line4.ts"
import { manifest, manifestOfTool } from "./Manifest.ts"
import { differences } from "./names/differences.ts"
import { omissions } from "./names/omissions.ts"
import { resolved } from "./Origin.ts"
import {
  cache,
  installed,
  isSource,
  isTest,
  manifestOf,
  type Package,
  packages,
  type Part,
  support,
  tools
} from "./Packages.ts"

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Writes a file if it has changed, so that an unchanged one is not built again. */
const write = (target: string, text: string): boolean => {
  const path = join(cache, target)
  if (existsSync(path) && readFileSync(path, "utf8") === text) return false
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return true
}

/** Derives parts of packages, and answers what cannot be derived. */
export const emit = (names: ReadonlyArray<Package>, parts: ReadonlyArray<Part>): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const sources = parts.filter((part) => isSource(part) && !part.isPerLine)
  const program = programOf(sources.map(({ source }) => join(root, source)))
  const checker = program.getTypeChecker()
  const exports = exportsOf(join(installed, "effect"))
  const supported = supportIn(support)
  const forTests: Exports = (module) => exports(module) ?? supported(module)
  const raw = new Map<string, string>()
  for (const part of parts) {
    if (part.isPerLine || !isSource(part)) {
      raw.set(part.target, read(part.source))
      continue
    }
    const file = program.getSourceFile(join(root, part.source))
    if (file === undefined) continue
    const derived = derive({
      path: part.source,
      file,
      names: resolved(file, checker),
      exports: isTest(part.target) ? forTests : exports,
      omitted: omissions.filter(({ file }) => file === part.target).flatMap(({ parts }) => parts),
      replaced: differences.filter(({ file }) => file === part.target).flatMap(({ rows }) => rows)
    })
    findings.push(...derived.findings)
    raw.set(part.target, derived.text)
  }
  writeFormatted(raw)
  for (const name of names) write(`packages/${name}/package.json`, manifest(manifestOf(name), importedBy(name, raw)))
  for (const name of tools) write(`packages/${name}/package.json`, manifestOfTool(manifestOf(name)))
  for (const file of readdirSync(support)) write(`packages/effect3/${file}`, readFileSync(join(support, file), "utf8"))
  write(
    "packages/effect3/package.json",
    JSON.stringify({ name: "effect3", type: "module", exports: { "./*": "./*.ts" } })
  )
  write("vitest.config.ts", read("packages/tools/effect4/install/vitest.config.ts"))
  rmSync(join(cache, "programs"), { recursive: true, force: true })
  for (const { code, name } of programsFor(names)) write(`programs/${name}`, code)
  const examples = names.flatMap((name) => Examples.examplesIn(name, raw))
  for (const name of names) rmSync(join(cache, Examples.folderOf(name)), { recursive: true, force: true })
  for (const { code, name } of examples) write(name, code)
  write(Examples.program, Examples.programOf(examples))
  write("tsconfig.json", settings(names))
  removeOthers(parts)
  return findings
}

/** Of the playground of the site, for the compiler: those that have what they import. */
const programsFor = (names: ReadonlyArray<Package>) =>
  randomPrograms(["effect4", "promises", ...(hasHttp(names) ? (["fetch"] as const) : [])])

const hasHttp = (names: ReadonlyArray<string>): boolean => names.includes("http")

/** The modules that the sources of a package import. */
const importedBy = (name: Package, raw: ReadonlyMap<string, string>): ReadonlySet<string> =>
  new Set(
    [...raw]
      .filter(([target]) => target.startsWith(`${name}/src/`))
      .flatMap(([, text]) => Array.from(text.matchAll(/ from "([^"]+)"/g), ([, module = ""]) => module))
  )

const programOf = (files: ReadonlyArray<string>): ts.Program =>
  ts.createProgram([...files], {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    module: ts.ModuleKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    customConditions: ["@effect-retry/source"],
    paths: { "@effect-retry/testing": [join(root, "packages/testing/src/index.ts")] }
  })

/** Formats what is new since the last time: the text before the formatter is kept beside the line. */
const writeFormatted = (raw: ReadonlyMap<string, string>): void => {
  const changed: Array<string> = []
  for (const [target, text] of raw) {
    const mark = createHash("sha256").update(text).digest("hex")
    const known = join(cache, "marks", `${target}.sha`)
    const path = join(cache, "packages", target)
    if (existsSync(path) && existsSync(known) && readFileSync(known, "utf8") === mark) continue
    write(`packages/${target}`, text)
    write(`marks/${target}.sha`, mark)
    // Tests are not published, and stay as they are printed.
    if (target.endsWith(".ts") && !isTest(target)) changed.push(path)
  }
  if (changed.length > 0) {
    const { error, output } = execute("oxfmt", "--with-node-modules", ...changed)
    if (error) throw new Error(output)
  }
}

const removeOthers = (parts: ReadonlyArray<Part>): void => {
  const wanted = new Set(parts.map(({ target }) => target))
  for (const name of [...packages, ...tools]) {
    for (const folder of ["src", "programs", "test"]) {
      for (const path of filesBelow(`node_modules/.cache/effect4/packages/${name}/${folder}`)) {
        const target = path.slice("node_modules/.cache/effect4/packages/".length)
        if (!wanted.has(target)) rmSync(join(root, path))
      }
    }
  }
}

const settings = (names: ReadonlyArray<Package>): string => {
  const base = JSON.parse(read("tsconfig.base.json").replaceAll(/^\s*\/\/.*$/gm, "")) as {
    readonly compilerOptions: Record<string, unknown>
  }
  const { plugins: _, ...options } = base.compilerOptions
  return `${JSON.stringify(
    {
      compilerOptions: {
        ...options,
        composite: false,
        declarationMap: false,
        incremental: true,
        tsBuildInfoFile: ".tsbuildinfo",
        noEmit: true,
        skipLibCheck: true,
        rewriteRelativeImportExtensions: false,
        allowImportingTsExtensions: true,
        typeRoots: [join(root, "node_modules/@types")]
      },
      include: [
        ...names.flatMap((name) => [`packages/${name}/src`, Examples.folderOf(name)]),
        ...tools.flatMap((name) => [`packages/${name}/src`, `packages/${name}/programs`]),
        "programs"
      ],
      exclude: []
    },
    undefined,
    2
  )}\n`
}
