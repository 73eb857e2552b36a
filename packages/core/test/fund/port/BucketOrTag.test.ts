import { TokenBucket } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Context } from "effect"
import * as BucketOrTag from "../../../src/fund/port/BucketOrTag.ts"

const context = Context.make(TokenBucket.RetryBucket, TokenBucket.empty)

describe("BucketOrTag.find", () => {
  it("is the bucket itself, and for a tag the one of the context", () => {
    expect(BucketOrTag.find(TokenBucket.unlimited, context as Context.Context<never>)).toBe(TokenBucket.unlimited)
    expect(BucketOrTag.find(TokenBucket.RetryBucket, context as Context.Context<never>)).toBe(TokenBucket.empty)
  })
})

describe("BucketOrTag.is", () => {
  it.each([TokenBucket.unlimited, TokenBucket.RetryBucket])("holds for a bucket and for a tag", (given) => {
    expect(BucketOrTag.is(given)).toBe(true)
  })

  it.each([undefined, null, {}, { acquire: 1 }, "bucket"])("does not hold for %j", (given) => {
    expect(BucketOrTag.is(given)).toBe(false)
  })
})
