import type { Omission } from "../Omissions.ts"

/** What of the tests of Effect 3 cannot hold on Effect 4, each with its reason. */
export const omissions: ReadonlyArray<Omission> = [
  {
    file: "testing/test/testers.ts",
    reason: "The testers of @effect/vitest for Effect 4 have no layers to build, so the tests need none of their own."
  },
  { file: "testing/test/setup.ts", reason: "It installs the testers above." },
  { file: "testing/test/runner.ts", reason: "It is for another version of vitest." }
]
