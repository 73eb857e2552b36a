import { Retry, type TokenBucket } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Free from "../../../src/fund/port/Free.ts"
import * as Recording from "../../loop/Recording.ts"
import { request } from "../Asking.ts"

const grantOf = (tokens: number): TokenBucket.Grant => ({ tokens, refund: Effect.void })

/** Grants 1 token while it is free and 2 when asked, and counts how often it was asked. */
const make = (free: () => Option.Option<TokenBucket.Grant>) => {
  const told = { asked: 0, granted: [] as Array<number> }
  const bucket: TokenBucket.TokenBucket = {
    acquire: Free.orElse(free, () =>
      Effect.sync(() => {
        told.asked += 1
        return Option.some(grantOf(2))
      })
    ),
    record: ({ granted }) => Effect.sync(() => void told.granted.push(granted.tokens)),
    level: Effect.succeed(1)
  }
  return { bucket, told }
}

const operation = (rateLimiter: TokenBucket.TokenBucket) =>
  Retry.retry(Effect.void, { ...Recording.policy, rateLimiter })

const free = () => Option.some(grantOf(1))

describe("Free.orElse", () => {
  it.each([
    { when: "is free", free, asked: 0, tokens: 1 },
    { when: "is not free", free: () => Option.none(), asked: 1, tokens: 2 }
  ])("asks a bucket that $when $asked times", ({ asked, free, tokens }) => {
    const { bucket, told } = make(free)
    Effect.runSync(operation(bucket))
    expect(told).toEqual({ asked, granted: [tokens] })
    expect(Effect.runSync(bucket.acquire(request()))).toMatchObject({ value: { tokens } })
  })

  it("asks a bucket around it each time", () => {
    const { bucket, told } = make(free)
    let asked = 0
    const around: TokenBucket.TokenBucket = {
      ...bucket,
      acquire: (request) => {
        asked += 1
        return bucket.acquire(request)
      }
    }
    Effect.runSync(operation(around))
    expect(asked).toBe(1)
    expect(told).toEqual({ asked: 0, granted: [1] })
  })
})

describe("Free.grant", () => {
  it("is absent if the bucket is not free", () => {
    expect(Free.grant(make(free).bucket)).toMatchObject({ tokens: 1 })
    expect(Free.grant(make(() => Option.none()).bucket)).toBeUndefined()
    expect(Free.grant({ acquire: () => Effect.succeedNone })).toBeUndefined()
  })
})
