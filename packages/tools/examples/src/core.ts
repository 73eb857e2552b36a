import { SeededRandom } from "@effect-retry/testing"
import { timeline } from "./scripted.ts"
// #region example
import { Backoff, Classifier, Deadline, Hint, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data, type Duration, Effect } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: Duration.DurationInput }> {}
class Lost extends Data.TaggedError("Lost") {}
class Forbidden extends Data.TaggedError("Forbidden") {}

const polite = <A, R>(call: Effect.Effect<A, Busy | Lost | Forbidden, R>) =>
  Retry.retry(call, {
    classifier: Classifier.fromTags({
      Busy: ({ retryAfter }) => Verdict.retryable("Throttling", { hint: retryAfter }),
      Lost: Verdict.transient
    }),
    maxAttempts: 5,
    backoff: Backoff.exponential({ base: "100 millis" }).pipe(
      Backoff.capped("2 seconds"),
      Backoff.jittered(Jitter.full)
    ),
    hint: Hint.floor({ atMost: "10 seconds", otherwise: "giveUp" }),
    deadline: Deadline.refuse("30 seconds")
  })
// #endregion

type Failed = Busy | Lost | Forbidden
const lost = Effect.fail<Failed>(new Lost())

export const program = Effect.all({
  answered: timeline([lost, Effect.fail(new Busy({ retryAfter: "5 seconds" })), Effect.succeed("answer")], polite),
  forbidden: timeline([lost, Effect.fail(new Forbidden())], polite)
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  answered: { calls: [0, 50, 5050], outcome: "answer" },
  forbidden: { calls: [0, 50], outcome: new Forbidden() }
}
