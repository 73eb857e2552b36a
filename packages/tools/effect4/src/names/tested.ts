/** The tests of what pages say, row by row. */
const tables: ReadonlyArray<string> = [
  "aws",
  "aws-readme",
  "blocks",
  "buckets",
  "configuration",
  "core-readme",
  "custom-bucket",
  "dashboard",
  "fleet-readme",
  "flow",
  "from-native",
  "google",
  "google-readme",
  "grpc-readme",
  "http",
  "http-reading",
  "http-readme",
  "names",
  "observing",
  "outputs",
  "plain",
  "production",
  "recipes",
  "safe-to-retry",
  "testing",
  "testing-node",
  "vendors"
].map((name) => `tools/examples/test/${name}.test.ts`)

/**
 * The tests that are derived for Effect 4 and run: files, and folders with all that is in them but what the omissions name.
 * Of packages, examples and the comparison, any file that is not here is in the list below.
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
  "tools/comparison/test/Axios.test.ts",
  "tools/comparison/test/Promises.test.ts",
  "tools/demo/test"
]

/** What a quick run leaves out: tables of pages, and tests that wait for the real clock. */
export const slow: ReadonlyArray<string> = [...tables, "tools/demo/test/Demo.test.ts"]

/** Tests and programs that are not derived, each with its reason. */
export const notDerived: Readonly<Record<string, string>> = {
  "tools/comparison/test/BreakerSequences.test.ts": "The breakers are those of other libraries.",
  "tools/comparison/test/Breakers.test.ts": "The breakers are those of other libraries.",
  "tools/comparison/test/Cell.test.ts": "The comparison runs on Effect 3, and asks Effect 4 beside it.",
  "tools/comparison/test/Page.test.ts": "The comparison runs on Effect 3, and asks Effect 4 beside it.",
  "tools/comparison/test/Ports.test.ts": "The comparison runs on Effect 3, and asks Effect 4 beside it.",
  "tools/examples/test/links.test.ts": "Links of pages lead to the same files on both lines."
}

/** Modules of tools of which nothing else is derived than these, the tests above, and what they import. */
export const entries: ReadonlyArray<string> = ["tools/benchmark/src/one.ts", "tools/comparison/src/axios.ts"]
