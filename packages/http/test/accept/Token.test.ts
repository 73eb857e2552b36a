import { describe, expect, it } from "@effect/vitest"
import * as Token from "../../src/accept/Token.ts"

/** Would be names if they were written out. */
const others: ReadonlyArray<unknown> = [5, null, undefined, true, ["get"], Object("get"), { toString: () => "get" }]

const bad = ["", " ", "a b", "a:b", "a\n", "\u00e9"]

const names = [
  ["header", Token.header, ["a", "x-1", "!#$%&'*+-.^_`|~0a"], "A"],
  ["method", Token.method, ["GET", "M-SEARCH", "!#$%&'*+-.^_`|~0A"], "get"]
] as const

describe.each(names)("Token.%s", (_, named, good, ofAnotherCase) => {
  const check = (value: unknown) => named("Owner.call", "field", value)

  it("answers a name in its usual case", () => {
    expect(good.map(check)).toEqual(good)
  })

  it.each([...bad, ofAnotherCase, ...others])("refuses everything else: %j", (value) => {
    expect(() => check(value)).toThrow("Owner.call: field must be the name of a")
  })
})

describe("Token.sentHeader", () => {
  it("takes a name in any case", () => {
    expect(["a", "X-a"].map((value) => Token.sentHeader("Owner.call", "field", value))).toEqual(["a", "X-a"])
  })

  it.each([...bad, ...others])("refuses everything else: %j", (value) => {
    expect(() => Token.sentHeader("Owner.call", "field", value)).toThrow(
      "Owner.call: field must be the name of a header, got"
    )
  })
})

describe("Token.list", () => {
  const list = (value: unknown) => Token.list("Owner.call", "field", value, Token.method)

  it("names a bad name by its place", () => {
    expect(list(["GET", "PUT"])).toEqual(["GET", "PUT"])
    expect(() => list(["GET", 5])).toThrow("Owner.call: field[1] must be")
  })

  it.each(["GET", undefined, { 0: "GET", length: 1 }])("refuses what is not a list: %j", (value) => {
    expect(() => list(value)).toThrow("Owner.call: field must be a list of names")
  })
})
