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
  "tools/examples/test/examples.test.ts",
  "tools/examples/test/programs.test.ts"
]

/** The programs that are not derived yet: those that start servers. */
export const notYet: ReadonlyArray<string> = [
  "tools/examples/src/fleet-circuit.ts",
  "tools/examples/src/fleet-cluster.ts",
  "tools/examples/src/fleet-keyed.ts",
  "tools/examples/src/fleet-limiter.ts",
  "tools/examples/src/fleet-local-share.ts",
  "tools/examples/src/fleet-node-redis.ts",
  "tools/examples/src/fleet-postgres.ts",
  "tools/examples/src/fleet-readme.ts",
  "tools/examples/src/fleet-shadow.ts",
  "tools/examples/src/fleet-two-processes.ts",
  "tools/examples/src/production.ts"
]
