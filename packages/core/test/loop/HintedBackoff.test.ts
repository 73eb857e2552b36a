/**
 * Hints and back-offs that end by time, together in the loop.
 */
import { Backoff, Hint, Retry, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Option } from "effect"

/** Starts in milliseconds, and why the operation stopped at which delay, if the server asks for the same wait always. */
const run = (backoff: Backoff.Backoff, hint: Duration.DurationInput) => {
  const starts: Array<number> = []
  const call = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    starts.push(now)
    return Effect.fail("busy")
  })
  const stopped = Retry.orStopped(call, {
    classifier: () => Verdict.retryable("Throttling", { hint }),
    maxAttempts: 9,
    backoff,
    hint: Hint.override({ atMost: "1 minute", otherwise: "giveUp" })
  })
  return VirtualClock.run(
    Effect.map(Effect.flip(stopped), ({ delay, reason }) => ({
      starts,
      reason: reason._tag,
      delay: Option.getOrUndefined(Option.map(delay, Duration.toMillis))
    }))
  )
}

const second = Backoff.constant({ delay: "1 second" })

describe("Backoff.within under a hint", () => {
  it.effect.each([
    { hint: "4 seconds", starts: [0, 4000, 8000], delay: 4000 },
    { hint: "5 seconds", starts: [0, 5000], delay: 5000 },
    { hint: "10 seconds", starts: [0], delay: 10_000 }
  ] as const)("ends when the wait of $hint would pass its time", ({ delay, hint, starts }) =>
    Effect.map(run(Backoff.within(second, "10 seconds"), hint), (ended) =>
      expect(ended).toEqual({ starts, reason: "BackoffEnded", delay })
    )
  )

  it.effect("leaves the other part of a minimum, which the hint lengthens as well", () =>
    Effect.map(run(Backoff.min(Backoff.within(second, "2 seconds"), Backoff.take(second, 2)), "3 seconds"), (ended) =>
      expect(ended).toMatchObject({ starts: [0, 3000, 6000], reason: "BackoffEnded" })
    )
  )
})
