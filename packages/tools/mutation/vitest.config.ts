/**
 * The tests of a run, with the code of the run in place of the sources, which stay as they are.
 */
import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { environment, readRun } from "./src/Run.ts"

const path = (relative: string): string => fileURLToPath(new URL(`../../../${relative}`, import.meta.url))

const run = readRun(process.env[environment.folder] ?? "")

/** What takes seconds, and would do so for every mutant: other tests reach what these reach. */
const long = [
  "**/Sdks.test.ts",
  "**/*Sockets.test.ts",
  "**/Fuzz.test.ts",
  "**/PublishedClients.test.ts",
  "**/fund/model.test.ts",
  "**/fund/wallClock.test.ts",
  "**/core/test/support/*.test.ts"
]

const mutant = process.env[environment.mutant] ?? ""

const isOther = ({ moduleId }: TestSpecification): number =>
  moduleId.endsWith(`/${run.names[mutant]}.test.ts`) ? 0 : 1
const bytes = ({ moduleId }: TestSpecification): number => statSync(moduleId).size

/**
 * A mutant that is on from the start is over with the first test that fails: the file of tests that has its name comes
 * first, and then the short ones.
 */
class OwnFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return files.toSorted((one, other) => isOther(one) - isOther(other) || bytes(one) - bytes(other))
  }
}

export default defineConfig({
  root: path("."),
  test: {
    isolate: false,
    sequence: { sequencer: OwnFirst },
    // With a mutant, what no test waits for may fail as well.
    dangerouslyIgnoreUnhandledErrors: true,
    projects: [
      {
        plugins: [{ name: "mutants", enforce: "pre", load: (id: string) => run.sources[id] }],
        resolve: { alias: [{ find: /^@effect-retry\/testing$/, replacement: path("packages/testing/src/index.ts") }] },
        ssr: { resolve: { conditions: ["@effect-retry/source", "module", "node", "development|production"] } },
        test: {
          name: "packages",
          root: path("."),
          include: [...run.tests],
          exclude: long,
          setupFiles: [path("packages/tools/mutation/src/setup.ts"), path("packages/testing/test/setup.ts")],
          runner: path("packages/tools/mutation/src/runner.ts"),
          isolate: false,
          fileParallelism: false,
          pool: "forks",
          poolOptions: { forks: { singleFork: true, isolate: false } },
          // A mutant that is on from the start has no second chance on a busy machine.
          testTimeout: mutant === "" ? 10_000 : 60_000
        }
      }
    ]
  }
})
