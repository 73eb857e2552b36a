import { addressOf, missingFields, ownerOf } from "@effect-retry/check/release/Owner"
import { describe, expect, it } from "vitest"

const filledIn = {
  name: "root",
  repository: "https://example.com/retry",
  homepage: "https://retry.example/",
  author: "Ada"
}

describe("Owner.addressOf", () => {
  it.each([
    ["https://example.com/retry", "https://example.com/retry"],
    ["https://example.com/retry/", "https://example.com/retry"],
    [{ type: "git", url: "git+https://example.com/retry.git" }, "https://example.com/retry"],
    [undefined, undefined]
  ])("of %j is %s", (repository, address) => {
    expect(addressOf(repository === undefined ? { name: "a" } : { name: "a", repository })).toBe(address)
  })
})

describe("Owner.ownerOf", () => {
  it("reads the fields, and funding if it is there", () => {
    const owner = { repository: "https://example.com/retry", homepage: "https://retry.example", author: "Ada" }
    expect(ownerOf(filledIn)).toEqual(owner)
    expect(ownerOf({ ...filledIn, funding: "https://example.com/fund" })).toEqual({
      ...owner,
      funding: "https://example.com/fund"
    })
  })
})

describe("Owner.missingFields", () => {
  it.each(["repository", "homepage", "author"] as const)("names %s, without which there is no owner", (field) => {
    const { [field]: _, ...without } = filledIn
    expect(missingFields(without)).toEqual([expect.stringContaining(`package.json: ${field} must be `)])
    expect(ownerOf(without)).toBeUndefined()
  })

  it("asks for no more", () => {
    expect(missingFields(filledIn)).toEqual([])
  })
})
