/**
 * Fetches what the tests of a run need before its workers start, which would each fetch it. A test that does not get its
 * server says why.
 */
import type { TestProject } from "vitest/node"

const needsServers = /\/packages\/(fleet|tools\/(demo|examples|outage|servers))\/test\//

export default async (project: TestProject): Promise<void> => {
  // The words of the command line that choose files. Without them, all files of the project count.
  const { filenamePattern } = project.vitest as { readonly filenamePattern?: Array<string> }
  const { testFiles } = await project.globTestFiles(filenamePattern)
  if (!testFiles.some((file) => needsServers.test(file))) return
  const [Effect, Postgres, Redis] = await Promise.all([
    import("effect/Effect"),
    import("../src/Postgres.ts"),
    import("../src/Redis.ts")
  ])
  await Effect.runPromise(Effect.all([Redis.ensure, Postgres.ensure], { concurrency: 2, mode: "either" }))
}
