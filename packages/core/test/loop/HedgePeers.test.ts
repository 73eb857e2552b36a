import { Hedge, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Rows from "./HedgeRows.ts"
import { bucketOf, hedge, make } from "./Hedging.ts"

const libraries = { Polly: Rows.polly, "failsafe-go": Rows.failsafeGo }

describe.each(Object.entries(libraries))("Hedge.hedge beside %s", (_, rows) => {
  it.effect.each(rows)("$id", ({ delay, maxAttempts, ours, script, steps, tokens }) =>
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      const { call, log } = make(script, () => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n))
      const bucket = tokens === undefined ? TokenBucket.unlimited : bucketOf(tokens).bucket
      const end = yield* Effect.match(Hedge.hedge(call, { ...hedge, maxAttempts, delay, bucket }), {
        onFailure: ({ attempt }) => `fails with ${attempt}`,
        onSuccess: (attempt) => `answers ${attempt}`
      })
      expect([...log, end].join(" ")).toBe(ours ?? steps)
    }).pipe(VirtualClock.run)
  )

  it.each(rows)("$id: says why when it differs, and only then", ({ because, ours, steps }) => {
    expect(because !== undefined).toBe(ours !== undefined)
    expect(ours).not.toBe(steps)
  })
})
