/**
 * The tests of one package, as Stryker runs them: `MUTATED_PACKAGE` and `MUTATED_STAGE` in the environment name the
 * package and the folder of its sources, `MUTATED_TESTS` the folder of its tests, where not all of them are to run, and
 * `MUTATED_TEST_FILES` the files there.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const path = (relative: string): string => fileURLToPath(new URL(`../../../${relative}`, import.meta.url))

const mutatedPackage = process.env["MUTATED_PACKAGE"] ?? ""
const testFiles = (process.env["MUTATED_TEST_FILES"] ?? "*").split(",")
/** Given by a run within one process. */
const isQuick = process.env["MUTANT_STATES"] !== undefined

/** The clients of vendors take longer than all the rest, and reach what other tests reach. */
const longest = ["**/Sdks.test.ts"]
/** What takes seconds, and would do so for every mutant. */
const long = [
  "**/*Sockets.test.ts",
  "**/Fuzz.test.ts",
  "**/PublishedClients.test.ts",
  "**/fund/model.test.ts",
  "**/fund/wallClock.test.ts",
  "**/core/test/support/*.test.ts"
]

const testsOfStage = `/packages/${mutatedPackage}/test/${process.env["MUTATED_STAGE"] ?? ""}/`

const isElsewhere = ({ moduleId }: TestSpecification): number => (moduleId.includes(testsOfStage) ? 0 : 1)
const bytes = ({ moduleId }: TestSpecification): number => statSync(moduleId).size

/** A mutant is over with the first test that fails: the tests of its own folder come first, and of those the short ones. */
class NearFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return files.toSorted((one, other) => isElsewhere(one) - isElsewhere(other) || bytes(one) - bytes(other))
  }
}

export default defineConfig({
  root: path("."),
  test: {
    isolate: false,
    sequence: { sequencer: NearFirst },
    // With a mutant, what no test waits for may fail as well.
    dangerouslyIgnoreUnhandledErrors: isQuick,
    projects: [
      {
        resolve: { alias: [{ find: /^@effect-retry\/testing$/, replacement: path("packages/testing/src/index.ts") }] },
        ssr: { resolve: { conditions: ["@effect-retry/source", "module", "node", "development|production"] } },
        test: {
          name: "packages",
          root: path("."),
          include: testFiles.map((name) =>
            join(`packages/${mutatedPackage}/test`, process.env["MUTATED_TESTS"] ?? "", `**/${name}.test.ts`)
          ),
          exclude: [...longest, ...(isQuick ? long : [])],
          setupFiles: [
            path(`packages/tools/mutation/src/${isQuick ? "quick" : "coverage"}.setup.ts`),
            path("packages/testing/test/setup.ts")
          ],
          ...(isQuick && {
            runner: path("packages/tools/mutation/src/quick.runner.ts"),
            isolate: false,
            fileParallelism: false,
            pool: "forks" as const,
            poolOptions: { forks: { singleFork: true, isolate: false } },
            testTimeout: 4000
          })
        }
      }
    ]
  }
})
