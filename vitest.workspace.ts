import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// Core's tests use the testing package, which depends on core: an alias instead of a dependency keeps the graph free of
// a cycle.
const testing = fileURLToPath(new URL("packages/testing/src/index.ts", import.meta.url))
const setup = fileURLToPath(new URL("vitest.setup.ts", import.meta.url))

const project = (name: string) => ({
  root: fileURLToPath(new URL(`packages/${name}`, import.meta.url)),
  resolve: { alias: [{ find: /^@effect-retry\/testing$/, replacement: testing }] },
  // Tests run the sources: no build is needed before them, and stack traces point into src.
  ssr: { resolve: { conditions: ["@effect-retry/source", "module", "node", "development|production"] } },
  test: { name, include: ["test/**/*.test.ts"], setupFiles: [setup] }
})

export default defineConfig({
  test: {
    maxWorkers: 2,
    minWorkers: 2,
    // The files of a project share what a worker has loaded: `effect` once per file would double the time.
    isolate: false,
    // Laws and storms make much short-lived garbage: with room for it, they take a tenth less.
    poolOptions: { forks: { execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64"] } },
    projects: ["core", "testing", "http", "examples", "check", "demo", "storms", "benchmark"].map(project),
    coverage: {
      provider: "v8",
      include: ["packages/core/src/**", "packages/testing/src/**", "packages/http/src/**"]
    }
  }
})
