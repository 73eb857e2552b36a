import { TokenBucket } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { crowd, funded } from "../../src/workloads/Crowd.ts"

const size = 200
const cost = 14

const quota = (capacity: number) => Effect.runSync(TokenBucket.quota({ capacity, cost: { orElse: cost } }))

const level = (bucket: TokenBucket.TokenBucket) => Effect.runSync(bucket.level)

describe("Crowd.crowd", () => {
  it("returns all tokens when the last operation has ended", async () => {
    const bucket = quota(size * cost)
    await crowd(funded, size, [bucket])()
    expect(level(bucket)).toBe(size * cost)
  })

  it("holds the tokens of all operations at the same time", async () => {
    await expect(crowd(funded, size, [quota(size * cost - 1)])()).rejects.toThrow("An operation of the crowd failed")
  })

  it("divides the operations among the buckets", async () => {
    const shared = size / 4
    await crowd(
      funded,
      size,
      Array.from({ length: 4 }, () => quota(shared * cost))
    )()
    const short = Array.from({ length: 4 }, () => quota(shared * cost - 1))
    await expect(crowd(funded, size, short)()).rejects.toThrow("An operation of the crowd failed")
  })
})
