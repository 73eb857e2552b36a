/** An empty project of a stranger, outside of the repository: nothing of the repository is found from it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Place, runIn } from "../Command.ts"
import { root } from "../Workspace.ts"
import { ourErrors, strict } from "./Compiler.ts"
import { runInTurn } from "./InTurn.ts"

export interface ProjectInput {
  readonly folder: string
  readonly npmrc: string
  /** Folder that is home and cache of package managers, so that nothing of the user's is read or written. */
  readonly home: string
}

export interface Project {
  readonly folder: string
  readonly place: Place
}

/** One text per failure. */
type Failures = ReadonlyArray<string>

export const make = ({ folder, home, npmrc }: ProjectInput): Project => {
  mkdirSync(join(folder, "src"), { recursive: true })
  const files = {
    ".npmrc": npmrc,
    "package.json": { name: "stranger", version: "1.0.0", private: true, type: "module" },
    "tsconfig.json": { compilerOptions: strict, include: ["src"] },
    // Left alone, pnpm refuses what was published today, which here is everything, and stops at install scripts.
    "pnpm-workspace.yaml": { packages: [], minimumReleaseAge: 0, strictDepBuilds: false }
  }
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content))
  }
  return { folder, place: { folder, environment: environmentOf(home) } }
}

/** This environment without what it says to npm and pnpm. */
const environmentOf = (home: string) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm|pnpm)_/i.test(name))),
  HOME: home,
  XDG_CACHE_HOME: join(home, "cache"),
  XDG_DATA_HOME: join(home, "data"),
  npm_config_cache: join(home, "npm"),
  // What one project has asked the registry for, the next one need not.
  npm_config_prefer_offline: "true",
  npm_config_update_notifier: "false",
  npm_config_audit: "false",
  npm_config_fund: "false",
  CI: "true"
})

/** Runs install lines in their order, until one fails. */
export const install = async (
  { place }: Project,
  manager: "npm" | "pnpm",
  lines: ReadonlyArray<ReadonlyArray<string>>
): Promise<Failures> => {
  for (const line of lines) {
    const command = manager === "npm" ? ["npm", "install"] : ["pnpm", "add"]
    const { error, output } = await runIn(place, ...(command as [string, string]), ...line)
    if (error) return [output]
  }
  return []
}

export const write = ({ folder }: Project, name: string, code: string): void =>
  writeFileSync(join(folder, "src", `${name}.ts`), code)

/** What a compiler of TypeScript 5, by its library, says of the project. */
export const diagnose = async ({ folder, place }: Project, library: string): Promise<Failures> => {
  const { error, output } = await runIn(place, tsx, join(here, "Diagnose.ts"), library)
  return error ? [`${folder}, checked by ${library}:\n${output}`] : []
}

/** Compiles the project by TypeScript 7; the compiled modules are there if nothing failed. */
export const compile = async ({ folder, place }: Project, compiler: string): Promise<Failures> => {
  // Checkers beside each other do a part of the work twice, and other commands have the other processor.
  const options = ["--project", ".", "--pretty", "false", "--outDir", out, "--singleThreaded"]
  const { output } = await runIn(place, process.execPath, compiler, ...options)
  const errors = ourErrors(output)
  if (errors.length > 0) return [`${folder}, compiled by ${compiler}:\n${errors.join("\n")}`]
  return existsSync(join(folder, out)) ? [] : [output]
}

const out = "out"
const here = join(root, "packages/tools/check/src/release")
const tsx = join(root, "node_modules/.bin/tsx")

export interface Module {
  readonly name: string
  /** What the README says that it prints, if it says so. */
  readonly printed?: string
}

/** Runs compiled modules one after another, and compares the output of those of which a README shows it. */
export const run = async ({ place }: Project, node: string, modules: ReadonlyArray<Module>): Promise<Failures> => {
  const { error, output, printed } = await runInTurn(
    place,
    node,
    modules.map(({ name }) => join(out, `${name}.js`))
  )
  if (error) return [output]
  return modules.flatMap(({ name, printed: expected }, index) =>
    expected === undefined || printed[index] === expected
      ? []
      : [`${name}, run by ${node}, printed\n${printed[index]}\ninstead of\n${expected}`]
  )
}
