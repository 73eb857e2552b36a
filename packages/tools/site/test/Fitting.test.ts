import { describe, expect, it } from "vitest"
import { fitted } from "../src/playground/Fitting.ts"
import { read } from "../src/playground/ReadText.ts"
import { initial } from "../src/playground/Settings.ts"

const calm = { ...initial, outage: 0 }

describe("Fitting.fitted", () => {
  it("finds policies that the page can read", async () => {
    const { found, isMet } = await fitted({ ...calm, failureRatio: 0.3, wishSucceeded: 0.95 })
    expect(isMet).toBe(true)
    expect(found.map(({ outageLoad }) => outageLoad)).toEqual([""])
    const [{ code = "" } = {}] = found
    expect(read(code, initial)).toMatchObject({
      maxAttempts: 3,
      curve: "exponential",
      jitter: "full",
      deadline: "refuse",
      deadlineWithin: 2000
    })
  })

  it("reads a bucket and a timeout too", async () => {
    const { found } = await fitted({
      ...initial,
      failureRatio: 0.02,
      latency: 400,
      outage: 10_000,
      wishOutageEvery: 200,
      wishOutageLoad: 1.2,
      wishSucceeded: 0.93
    })
    expect(found.map(({ code }) => read(code, initial).bucket)).toContain("successRatio")
    expect(found.every(({ outageLoad }) => /^\d\.\d\d \(/.test(outageLoad))).toBe(true)
  })

  it("answers with the nearest one where none does what is wanted", async () => {
    const { found, isMet } = await fitted({ ...calm, failureRatio: 1 })
    expect({ isMet, count: found.length }).toEqual({ isMet: false, count: 1 })
    expect(found[0]?.succeeded).toMatch(/^0\.0 % \(0\.0 % to /)
  })
})
