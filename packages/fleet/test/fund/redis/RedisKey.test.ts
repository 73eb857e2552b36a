import { describe, expect, it } from "@effect/vitest"
import * as RedisKey from "../../../src/fund/redis/RedisKey.ts"

describe("RedisKey", () => {
  it.each<[string, string, string]>([
    ["an arrival time", RedisKey.arrival("orders:eu", 50_000_000), "effect-retry:{orders:eu}:50000000"],
    ["members", RedisKey.members("orders"), "effect-retry:{orders}:members"],
    ["a circuit", RedisKey.circuit("orders"), "effect-retry:{orders}:circuit"]
  ])("names %s, the bucket alone in braces", (_, key, expected) => {
    expect(key).toBe(expected)
  })
})
