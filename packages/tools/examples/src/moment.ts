import { SeededRandom } from "@effect-retry/testing"
import { Effect } from "effect"
import { timeline } from "./scripted.ts"
// #region moment
import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Data, Duration } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly retryAt: string }> {}

/** Reads a date with the wall clock of the moment, and gives up on a busy server after a minute. */
const classifier = Classifier.fromTags({
  Busy: ({ retryAt }: Busy, { elapsed, nowMillis }: Classifier.Moment) =>
    Duration.greaterThan(elapsed, Duration.minutes(1))
      ? Verdict.terminal("busy for a minute")
      : Verdict.retryable("Throttling", { hint: Date.parse(retryAt) - nowMillis })
})

const policy = { classifier, maxAttempts: Infinity, backoff: Backoff.constant({ delay: "1 second" }) }
// #endregion

const busyUntil = new Busy({ retryAt: "1970-01-01T00:00:50Z" })

export const program = timeline([Effect.fail(busyUntil)], Retry.orStopped(policy)).pipe(
  Effect.map(({ calls, outcome }) => ({ second: calls[1], last: calls.at(-1), reason: outcome.reason })),
  Effect.provide(SeededRandom.layerConstant(0))
)

export const expected = {
  second: 50_000,
  last: 61_000,
  reason: { _tag: "Terminal", why: "busy for a minute" }
}
