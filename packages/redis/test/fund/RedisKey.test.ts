import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as RedisKey from "../../src/fund/RedisKey.ts"

describe("RedisKey", () => {
  it.each<[string, string, string]>([
    ["an arrival time", RedisKey.arrival("orders:eu", 50_000_000), "effect-retry:{orders:eu}:50000000"],
    ["a count", RedisKey.count("orders"), "effect-retry:{orders}:count"],
    ["members", RedisKey.members("orders"), "effect-retry:{orders}:members"]
  ])("names %s, the bucket alone in braces", (_, key, expected) => {
    expect(key).toBe(expected)
  })
})

describe("RedisKey.encoded", () => {
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
    expect(RedisKey.encoded(text)).toBe(encoded)
  })

  it("hashes what is long, and tells halves of characters apart", () => {
    const long = "x".repeat(10_000_000)
    expect(RedisKey.encoded(long)).toMatch(/^#[0-9a-f]{64}$/)
    const encoded = [long, `${long}\ud83d`, `${long}\ud83e`, "x".repeat(200), "x".repeat(201)].map(RedisKey.encoded)
    expect(new Set(encoded).size).toBe(5)
  })

  const unit = FastCheck.constantFrom("a", "%", "{", "}", "0", "7", "d", "\ud83d", "\ude00", "#", ":")
  const text = FastCheck.string({ unit, maxLength: 5 })

  it.prop("gives no two texts the same key", [text, text], ([one, other]) => {
    expect(RedisKey.encoded(one) === RedisKey.encoded(other)).toBe(one === other)
  })
})
