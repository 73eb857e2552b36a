import { describe, expect, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import * as Tokens from "../../../src/fund/count/Tokens.ts"
import { law } from "../../support/Laws.ts"

const full = (capacity: number): Tokens.Tokens => ({ level: capacity, atMillis: 0 })

type Operation = readonly [name: "take" | "add", tokens: number, granted: boolean, level: number]

const botocore = "boto/botocore 1.43.107, tests/unit/retries/test_quota.py"

describe("Tokens.taken", () => {
  it.each<{ name: string; source: string; capacity: number; operations: ReadonlyArray<Operation> }>([
    { name: "takes", source: botocore, capacity: 50, operations: [["take", 5, true, 45]] },
    {
      name: "takes back",
      source: botocore,
      capacity: 50,
      operations: [
        ["take", 5, true, 45],
        ["add", 5, true, 50]
      ]
    },
    {
      name: "is never above its capacity",
      source: botocore,
      capacity: 50,
      operations: [
        ["take", 5, true, 45],
        ["add", 10, true, 50]
      ]
    },
    { name: "stays full when it is full", source: botocore, capacity: 50, operations: [["add", 10, true, 50]] },
    {
      name: "is never below zero",
      source: botocore,
      capacity: 50,
      operations: [
        ["take", 49, true, 1],
        ["take", 10, false, 1]
      ]
    },
    {
      name: "charges nothing for what it denies",
      // It stores tokens - cost even when negative: -4, -9, -14.
      source: "against upstash/ratelimit-js 5b5448a, src/lua-scripts/single.ts, tokenBucketLimitScript",
      capacity: 10,
      operations: [
        ["take", 9, true, 1],
        ["take", 5, false, 1],
        ["take", 5, false, 1],
        ["take", 5, false, 1]
      ]
    },
    {
      name: "gives its last token and no other",
      source: "our own",
      capacity: 1,
      operations: [
        ["take", 1, true, 0],
        ["take", 1, false, 0],
        ["take", 0, true, 0]
      ]
    },
    {
      name: "keeps fractions, of which seven tenths make the last",
      source: "our own",
      capacity: 0.7,
      operations: [
        ...Array.from({ length: 7 }, (_, index): Operation => ["take", 0.1, true, (6 - index) / 10]),
        ["take", 0.1, false, 0]
      ]
    },
    {
      name: "tells a small cost from a floating-point error",
      source: "our own",
      capacity: 3e-7,
      operations: [
        ["take", 1e-7, true, 2e-7],
        ["take", 1e-7, true, 1e-7],
        ["take", 1e-7, true, 0],
        ["take", 1e-7, false, 0]
      ]
    }
  ])("$name ($source)", ({ capacity, operations }) => {
    let bucket = full(capacity)
    const limits = { capacity, refillPerSecond: 0 }
    for (const [name, tokens, granted, level] of operations) {
      const after = name === "take" ? Tokens.taken(bucket, tokens) : Option.some(Tokens.added(bucket, limits, tokens))
      expect(Option.isSome(after)).toBe(granted)
      bucket = Option.getOrElse(after, () => bucket)
      expect(bucket.level).toBeCloseTo(level, 9)
    }
  })
})

describe("Tokens.added", () => {
  it("answers with the same value when nothing fits in", () => {
    const bucket = full(10)
    expect(Tokens.added(bucket, { capacity: 10, refillPerSecond: 0 }, 5)).toBe(bucket)
  })
})

const smithyRs = "smithy-lang/smithy-rs 56ee88c, aws-smithy-runtime, retries/token_bucket.rs"
const smithyKotlin = "smithy-lang/smithy-kotlin 6373a5f, StandardRetryTokenBucketTest.kt"

describe("Tokens.refilled", () => {
  it.each([
    { source: smithyRs, capacity: 100, start: 0, refillPerSecond: 10, seconds: 2, tokens: 20 },
    { source: smithyRs, capacity: 100, start: 0, refillPerSecond: 0.001, seconds: 1100, tokens: 1.1 },
    { source: smithyRs, capacity: 100, start: 0, refillPerSecond: 0.0001, seconds: 11_000, tokens: 1.1 },
    { source: smithyRs, capacity: 100, start: 0, refillPerSecond: 0.001, seconds: 1200, tokens: 1.2 },
    { source: smithyRs, capacity: 100, start: 0, refillPerSecond: 0.0001, seconds: 10_000, tokens: 1 },
    { source: smithyRs, capacity: 100, start: 0, refillPerSecond: 0.001, seconds: 500, tokens: 0.5 },
    // Kotlin has 7 here: it rounds down at every look, so frequent looks bring nothing. Fractions are kept here.
    { source: smithyKotlin, capacity: 10, start: 5, refillPerSecond: 10, seconds: 0.25, tokens: 7.5 },
    { source: "our own", capacity: 10, start: 5, refillPerSecond: 10, seconds: 3600, tokens: 10 },
    { source: "our own", capacity: 10, start: 5, refillPerSecond: 10, seconds: -3600, tokens: 5 },
    { source: "our own", capacity: 10, start: 5, refillPerSecond: 0, seconds: Infinity, tokens: 5 },
    { source: "our own", capacity: 10, start: 5, refillPerSecond: 1e-300, seconds: Infinity, tokens: 10 },
    { source: "our own", capacity: 10, start: 5, refillPerSecond: 1e308, seconds: 1e9, tokens: 10 }
  ])(
    "has $tokens of $capacity tokens $seconds seconds after it had $start, at $refillPerSecond per second ($source)",
    ({ capacity, refillPerSecond, seconds, start, tokens }) => {
      const bucket = Tokens.refilled({ level: start, atMillis: 0 }, { capacity, refillPerSecond }, seconds * 1000)
      expect(bucket.level).toBeCloseTo(tokens, 4)
    }
  )

  it("answers with the same value when no time has passed", () => {
    const bucket = { level: 5, atMillis: 7 }
    expect(Tokens.refilled(bucket, { capacity: 10, refillPerSecond: 3 }, 7)).toBe(bucket)
  })

  it("refills the same however often it is looked at", () => {
    const limits = { capacity: 100, refillPerSecond: 0.3 }
    let bucket: Tokens.Tokens = { level: 0, atMillis: 0 }
    for (let now = 1; now <= 100_000; now++) bucket = Tokens.refilled(bucket, limits, now)
    expect(bucket.level).toBeCloseTo(30, 6)
  })

  it.prop(
    "makes no tokens when the clock steps back, and goes on from where it stepped to",
    [FastCheck.double({ min: 0, max: 10, noNaN: true }), FastCheck.nat(10_000), FastCheck.nat(10_000)],
    ([tokens, back, forth]) => {
      const limits = { capacity: 10, refillPerSecond: 0.7 }
      const stepped = Tokens.refilled({ level: tokens, atMillis: 0 }, limits, -back)
      expect(stepped.level).toBe(tokens)
      const expected = Math.min(10, tokens + (forth * 0.7) / 1000)
      expect(Tokens.refilled(stepped, limits, forth - back).level).toBeCloseTo(expected, 9)
    },
    law()
  )
})

describe("Tokens.millisUntil", () => {
  it.each([
    { tokens: 10, cost: 5, refillPerSecond: 1, millis: 0 },
    { tokens: 5, cost: 5, refillPerSecond: 0, millis: 0 },
    { tokens: 4, cost: 5, refillPerSecond: 0, millis: Infinity },
    { tokens: 4, cost: 5, refillPerSecond: 1, millis: 1000 },
    { tokens: 0, cost: 5, refillPerSecond: 3, millis: 1667 },
    { tokens: 0, cost: 14, refillPerSecond: 0.5, millis: 28_000 },
    { tokens: 0, cost: 1, refillPerSecond: 5000, millis: 1 }
  ])(
    "is $millis for a cost of $cost with $tokens tokens and $refillPerSecond per second",
    ({ cost, millis, refillPerSecond, tokens }) => {
      const limits = { capacity: 100, refillPerSecond }
      expect(Tokens.millisUntil({ level: tokens, atMillis: 0 }, limits, cost)).toBe(millis)
    }
  )

  it.prop(
    "is the first whole millisecond at which the cost can be taken",
    [
      FastCheck.double({ min: 0, max: 20, noNaN: true }),
      FastCheck.double({ min: 0.01, max: 20, noNaN: true }),
      FastCheck.double({ min: 0.001, max: 500, noNaN: true })
    ],
    ([tokens, cost, refillPerSecond]) => {
      const bucket = { level: tokens, atMillis: 0 }
      const limits = { capacity: 20, refillPerSecond }
      const millis = Tokens.millisUntil(bucket, limits, cost)
      const canTake = (at: number) => Option.isSome(Tokens.taken(Tokens.refilled(bucket, limits, at), cost))
      expect(canTake(millis)).toBe(true)
      // Short by more than the floating-point error that counts as there.
      const shortBefore = cost - tokens - ((millis - 1) * refillPerSecond) / 1000
      expect(millis > 0 && canTake(millis - 1)).toBe(millis > 0 && shortBefore <= 1e-6 * Math.min(1, cost))
    },
    law()
  )
})
