import { logLines } from "../log-lines.ts"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Observe, Retry, Verdict } from "@effect-retry/core"
import * as Metrics from "@effect-retry/core/Metrics"
import { Data, Effect, LogLevel, Metric } from "effect"

class Declined extends Data.TaggedError("Declined")<{ readonly message: string }> {}

const charge = <A, R>(request: Effect.Effect<A, Declined, R>) =>
  Retry.retry(request, {
    name: "payments",
    observe: [Observe.metrics, Observe.spanEvents, Observe.logs({ RetryScheduled: LogLevel.Debug })],
    classifier: Classifier.fromTags({ Declined: Verdict.throttling }),
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "1 second" })
  })

const retriesSoFar = Metrics.retries.pipe(
  Metric.tagged("retry.operation", "payments"),
  Metric.tagged("retry.kind", "Throttling"),
  Metric.value,
  Effect.map(({ count }) => count)
)
// #endregion

const declined = Effect.fail(new Declined({ message: "try again later" }))

export const program = Effect.gen(function* () {
  // Metrics are global: others may have counted before.
  const before = yield* retriesSoFar
  const lines = yield* logLines(timeline([declined], charge))
  return { lines, retries: (yield* retriesSoFar) - before }
})

// #region expected
export const expected = {
  lines: [
    'WARN gave up: payments → Declined "try again later" after 3 attempts, 2 s (all attempts spent)',
    "error.type=Declined",
    "exception.message=try again later",
    "exception.type=Declined",
    "retry.attempt=3",
    "retry.elapsed_ms=2000",
    "retry.kind=Throttling",
    "retry.max_attempts=3",
    "retry.operation=payments",
    "retry.stop_message=all attempts spent",
    "retry.stop_reason=AttemptsSpent"
  ],
  retries: 2
}
// #endregion
