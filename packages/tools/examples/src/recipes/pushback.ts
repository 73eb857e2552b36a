import { Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Hint, Retry, Verdict } from "@effect-retry/core"
import { Data, type Duration } from "effect"

class Unavailable extends Data.TaggedError("Unavailable")<{ readonly pushback?: Duration.DurationInput }> {}

const grpc = {
  classifier: Classifier.fromTags({
    Unavailable: ({ pushback }: Unavailable) => Verdict.retryable("Server", { hint: pushback })
  }),
  maxAttempts: 5,
  backoff: Backoff.exponential({ base: "1 second" }),
  hint: Hint.override({ atMost: "1 minute", otherwise: "giveUp", startsOver: true })
}
// #endregion

const plain = Effect.fail(new Unavailable({}))
const pushedBack = Effect.fail(new Unavailable({ pushback: "10 seconds" }))

export const program = timeline([plain, plain, pushedBack, plain, plain], Retry.retry(grpc))

/** One second, two, the ten that the server asked for, and then one second again. */
export const expected = { calls: [0, 1000, 3000, 13_000, 14_000], outcome: new Unavailable({}) }
