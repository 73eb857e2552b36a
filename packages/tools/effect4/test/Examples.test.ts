import { examplesIn } from "@effect-retry/effect4/Examples"
import { describe, expect, it } from "vitest"

const source = (code: string) => `/**\n * @example\n * \`\`\`ts\n * ${code}\n * \`\`\`\n */\nexport const a = 1\n`

describe("Examples.examplesIn", () => {
  it("are those of the sources of a package, beside them", () => {
    const raw = new Map([
      ["plan/src/clock/VirtualClock.ts", source("run()")],
      ["plan/test/clock/VirtualClock.test.ts", source("test()")],
      ["core/src/loop/Retry.ts", source("other()")],
      ["plan/src/Plan.ts", "export const b = 1\n"]
    ])
    expect(examplesIn("plan", raw)).toEqual([
      { name: "packages/plan/examples/packages.plan.src.clock.VirtualClock.3.mts", code: "\n\n\nrun()\n" }
    ])
  })
})
