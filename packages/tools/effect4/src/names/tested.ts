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
  "tools/demo/test"
]

/** Those that wait for the real clock, which a quick run leaves out. */
export const slow: ReadonlyArray<string> = ["tools/demo/test/Demo.test.ts"]

/** The programs that are not derived yet: a service whose router, server and telemetry Effect 4 has in another shape. */
export const notYet: ReadonlyArray<string> = ["tools/examples/src/production.ts"]

/** Modules of tools of which nothing else is derived than these, the tests above, and what they import. */
export const entries: ReadonlyArray<string> = ["tools/benchmark/src/one.ts"]
