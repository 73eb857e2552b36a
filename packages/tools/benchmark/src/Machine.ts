/**
 * Where and with what was measured.
 */
import { readFileSync } from "node:fs"
import { arch, cpus, platform } from "node:os"

/** The packages of `pnpm bench`. */
const measuredPackages = [
  "effect",
  "@effect/platform",
  "@effect/platform-node",
  "@effect-retry/core",
  "@effect-retry/http",
  "p-retry",
  "cockatiel",
  "async-retry",
  "exponential-backoff",
  "@smithy/util-retry",
  "undici",
  "got",
  "ky",
  "axios",
  "axios-retry"
]

export const describeMachine = (packages: ReadonlyArray<string> = measuredPackages): string => {
  const [cpu] = cpus()
  return [
    `- Machine: ${cpu?.model.trim()}, ${cpus().length} cores, ${platform()} ${arch()}`,
    `- Node.js ${process.versions.node}, V8 ${process.versions.v8}`,
    `- Packages: ${packages.map((name) => `${name} ${versionOf(name)}`).join(", ")}`
  ].join("\n")
}

const versionOf = (name: string): string => {
  const path = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "?"
}
