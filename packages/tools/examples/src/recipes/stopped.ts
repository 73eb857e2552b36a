import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Deadline, Retry, Verdict } from "@effect-retry/core"
import { Data, Duration, Effect, Option } from "effect"

class Down extends Data.TaggedError("Down")<{ readonly host: string }> {}

const report = <A, R>(call: Effect.Effect<A, Down, R>) =>
  Retry.orStopped(call, {
    classifier: Classifier.fromTags({ Down: Verdict.server }),
    maxAttempts: 10,
    backoff: Backoff.exponential({ base: "1 second" }),
    deadline: Deadline.refuse("5 seconds")
  }).pipe(
    Effect.catchTag("RetryStopped", ({ attempts, delay, error, history, reason }) =>
      Effect.succeed({
        reason: reason._tag,
        host: error.host,
        attempts,
        waits: history.flatMap(({ delay }) => Option.toArray(Option.map(delay, Duration.format))),
        refused: Option.map(delay, Duration.format)
      })
    )
  )
// #endregion

export const program = timeline([Effect.fail(new Down({ host: "a" })), Effect.fail(new Down({ host: "b" }))], report)

// #region expected
export const expected = {
  calls: [0, 1000, 3000],
  outcome: { reason: "DeadlinePassed", host: "b", attempts: 3, waits: ["1s", "2s"], refused: Option.some("4s") }
}
// #endregion
