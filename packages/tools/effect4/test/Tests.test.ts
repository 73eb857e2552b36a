import { outcomeOf } from "@effect-retry/effect4/Tests"
import { describe, expect, it } from "vitest"

const file = (name: string, status: string, message: string, ...tests: ReadonlyArray<readonly [string, string]>) => ({
  name: `/cache/packages/${name}`,
  status,
  message,
  assertionResults: tests.map(([fullName, failure]) => ({
    fullName,
    status: failure === "" ? "passed" : "failed",
    failureMessages: failure === "" ? [] : [failure]
  }))
})

describe("Tests.outcomeOf", () => {
  it("tells what failed, with the first line of its message", () => {
    const failing = file("core/test/A.test.ts", "failed", "", ["adds", ""], ["divides", "by zero\n at A.ts"])
    expect(outcomeOf({ numPassedTests: 1, testResults: [failing] })).toEqual({
      passed: 1,
      failed: ["core/test/A.test.ts divides: by zero"]
    })
  })

  it("tells of a file that did not load", () => {
    const broken = file("core/test/A.test.ts", "failed", "no such module\n at A.ts")
    expect(outcomeOf({ numPassedTests: 0, testResults: [broken] })).toEqual({
      passed: 0,
      failed: ["core/test/A.test.ts no such module"]
    })
  })

  it("tells nothing of what passed", () => {
    const good = file("core/test/A.test.ts", "passed", "", ["adds", ""])
    expect(outcomeOf({ numPassedTests: 1, testResults: [good] })).toEqual({ passed: 1, failed: [] })
  })
})
