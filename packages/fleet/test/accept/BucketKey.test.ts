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

  it("holds the hash of a long key, which no other key and no name has", () => {
    const key = "x".repeat(1_000_000)
    const joined = BucketKey.make("a:b", key)
    expect(joined).toMatch(/^a%3Ab%#:[0-9a-f]{64}$/)
    expect(BucketKey.name(joined)).toBe("a:b")
    const [, hash = ""] = joined.split(":")
    const others = [
      ["a:b", hash],
      ["a:b%#", hash],
      ["a:b", `${key}y`],
      ["a", key]
    ] as const
    expect(others.map(([name, key]) => BucketKey.make(name, key))).not.toContain(joined)
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

describe("BucketKey.encoded", () => {
  it.each<[string, string, string]>([
    ["what keys are made of", "a-Z_0.9:x@y/~", "a-Z_0.9:x@y/~"],
    ["braces", "a}b{c", "a%007db%007bc"],
    ["its own sign", "a%b", "a%0025b"],
    ["spaces and lines", "a b\r\n", "a%0020b%000d%000a"],
    ["a zero byte", "\0", "%0000"],
    ["a letter beyond ASCII", "é", "%00e9"],
    ["both halves of a character", "😀", "%d83d%de00"],
    ["half a character", "\ud83d", "%d83d"],
    ["nothing", "", "%"]
  ])("writes %s", (_, text, encoded) => {
    expect(BucketKey.encoded(text)).toBe(encoded)
  })

  it("hashes a long text, and tells halves of characters apart", () => {
    const long = "x".repeat(100_000)
    expect(BucketKey.encoded(long)).toMatch(/^#[0-9a-f]{64}$/)
    const encoded = [long, `${long}\ud83d`, `${long}\ud83e`, "x".repeat(200), "x".repeat(201)].map(BucketKey.encoded)
    expect(new Set(encoded).size).toBe(5)
  })

  const unit = FastCheck.constantFrom("a", "%", "{", "}", "0", "7", "d", "\ud83d", "\ude00", "#", ":")
  const text = FastCheck.string({ unit, maxLength: 5 })

  it.prop("gives no two texts the same key", [text, text], ([one, other]) => {
    expect(BucketKey.encoded(one) === BucketKey.encoded(other)).toBe(one === other)
  })
})
