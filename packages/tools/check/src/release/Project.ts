/** An empty project of a stranger, outside of the repository: nothing of the repository is found from it. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Place, runIn } from "../Command.ts"
import { ourErrors, strict } from "./Compiler.ts"

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

/** Compiles the project; the compiled modules exist if nothing failed. */
export const compile = async ({ folder, place }: Project, compiler: string): Promise<Failures> => {
  rmSync(join(folder, "out"), { recursive: true, force: true })
  const { output } = await runIn(place, process.execPath, compiler, "--project", ".", "--pretty", "false")
  const errors = ourErrors(output)
  if (errors.length > 0) return [`${folder}, compiled by ${compiler}:\n${errors.join("\n")}`]
  return readdirSync(folder).includes("out") ? [] : [output]
}

/** Runs a compiled module, and compares its output if the README shows it. */
export const run = async (
  { place }: Project,
  node: string,
  name: string,
  expected: string | undefined
): Promise<Failures> => {
  const { error, output, stdout } = await runIn(place, node, `out/${name}.js`)
  if (error) return [output]
  return expected === undefined || stdout === expected ? [] : [`${output}\ninstead of\n${expected}`]
}
