/**
 * A rate limiter of one's own that grants in one step, and asks to be told of abandoned attempts.
 */
import { Retry, type TokenBucket } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Recording from "./Recording.ts"
import * as Stepping from "./Stepping.ts"

const refunds = [
  { name: "in one step", wait: Effect.void },
  { name: "in several steps", wait: Effect.yieldNow() }
]

/** Lets one attempt through at a time. */
const gate = (wait: Effect.Effect<void>) => {
  const counts = { granted: 0, returned: 0 }
  const grant: TokenBucket.Grant = {
    tokens: 1,
    refund: Effect.zipRight(
      wait,
      Effect.sync(() => void (counts.returned += 1))
    ),
    hearsAbandoned: true
  }
  const limiter: TokenBucket.TokenBucket = {
    acquire: () =>
      Effect.sync(() => {
        if (counts.granted > counts.returned) return Option.none()
        counts.granted += 1
        return Option.some(grant)
      }),
    record: () => Effect.sync(() => void (counts.returned += 1)),
    level: Effect.sync(() => 1 - counts.granted + counts.returned)
  }
  return { counts, limiter }
}

const busy = Effect.fail("busy" as const)

describe.each(refunds)("a place that is refunded $name", ({ wait }) => {
  it("is given back once, at whichever step the operation is interrupted", () => {
    const found: Array<readonly [at: number, granted: number, returned: number]> = []
    const runs = Stepping.everywhere(() => {
      const { counts, limiter } = gate(wait)
      const attempt = Effect.zipRight(Effect.yieldNow(), busy)
      return {
        self: Retry.retry(attempt, { ...Recording.policy, rateLimiter: limiter }),
        watched: attempt,
        check: (_, at) => {
          const { granted, returned } = counts
          if (granted !== returned) found.push([at, granted, returned])
        }
      }
    }, 10_000)
    expect(found).toEqual([])
    expect(runs).toBeGreaterThan(20)
  })

  it.effect("is there for every attempt", () =>
    Recording.world(
      Effect.gen(function* () {
        const { counts, limiter } = gate(wait)
        expect(yield* Effect.flip(Retry.retry(busy, { ...Recording.policy, rateLimiter: limiter }))).toBe("busy")
        // The first attempt asks twice, since its first grant came before the operation had a guard.
        expect(counts).toEqual({ granted: 4, returned: 4 })
      })
    )
  )
})
