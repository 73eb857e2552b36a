import { SeededRandom } from "@effect-retry/testing"
// #region recorded
import { Backoff, Classifier, Jitter, Observe, Retry } from "@effect-retry/core"
import { Effect } from "effect"

const lines: Array<string> = []

const preset = {
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.full))
}

const policy = {
  ...preset,
  name: "orders",
  classifier: Classifier.always,
  observe: [Observe.jsonLines((line) => void lines.push(line))]
}

const recorded = <A, E, R>(call: Effect.Effect<A, E, R>) => Retry.retry(call, policy)
// #endregion

// #region replay
import { Deadline } from "@effect-retry/core"
import { Replay } from "@effect-retry/plan"

const replay = Replay.replay({
  lines,
  recorded: { policy: preset },
  other: { policy: { ...preset, maxAttempts: 6, deadline: Deadline.refuse("3 seconds") } },
  seed: 1
})
// #endregion

/** A server that is away for a second, and a hundred calls. */
const calls = Effect.gen(function* () {
  const began = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const call = Effect.gen(function* () {
    yield* Effect.sleep("20 millis")
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    if (now - began >= 2000 && now - began < 3000) return yield* Effect.fail("away")
  })
  yield* Effect.forEach(
    Array.from({ length: 100 }, (_, i) => i * 50),
    (at) => Effect.delay(Effect.ignore(recorded(call)), at),
    { concurrency: "unbounded", discard: true }
  )
}).pipe(Effect.provide(SeededRandom.layerFixed(Array.from({ length: 300 }, (_, i) => [0.2, 0.9, 0.5][i % 3] ?? 0))))

const rounded = (ratio: number) => Math.round(ratio * 1000) / 1000

export const program = Effect.zipRight(calls, replay).pipe(
  Effect.map(({ assumed, best, faithful, likely, recorded, worst }) => ({
    succeeded: {
      recorded: recorded.succeeded,
      likely: likely.succeeded,
      between: [worst.succeeded, best.succeeded]
    },
    load: { recorded: recorded.loadFactor, likely: likely.loadFactor },
    assumed: rounded(assumed),
    faithful
  }))
)

// #region expected
export const expected = {
  succeeded: { recorded: 0.85, likely: 1, between: [0.85, 1] },
  load: { recorded: 1.39, likely: 1.7 },
  assumed: 0.182,
  faithful: 1
}
// #endregion
