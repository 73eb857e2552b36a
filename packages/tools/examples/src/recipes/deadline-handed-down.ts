import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Deadline, Retry, Verdict } from "@effect-retry/core"
import { Data, Duration, Effect, Option } from "effect"

class Unavailable extends Data.TaggedError("Unavailable")<{ readonly timeoutHeader: string }> {}

const query = Effect.gen(function* () {
  const attempt = yield* Retry.CurrentAttempt
  const timeLeft = yield* attempt.timeLeft
  const timeoutHeader = Option.match(timeLeft, { onNone: () => "none", onSome: Duration.format })
  return yield* new Unavailable({ timeoutHeader })
})

const withinThreeSeconds = {
  attempt: Retry.CurrentAttempt,
  classifier: Classifier.fromTags({ Unavailable: Verdict.server }),
  maxAttempts: 5,
  backoff: Backoff.constant({ delay: "1 second" }),
  deadline: Deadline.refuse("3 seconds", { reserve: "500 millis" })
}
// #endregion

export const program = Effect.timed(
  timeline([Effect.delay(query, "250 millis")], Retry.retry(withinThreeSeconds))
).pipe(Effect.map(([took, { calls, outcome }]) => ({ calls, outcome, took: Duration.toMillis(took) })))

export const expected = {
  calls: [0, 1250, 2500],
  outcome: new Unavailable({ timeoutHeader: "250ms" }),
  took: 2750
}
