/**
 * A send rate and a jitter of one's own, and the suites that test them.
 */
// #region pieces
import { Backoff, Classifier, Jitter, Retry, SendRate } from "@effect-retry/core"
import { Laws, type Runner, SeededRandom, SendRateContract } from "@effect-retry/testing"
import { Clock, Effect, Layer, Ref } from "effect"

/** One attempt a second, and none that would have to wait. */
const oneASecond = Layer.effect(
  SendRate.Default,
  Effect.map(Ref.make(-Infinity), (latest) => ({
    acquire: () =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Ref.modify(latest, (sentAt) => (now - sentAt >= 1000 ? [true, now] : [false, sentAt]))
      ),
    heard: () => Effect.void
  }))
)

/** In the second half of the bound, and rather early in it. */
const early = Jitter.make({
  name: "early",
  interval: (bound) => [bound / 2, bound],
  draw: (bound, u) => (bound / 2) * (1 + u * u)
})
// #endregion

// #region suites
export const suites = (runner: Runner.Runner) => {
  SendRateContract.suite(runner, "My send rate", oneASecond, { waits: false })
  Laws.jitter(runner, "My jitter", early)
}
// #endregion

const policy = {
  sendRate: SendRate.Default,
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.fromDelays(["1 second", "500 millis", "1 second"]).pipe(Backoff.jittered(early))
}

/** The second wait is too short for the send rate. */
export const program = Retry.orStopped(Effect.fail("down"), policy).pipe(
  Effect.flip,
  Effect.map(({ attempts, reason }) => [attempts, reason._tag]),
  Effect.provide([oneASecond, SeededRandom.layerConstant(1 - Number.EPSILON)])
)

export const expected = [2, "SendRateRefused"]
