import { write } from "@effect-retry/site/Code"
import { randomSettings } from "@effect-retry/site/RandomSettings"
import { describe, expect, it } from "vitest"
import { derived } from "./Derived.ts"

/** As the packages for Effect 4 are derived; a module that is used for its types is imported as any other. */
const derivedProgram = (code: string) => {
  const { findings, text } = derived(code)
  return { findings, text: text.replace(/\btype (?=Effect\b|\{ Effect\b)/, "") }
}

describe("the code of the playground", () => {
  it("for Effect 4 is what is derived of that for Effect 3", () => {
    for (const settings of randomSettings(12)) {
      expect(derivedProgram(write("effect", settings))).toEqual({ text: write("effect4", settings), findings: [] })
    }
  })

  it.each(["promises", "fetch"] as const)("for %s is the same on Effect 4", (dialect) => {
    for (const settings of randomSettings(6)) {
      const code = write(dialect, settings)
      expect(derivedProgram(code)).toEqual({ text: code, findings: [] })
    }
  })
})
