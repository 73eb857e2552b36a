import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

// The derived tests, in the folder into which this file is copied.
export default defineConfig({
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
    include: ["packages/*/test/**/*.test.ts", "packages/tools/*/test/**/*.test.ts"],
    exclude: [],
    server: { deps: { inline: [/\/effect4\/packages\//] } },
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
