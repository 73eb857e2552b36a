import { SeededRandom } from "@effect-retry/testing"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Jitter, Policy, Verdict } from "@effect-retry/core"
import { Data, type Duration, Effect } from "effect"

class Throttled extends Data.TaggedError("Throttled")<{ readonly wait: Duration.DurationInput }> {}

const policy = Policy.make({
  classifier: Classifier.fromTags({
    Throttled: ({ wait }: Throttled) => Verdict.retryable("Throttling", { hint: wait })
  }),
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("1 second"), Backoff.jittered(Jitter.full))
})

const retried = <A, R>(call: Effect.Effect<A, Throttled, R>) => Effect.retry(call, Policy.toSchedule(policy))
// #endregion

export const program = timeline([Effect.fail(new Throttled({ wait: "2 seconds" }))], retried).pipe(
  Effect.provide(SeededRandom.layerConstant(0.5))
)

export const expected = { calls: [0, 2500, 5000], outcome: new Throttled({ wait: "2 seconds" }) }
