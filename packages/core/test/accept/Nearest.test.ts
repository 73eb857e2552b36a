import { nearest } from "../../src/accept/Nearest.ts"
import { describe, expect, it } from "@effect/vitest"

const names = ["maxAttempts", "curve", "cap", "base", "attemptTimeout", "deadline"]

describe("nearest", () => {
  it.each([
    { given: "maxAttemps", expected: "maxAttempts" },
    { given: "maxAttempt", expected: "maxAttempts" },
    { given: "maxxAttemptss", expected: "maxAttempts" },
    { given: "maxAttmepts", expected: "maxAttempts" },
    { given: "MAXATTEMPTS", expected: "maxAttempts" },
    { given: "deadlin", expected: "deadline" },
    { given: "caps", expected: "cap" },
    { given: "bade", expected: "base" }
  ])("finds $expected for $given", ({ expected, given }) => {
    expect(nearest(given, names)).toBe(expected)
  })

  it.each(["", "maxRetries", "timeout", "url", "api", "app", "database", "x".repeat(100_000)])(
    "finds nothing when more letters differ: %.20s",
    (given) => {
      expect(nearest(given, names)).toBe(undefined)
    }
  )

  it("prefers the nearer of two", () => {
    expect(nearest("shorter", ["shorten", "shorter"])).toBe("shorter")
  })
})
