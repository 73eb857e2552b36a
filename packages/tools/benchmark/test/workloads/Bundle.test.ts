import { describe, expect, it } from "@effect/vitest"
import { own, programs, whole } from "../../src/workloads/Bundle.ts"

/** What gzip makes of nothing. */
const nothing = 20

describe("Bundle.own", () => {
  it("counts the modules of this repository, and nothing of Effect or of the program itself", () => {
    expect(own(programs.nativeModules)).toBe(nothing)
    const ours = own(programs.oursModules)
    expect(ours).toBeGreaterThan(nothing)
    expect(ours).toBeLessThan(whole(programs.oursModules))
  })
})
