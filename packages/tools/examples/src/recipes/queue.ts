import { SeededRandom } from "@effect-retry/testing"
import { Clock } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { AttemptTimeout, Backoff, Classifier, Deadline, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data, Duration, Effect } from "effect"

class Unavailable extends Data.TaggedError("Unavailable") {}
class Malformed extends Data.TaggedError("Malformed") {}

interface Message {
  /** How often a worker has received it, this time included. */
  readonly receives: number
  readonly remove: Effect.Effect<void>
  readonly requeue: (delay: Duration.Duration) => Effect.Effect<void>
  readonly bury: Effect.Effect<void>
}

/** The queue gives a message to another worker when it has been out for thirty seconds. */
const whileInvisible = {
  attemptTimeout: AttemptTimeout.constant("10 seconds"),
  classifier: Classifier.fromTags<Unavailable | Malformed>({ Unavailable: Verdict.server }),
  maxAttempts: 5,
  backoff: Backoff.exponential({ base: "500 millis" }).pipe(Backoff.capped("5 seconds"), Backoff.jittered(Jitter.full)),
  deadline: Deadline.refuse("25 seconds")
}

/** 30 seconds, then twice as long after each delivery, and at most 15 minutes. */
const untilNextDelivery = (receives: number) =>
  Duration.min(Duration.times(Duration.seconds(30), 2 ** (receives - 1)), Duration.minutes(15))

const handle = <R>(message: Message, work: Effect.Effect<void, Unavailable | Malformed, R>) =>
  Effect.matchEffect(Retry.orStopped(work, whileInvisible), {
    onSuccess: () => message.remove,
    onFailure: ({ reason }) =>
      reason._tag === "Terminal" || message.receives >= 10
        ? message.bury
        : message.requeue(untilNextDelivery(message.receives))
  })
// #endregion

const delivered = (receives: number, work: Effect.Effect<void, Unavailable | Malformed>) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const say = (what: string) => Effect.sync(() => void said.push(what))
    const message = {
      receives,
      remove: say("removed"),
      requeue: (delay: Duration.Duration) => say(`requeued for ${Duration.format(delay)}`),
      bury: say("buried")
    }
    const began = yield* Clock.currentTimeMillis
    const { calls } = yield* timeline([work], (work) => handle(message, work))
    return { calls: calls.length, took: (yield* Clock.currentTimeMillis) - began, said: said.join() }
  })

export const program = Effect.all({
  done: delivered(1, Effect.void),
  malformed: delivered(1, Effect.fail(new Malformed())),
  down: delivered(1, Effect.fail(new Unavailable())),
  hanging: delivered(4, Effect.never),
  hopeless: delivered(10, Effect.fail(new Unavailable()))
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

// #region expected
export const expected = {
  done: { calls: 1, took: 0, said: "removed" },
  malformed: { calls: 1, took: 0, said: "buried" },
  down: { calls: 5, took: 3750, said: "requeued for 30s" },
  hanging: { calls: 3, took: 25_000, said: "requeued for 4m" },
  hopeless: { calls: 5, took: 3750, said: "buried" }
}
// #endregion
