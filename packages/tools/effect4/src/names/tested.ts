/** The tests of what pages say, row by row. */
const tables: ReadonlyArray<string> = [
  "aws-readme",
  "buckets",
  "configuration",
  "core-readme",
  "custom-bucket",
  "google",
  "google-readme",
  "grpc-readme",
  "http-reading",
  "http-readme",
  "plain",
  "production",
  "recipes",
  "testing"
].map((name) => `tools/examples/test/${name}.test.ts`)

/**
 * The tests that are derived for Effect 4 and run: files, and folders with all that is in them but what the omissions name.
 * A file that is not here, or that is in the list below, is counted as left; any other has to pass.
 */
export const tested: ReadonlyArray<string> = [
  "core/test",
  "plan/test",
  "testing/test",
  "http/test",
  "grpc/test",
  "google/test",
  "aws/test",
  "fleet/test",
  "tools/benchmark/test/Workloads.test.ts",
  "tools/benchmark/test/workloads/Bundle.test.ts",
  "tools/benchmark/test/workloads/Calls.test.ts",
  "tools/benchmark/test/workloads/Http.test.ts",
  "tools/benchmark/test/workloads/ProductionPolicy.test.ts",
  "tools/examples/test/examples.test.ts",
  "tools/examples/test/programs.test.ts",
  ...tables,
  "tools/demo/test"
]

/** What a quick run leaves out: tables of pages, and tests that wait for the real clock. */
export const slow: ReadonlyArray<string> = [...tables, "tools/demo/test/Demo.test.ts"]

/** Tables of pages that are not derived yet: rows of them name members of Effect 3, or what Effect 3 does. */
export const notYet: ReadonlyArray<string> = [
  "tools/examples/test/aws.test.ts",
  "tools/examples/test/fleet-readme.test.ts",
  "tools/examples/test/from-native.test.ts",
  "tools/examples/test/http.test.ts",
  "tools/examples/test/observing.test.ts",
  "tools/examples/test/safe-to-retry.test.ts",
  "tools/examples/test/testing-node.test.ts",
  "tools/examples/test/vendors.test.ts"
]

/** Modules of tools of which nothing else is derived than these, the tests above, and what they import. */
export const entries: ReadonlyArray<string> = ["tools/benchmark/src/one.ts"]
