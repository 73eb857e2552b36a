import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** The files that take longest, of which the first two wait most of their time. */
const longest = [
  "fleet/test/faults/Bounds",
  "tools/demo/test/Demo",
  "tools/examples/test/examples",
  "plan/test/fit/Fit",
  "http/test/loop/Clients",
  "core/test/fund/model",
  "core/test/loop/Yielding",
  "http/test/loop/Sockets",
  "fleet/test/fund/bucket/Contract",
  "tools/outage/test/Fleet",
  "fleet/test/fund/redis/Connection",
  "fleet/test/Recorded",
  "aws/test/loop/SdkClients",
  "plan/test/explain/Explain",
  "testing/test/contract/TokenBucketContract",
  "testing/test/laws/Laws",
  "tools/examples/test/testing-node",
  "tools/storms/test/Clients",
  "fleet/test/SmallFleet",
  "fleet/test/fund/bucket/model"
]

/** Starts the longest files first, so that all workers end together. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rest = (await super.sort(files)).toReversed()
    for (const name of longest.toReversed()) {
      const at = rest.findIndex(({ moduleId }) => moduleId.includes(`/packages/${name}.`))
      if (at !== -1) rest.push(...rest.splice(at, 1))
    }
    return rest.toReversed()
  }
}

// One project for all published packages: each worker loads `effect` once, and takes the next file when it has ended one.
const packages = {
  // The tests of core and plan use the testing package, which depends on both: an alias instead of a dependency keeps the
  // graph free of a cycle.
  resolve: { alias: [{ find: /^@effect-retry\/testing$/, replacement: path("packages/testing/src/index.ts") }] },
  // Tests run the sources: no build is needed before them, and stack traces point into src.
  ssr: { resolve: { conditions: ["@effect-retry/source", "module", "node", "development|production"] } },
  test: {
    name: "packages",
    include: ["packages/*/test/**/*.test.ts"],
    runner: path("packages/testing/test/runner.ts"),
    setupFiles: [path("packages/testing/test/setup.ts")],
    globalSetup: [path("packages/tools/servers/test/globalSetup.ts")],
    // No test measures time: these end one that hangs, and leave a busy machine its time.
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
}

// Examples, the demo, and the tools that keep the repository: `pnpm check tools`.
const tools = {
  resolve: packages.resolve,
  ssr: packages.ssr,
  test: { ...packages.test, name: "tools", include: ["packages/tools/*/test/**/*.test.ts"] }
}

// What operations leave in memory is measured in a process of its own: `pnpm check leaks`.
const leaks = {
  resolve: packages.resolve,
  ssr: packages.ssr,
  test: { name: "leaks", include: ["packages/*/test/**/*.leaks.ts"], isolate: true, testTimeout: 300_000 }
}

// The built site in a browser: `pnpm check site`.
const site = {
  resolve: packages.resolve,
  ssr: packages.ssr,
  test: {
    ...packages.test,
    name: "site",
    include: ["packages/tools/site/test/**/*.browser.ts"],
    globalSetup: [path("packages/tools/site/test/globalSetup.ts")]
  }
}

// What a store does that is killed, frozen or cut off takes seconds: `pnpm faults`.
const faults = {
  resolve: packages.resolve,
  ssr: packages.ssr,
  test: { ...packages.test, name: "faults", include: ["packages/*/test/**/*.faults.ts"] }
}

export const projects = [packages, tools, site, leaks, faults]

export default defineConfig({
  test: {
    // As many as a small machine has cores: each worker loads all that it tests, and few tests wait. The faults and the site
    // wait for servers and a browser, and get one more.
    maxWorkers: 2,
    minWorkers: 2,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Laws and storms make much short-lived garbage: with room for it, they take a tenth less. Most other code runs a few
    // times only, which takes less where it is not interpreted first.
    poolOptions: {
      forks: { execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64", "--always-sparkplug"] }
    },
    projects,
    coverage: {
      provider: "v8",
      include: [
        "packages/core/src/**",
        "packages/plan/src/**",
        "packages/testing/src/**",
        "packages/http/src/**",
        "packages/aws/src/**",
        "packages/grpc/src/**",
        "packages/google/src/**",
        "packages/fleet/src/**"
      ]
    }
  }
})
