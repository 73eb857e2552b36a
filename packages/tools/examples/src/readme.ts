import { SeededRandom } from "@effect-retry/testing"
import { timeline } from "./scripted.ts"
// #region example
import { Backoff, Jitter } from "@effect-retry/core"
import { Effect } from "effect"

export const backoff = Backoff.exponential({ base: "100 millis" }).pipe(
  Backoff.capped("2 seconds"),
  Backoff.jittered(Jitter.full),
  Backoff.within("10 seconds"),
  Backoff.take(4)
)

const retried = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.retry(call, backoff)
// #endregion

export const program = Effect.all({
  quick: timeline([Effect.fail("down")], retried),
  slow: timeline([Effect.delay(Effect.fail("down"), "4 seconds")], retried)
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

/** Slow calls: the time of `within` begins with the first failure, at 4 seconds. */
export const expected = {
  quick: { calls: [0, 50, 150, 350, 750], outcome: "down" },
  slow: { calls: [0, 4050, 8150, 12_350], outcome: "down" }
}
