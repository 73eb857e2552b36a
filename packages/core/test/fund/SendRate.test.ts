import { Backoff, Classifier, Retry, SendRate } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Option } from "effect"

class Mine extends Context.Tag("test/Mine")<Mine, SendRate.SendRate>() {}

describe("SendRate.unlimited", () => {
  it.effect("grants every send at once, whatever it heard", () =>
    Effect.gen(function* () {
      for (const result of ["Throttled", "Failed", "Succeeded"] as const) {
        yield* SendRate.unlimited.heard(result)
        expect(yield* SendRate.unlimited.acquire({ attempt: 1, atMost: Option.none() })).toBe(true)
        expect(yield* SendRate.unlimited.acquire({ attempt: 9, atMost: Option.some(Duration.zero) })).toBe(true)
      }
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
    }).pipe(VirtualClock.run)
  )
})

describe("SendRate.layerUnlimited", () => {
  it.effect("adds no wait to a policy, under any tag", () =>
    Effect.gen(function* () {
      const policy = { classifier: Classifier.always, maxAttempts: 3, backoff: Backoff.constant({ delay: "1 second" }) }
      for (const sendRate of [SendRate.Default, Mine]) {
        const before = yield* VirtualClock.now
        const stopped = yield* Effect.flip(Retry.orStopped(Effect.fail("busy"), { ...policy, sendRate }))
        expect(stopped).toMatchObject({ attempts: 3, reason: { _tag: "AttemptsSpent" } })
        expect(Duration.subtract(yield* VirtualClock.now, before)).toEqual(Duration.seconds(2))
      }
    }).pipe(
      Effect.provide(SendRate.layerUnlimited(SendRate.Default)),
      Effect.provide(SendRate.layerUnlimited(Mine)),
      VirtualClock.run
    )
  )
})
