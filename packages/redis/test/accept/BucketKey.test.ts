import * as BucketKey from "../../src/accept/BucketKey.ts"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"

describe("BucketKey.make", () => {
  it.each<[string, string | undefined, string]>([
    ["orders", undefined, "orders"],
    ["orders", "eu", "orders:eu"],
    ["orders", "", "orders:"],
    ["a:b", "c", "a%3Ab:c"],
    ["a", "b:c", "a:b:c"],
    ["a%3Ab", undefined, "a%253Ab"]
  ])("joins %j and %j", (name, key, joined) => {
    expect(BucketKey.make(name, key)).toBe(joined)
  })

  const part = FastCheck.string({ unit: FastCheck.constantFrom("a", ":", "%", "3", "A", "2", "5"), maxLength: 6 })

  it.prop(
    "keeps the name, and the key behind it",
    [part, FastCheck.option(part, { nil: undefined })],
    ([name, key]) => {
      const joined = BucketKey.make(name, key)
      expect(BucketKey.name(joined)).toBe(name)
      expect(joined.split(":").slice(1)).toEqual(key === undefined ? [] : key.split(":"))
    }
  )
})
