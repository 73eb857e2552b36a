import { RateLimiter, TokenBucket, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Outcomes from "../../../src/fund/port/Outcomes.ts"

const grant: TokenBucket.Grant = { tokens: 0, refund: Effect.void }

describe("Outcomes.isThrottled", () => {
  it.each<{ what: string; outcome: TokenBucket.Outcome; is: boolean }>([
    {
      what: "a throttle",
      outcome: { _tag: "Failed", attempt: 1, granted: grant, verdict: Verdict.throttling },
      is: true
    },
    {
      what: "a throttle that must not be retried",
      outcome: { _tag: "Failed", attempt: 1, granted: grant, verdict: Verdict.terminal("no", { kind: "Throttling" }) },
      is: true
    },
    {
      what: "another failure",
      outcome: { _tag: "Failed", attempt: 1, granted: grant, verdict: Verdict.server },
      is: false
    },
    { what: "a success", outcome: { _tag: "Succeeded", attempt: 1, granted: grant }, is: false }
  ])("of $what is $is", ({ is, outcome }) => {
    expect(Outcomes.isThrottled(outcome)).toBe(is)
  })
})

describe("Outcomes.hearsAbandoned", () => {
  it.effect("is true of a bucket that has started, and that outcomes change", () =>
    Effect.gen(function* () {
      const buckets = [
        yield* RateLimiter.concurrencyLimit({ limit: 1 }),
        yield* TokenBucket.requestRatio(),
        yield* TokenBucket.quota(),
        TokenBucket.unlimited,
        undefined
      ]
      expect(buckets.map(Outcomes.hearsAbandoned)).toEqual([true, false, false, false, false])
    })
  )
})
