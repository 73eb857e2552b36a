/**
 * Where and with what was measured.
 */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { arch, cpus, platform } from "node:os"
import { join } from "node:path"

export const describeMachine = (packages: ReadonlyArray<string>): string => {
  const [cpu] = cpus()
  return [
    `- Machine: ${cpu?.model.trim()}, ${cpus().length} cores, ${platform()} ${arch()}`,
    `- Node.js ${process.versions.node}, V8 ${process.versions.v8}`,
    `- Packages: ${packages.map((name) => `${name} ${versionOf(name)}`).join(", ")}`
  ].join("\n")
}

const { resolve } = createRequire(import.meta.url)

/** Read from the folder of a package, because not every package exports its manifest. */
const versionOf = (name: string): string => {
  const paths = (resolve.paths(name) ?? []).map((folder) => join(folder, name, "package.json"))
  const path = paths.find((path) => existsSync(path))
  const manifest: unknown = path && JSON.parse(readFileSync(path, "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "?"
}
