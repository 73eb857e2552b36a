/** What operations that the SDK abandons leave behind. Nothing here depends on how long anything takes. */
import { SdkRetryStrategy } from "@effect-retry/aws"
import type { Policy } from "@effect-retry/core"
import { Backoff, Classifier, RateLimiter, TokenBucket } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" })

const always = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
} satisfies Policy.Any

/** A full collection of garbage, with turns of the event loop for what has to be told of it. */
const collect = async (until: () => boolean): Promise<void> => {
  setFlagsFromString("--expose-gc")
  const gc: () => void = runInNewContext("gc")
  for (let round = 0; round < 50 && !until(); round++) {
    gc()
    await new Promise((resolve) => void setImmediate(resolve))
  }
}

describe("an operation that the SDK abandons", () => {
  const operations = 20_000
  /** The collector of garbage may overlook what a register still holds. */
  const mostLeft = 5

  it.each([
    { what: "its first attempt", policy: always, retries: 0 },
    {
      what: "its first attempt under a rate limiter",
      policy: { ...always, rateLimiter: TokenBucket.unlimited },
      retries: 0
    },
    { what: "a retry", policy: { ...always, backoff: Backoff.constant({ delay: 0 }) }, retries: 1 }
  ])("leaves nothing in memory when it is abandoned in $what", async ({ policy, retries }) => {
    const strategy = await Effect.runPromise(SdkRetryStrategy.make(policy))
    const before = new Set(Fiber.unsafeRoots())
    const left = () => Fiber.unsafeRoots().filter((fiber) => !before.has(fiber)).length
    for (let i = 0; i < operations; i++) {
      const token = await strategy.acquireInitialRetryToken("")
      if (retries > 0) await strategy.refreshRetryTokenForRetry(token, { error: reset })
    }
    await collect(() => left() <= mostLeft)
    expect(left()).toBeLessThanOrEqual(mostLeft)
  })

  it("frees its place in a limit of concurrency", async () => {
    const strategy = await Effect.runPromise(
      Effect.flatMap(RateLimiter.concurrencyLimit({ limit: 1 }), (rateLimiter) =>
        SdkRetryStrategy.make({ ...always, rateLimiter })
      )
    )
    await strategy.acquireInitialRetryToken("")
    const permitted: Array<number> = []
    void strategy.acquireInitialRetryToken("").then((token) => permitted.push(token.getRetryCount()))
    expect(permitted).toEqual([])
    await collect(() => permitted.length > 0)
    expect(permitted).toEqual([0])
  })
})
