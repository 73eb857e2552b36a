import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

// One project for all packages: the two workers load `effect` once each, and share out the long files.
const packages = {
  // The tests of core and plan use the testing package, which depends on both: an alias instead of a dependency keeps the
  // graph free of a cycle.
  resolve: { alias: [{ find: /^@effect-retry\/testing$/, replacement: path("packages/testing/src/index.ts") }] },
  // Tests run the sources: no build is needed before them, and stack traces point into src.
  ssr: { resolve: { conditions: ["@effect-retry/source", "module", "node", "development|production"] } },
  test: {
    name: "packages",
    include: ["packages/*/test/**/*.test.ts", "packages/tools/*/test/**/*.test.ts"],
    setupFiles: [path("packages/testing/test/setup.ts")],
    // No test measures time: these end one that hangs, and leave a busy machine its time.
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
}

// What operations leave in memory is measured in a process of its own: `pnpm check leaks`.
const leaks = {
  resolve: packages.resolve,
  ssr: packages.ssr,
  test: { name: "leaks", include: ["packages/*/test/**/*.leaks.ts"], isolate: true }
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    minWorkers: 2,
    isolate: false,
    // Laws and storms make much short-lived garbage: with room for it, they take a tenth less.
    poolOptions: { forks: { execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64"] } },
    projects: [packages, leaks],
    coverage: {
      provider: "v8",
      include: [
        "packages/core/src/**",
        "packages/plan/src/**",
        "packages/testing/src/**",
        "packages/http/src/**",
        "packages/aws/src/**",
        "packages/google/src/**"
      ]
    }
  }
})
