/**
 * The derived tests, in the folder into which this file is copied.
 *
 * Node loads them, and what they test, by itself: Vite would transform each module for each worker, and put a getter
 * between a module and what it imports, which takes a quarter of the processor time of all tests.
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** Only Vite can load a module again or in another form. */
const replacesModules = (file: string): boolean =>
  /\bvi\.(?:resetModules|mock|doMock)\(/.test(readFileSync(path(file), "utf8"))

const ofVite = readdirSync(path("packages"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
  .map((file) => `packages/${file}`)
  .filter(replacesModules)

const shared = { isolate: false, testTimeout: 120_000, hookTimeout: 120_000 }

/** Of a name, and with processes of their own: the registry of metrics is one for all that a process runs. */
const node = (name: string, include: string) => ({
  root: path("."),
  test: {
    ...shared,
    name,
    include: [include],
    exclude: ofVite,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [
      "--conditions=@effect-retry/source",
      "--disable-warning=ExperimentalWarning",
      `--import=${new URL("../../../packages/tools/effect4/src/stripped.mjs", import.meta.url)}`
    ]
  }
})

const packages = node("packages", "packages/*/test/**/*.test.ts")

const tools = node("tools", "packages/tools/*/test/**/*.test.ts")

const vite = {
  root: path("."),
  resolve: {
    preserveSymlinks: false,
    alias: [
      { find: /^@effect\/vitest$/, replacement: path("packages/effect3/vitest.ts") },
      { find: /^effect3\/(.*)$/, replacement: path("packages/effect3/$1.ts") },
      { find: /^@effect-retry\/testing$/, replacement: path("packages/testing/src/index.ts") }
    ]
  },
  // Without "module": what is not inlined is loaded by Node, for which such files are not meant.
  ssr: { resolve: { conditions: ["@effect-retry/source", "node", "development|production"] } },
  test: {
    ...shared,
    name: "vite",
    include: ofVite,
    exclude: [],
    server: { deps: { inline: [/\/effect4\/packages\//] } }
  }
}

/** Starts the longest file first: at the end it would keep one worker busy, and leave the other without work. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith("/tools/examples/test/examples.test.ts")
    // oxlint-disable-next-line unicorn/no-array-sort -- This is the sequencer's own method.
    const sorted = await super.sort(files)
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))]
  }
}

export default defineConfig({
  root: path("."),
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [packages, tools, vite]
  }
})
