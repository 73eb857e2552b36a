import { describe, expect, it } from "@effect/vitest"
import { own, programs, whole } from "../../src/workloads/Bundle.ts"

/** What gzip makes of nothing. */
const nothing = 20

/** As tests resolve it: the library need not be built. */
const sources = { conditions: ["@effect-retry/source"] }

describe("Bundle.own", () => {
  it("counts the modules of this repository, and nothing of Effect or of the program itself", () => {
    expect(own(programs.nativeModules, sources)).toBe(nothing)
    const ours = own(programs.oursModules, sources)
    expect(ours).toBeGreaterThan(nothing)
    expect(ours).toBeLessThan(whole(programs.oursModules, sources))
  })
})
