import { SeededRandom } from "@effect-retry/testing"
import { timeline } from "./scripted.ts"
import { Backoff, Classifier, Deadline, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data, Duration, Effect, Schedule } from "effect"

class Busy extends Data.TaggedError("Busy") {}
class Forbidden extends Data.TaggedError("Forbidden") {}
type Failed = Busy | Forbidden

const native = <A, R>(call: Effect.Effect<A, Failed, R>) =>
  // #region native
  Effect.retry(call, {
    while: (error) => error._tag === "Busy",
    schedule: Schedule.exponential("100 millis").pipe(
      Schedule.jittered,
      Schedule.delayed((delay) => Duration.min(delay, Duration.seconds(2))),
      Schedule.intersect(Schedule.recurs(4)),
      Schedule.upTo("10 seconds")
    )
  })
// #endregion

const ours = <A, R>(call: Effect.Effect<A, Failed, R>) =>
  // #region ours
  Retry.retry(call, {
    classifier: Classifier.fromTags({ Busy: Verdict.throttling }),
    maxAttempts: 5,
    backoff: Backoff.exponential({ base: "100 millis" }).pipe(
      Backoff.capped("2 seconds"),
      Backoff.jittered(Jitter.proportional({ ratio: 0.2 }))
    ),
    deadline: Deadline.refuse("10 seconds")
  })
// #endregion

const busy = Effect.fail<Failed>(new Busy())
const slow = Effect.delay(busy, "4 seconds")

export const program = Effect.all({
  native: timeline([busy], native),
  ours: timeline([busy], ours),
  nativeSlow: timeline([slow], native),
  oursSlow: timeline([slow], ours),
  forbidden: timeline([busy, Effect.fail(new Forbidden())], ours)
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  native: { calls: [0, 100, 300, 700, 1500], outcome: new Busy() },
  ours: { calls: [0, 100, 300, 700, 1500], outcome: new Busy() },
  nativeSlow: { calls: [0, 4100, 8300, 12_700], outcome: new Busy() },
  oursSlow: { calls: [0, 4100, 8300], outcome: new Busy() },
  forbidden: { calls: [0, 100], outcome: new Forbidden() }
}
