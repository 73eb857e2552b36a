/**
 * A circuit breaker as the rate limiter of a policy.
 */
import { timeline } from "./scripted.ts"
// #region breaker
import { Backoff, CircuitBreaker, Classifier, Retry } from "@effect-retry/core"
import { Clock, Data, Duration, Effect, Option } from "effect"

const payments = CircuitBreaker.make({
  opensAt: { consecutive: 3 },
  openFor: "25 seconds",
  onChange: (state) => Effect.logWarning(`payments: the circuit is ${state._tag}`)
})

class Down extends Data.TaggedError("Down") {}

const pay = (breaker: CircuitBreaker.CircuitBreaker, call: Effect.Effect<string, Down>) =>
  Retry.retry(call, {
    rateLimiter: breaker,
    classifier: Classifier.always,
    maxAttempts: 2,
    backoff: Backoff.constant({ delay: "1 second" })
  }).pipe(
    Effect.catchTag("AttemptRefused", ({ refusal }) => {
      const seconds = Option.match(refusal?.retryAfter ?? Option.none(), {
        onNone: () => "?",
        onSome: Duration.toSeconds
      })
      return Effect.succeed(`later: ${refusal?.state}, ${seconds} s`)
    })
  )
// #endregion

/** One request every ten seconds to a server that is down for a minute. */
export const program = Effect.gen(function* () {
  const breaker = yield* payments
  const server = Effect.flatMap(Clock.currentTimeMillis, (now) => (now < 60_000 ? new Down() : Effect.succeed("paid")))
  const { calls, outcome } = yield* timeline([server], (call) =>
    Effect.replicateEffect(Effect.zipLeft(Effect.merge(pay(breaker, call)), Effect.sleep("10 seconds")), 10)
  )
  const ends = outcome.map((end) => (typeof end === "string" ? end : "down"))
  return { calls: calls.map((millis) => millis / 1000), ends }
})

// #region expected
export const expected = {
  calls: [0, 1, 11, 41, 71, 81, 91],
  ends: [
    "down",
    "down",
    "later: Open, 15 s",
    "later: Open, 5 s",
    "down",
    "later: Open, 15 s",
    "later: Open, 5 s",
    "paid",
    "paid",
    "paid"
  ]
}
// #endregion
