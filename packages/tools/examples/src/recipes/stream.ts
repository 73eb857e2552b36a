import { SeededRandom } from "@effect-retry/testing"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Jitter, Policy, Verdict } from "@effect-retry/core"
import { Data, Effect, Stream } from "effect"

class Lost extends Data.TaggedError("Lost") {}

const subscribe = <A, R>(events: Stream.Stream<A, Lost, R>) =>
  Stream.retry(
    events,
    Policy.toSchedule({
      classifier: Classifier.fromTags({ Lost: Verdict.transient }),
      maxAttempts: 5,
      backoff: Backoff.exponential({ base: "1 second" }).pipe(
        Backoff.capped("30 seconds"),
        Backoff.jittered(Jitter.full)
      )
    })
  )
// #endregion

const lost: Stream.Stream<string, Lost> = Stream.fail(new Lost())
const lostLater: Stream.Stream<string, Lost> = Stream.concat(Stream.make("first"), lost)

export const program = timeline(
  [
    Effect.succeed(lost),
    Effect.succeed(lost),
    Effect.succeed(lostLater),
    Effect.succeed<Stream.Stream<string, Lost>>(Stream.make("first", "second"))
  ],
  (connect) => Effect.map(Stream.runCollect(subscribe(Stream.unwrap(connect))), (events) => Array.from(events))
).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = { calls: [0, 500, 1500, 2000], outcome: ["first", "first", "second"] }
