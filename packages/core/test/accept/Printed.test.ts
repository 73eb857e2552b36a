/** What may be shown of an error shows none of the secrets that clients put into errors, however it is printed. */
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { describe, expect, it } from "@effect/vitest"
import * as Printed from "../support/Printed.ts"
import * as Secrets from "../support/Secrets.ts"

describe("Untrusted.shown", () => {
  it.each(Secrets.all)("shows no secret in $place", ({ error, secret }) => {
    const shown = Untrusted.shown(error)
    expect(Printed.showing(shown, secret)).toEqual([])
    expect(shown.original).toBe(error)
  })
})

describe("Printed.showing", () => {
  it("finds a secret however it is printed", () => {
    const error = Object.assign(new Error("hunter-two"), { detail: "hunter-two", toJSON: () => "hunter-two" })
    const everyWay = Printed.all(error).map(([way]) => way)
    expect(Printed.showing(error, "hunter-two")).toEqual(everyWay)
    expect(Printed.showing(error, "tok-4711", "hunter-two")).toEqual(everyWay)
    expect(Printed.showing(error, "tok-4711")).toEqual([])
  })
})
