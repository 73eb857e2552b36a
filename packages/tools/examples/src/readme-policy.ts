import { SeededRandom } from "@effect-retry/testing"
import { backoff } from "./readme.ts"
import { timeline } from "./scripted.ts"
// #region example
import { Classifier, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect } from "effect"

class Busy extends Data.TaggedError("Busy") {}
class Forbidden extends Data.TaggedError("Forbidden") {}

const polite = <A, R>(call: Effect.Effect<A, Busy | Forbidden, R>): Effect.Effect<A, Busy | Forbidden, R> =>
  Retry.retry(call, { classifier: Classifier.fromTags({ Busy: Verdict.throttling }), maxAttempts: 5, backoff })
// #endregion

const busy = Effect.fail<Busy | Forbidden>(new Busy())

export const program = Effect.all({
  quick: timeline([busy], polite),
  slow: timeline([Effect.delay(busy, "4 seconds")], polite),
  forbidden: timeline([busy, Effect.fail(new Forbidden())], polite)
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

/** Slow calls: the time of `within` begins with the first call. */
export const expected = {
  quick: { calls: [0, 50, 150, 350, 750], outcome: new Busy() },
  slow: { calls: [0, 4050, 8150], outcome: new Busy() },
  forbidden: { calls: [0, 50], outcome: new Forbidden() }
}
