import type { Omission } from "../Omissions.ts"

/** What of the tests of Effect 3 cannot hold on Effect 4, each with its reason. */
export const omissions: ReadonlyArray<Omission> = [
  {
    file: "core/test/accept/InvalidArgument.test.ts",
    parts: ["has a text for a duration that is too long to be written"],
    reason: "Effect 4 writes any duration."
  },
  {
    file: "core/test/classify/Verdict.test.ts",
    parts: ["[1e300, 1e300]"],
    reason: "Effect 4 reads seconds and nanoseconds beyond all numbers as Duration.infinity."
  },
  {
    file: "core/test/loop/Promises.test.ts",
    parts: ["fibers", "fibersOf", "starts $starts fibers for an operation $what"],
    reason: "Effect 4 counts fibers only where a program asks for the metrics of the runtime."
  },
  {
    file: "core/test/loop/Promises.test.ts",
    parts: ["an effect"],
    reason: "An effect of Effect 4 has no class whose name could be shown."
  }
]
