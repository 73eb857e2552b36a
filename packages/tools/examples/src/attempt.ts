import { Clock } from "effect"
// #region attempt
import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect, Option } from "effect"

class Malformed extends Data.TaggedError("Malformed")<{ readonly answer: string }> {}

/** Answers well when it is shown what was wrong with its last answer. */
const draft = Effect.gen(function* () {
  const { number, previous } = yield* Retry.CurrentAttempt
  return Option.isSome(previous) && previous.value.error instanceof Malformed
    ? `answer ${number}, better than ${previous.value.error.answer}`
    : yield* new Malformed({ answer: `answer ${number}` })
})

const drafted = Retry.retry(draft, {
  attempt: Retry.CurrentAttempt,
  classifier: Classifier.fromTags({ Malformed: Verdict.client }),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
})
// #endregion

export const program = Effect.zip(drafted, Clock.currentTimeMillis)

export const expected = ["answer 2, better than answer 1", 1000]
