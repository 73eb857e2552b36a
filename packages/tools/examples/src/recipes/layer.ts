import { timeline } from "../scripted.ts"
// #region policy
import { Classic, Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { Context, Data, Effect, Layer } from "effect"

class NotUpYet extends Data.TaggedError("NotUpYet") {}
class Connection extends Context.Tag("Connection")<Connection, string>() {}

const untilUp = {
  classifier: Classifier.fromTags({ NotUpYet: Verdict.transient }),
  maxAttempts: 20,
  backoff: Classic.connectRetry({ maximum: "128 seconds" })
}

const layer = <R>(connect: Effect.Effect<string, NotUpYet, R>) =>
  Layer.effect(Connection, Retry.retry(connect, untilUp))
// #endregion

// #region native
const nativeLayer = <R>(connect: Effect.Effect<string, NotUpYet, R>) =>
  Layer.effect(Connection, connect).pipe(Layer.retry(Policy.toSchedule(untilUp)))
// #endregion

const notUpYet = Effect.fail(new NotUpYet())

export const program = Effect.all({
  up: timeline([notUpYet, notUpYet, Effect.succeed("orders")], (connect) => Effect.provide(Connection, layer(connect))),
  down: timeline([notUpYet], (connect) => Effect.provide(Connection, layer(connect))),
  native: timeline([notUpYet], (connect) => Effect.provide(Connection, nativeLayer(connect)))
})

const connectRetry = [0, 1000, 3000, 7000, 15_000, 31_000, 63_000, 127_000]

export const expected = {
  up: { calls: [0, 1000, 3000], outcome: "orders" },
  down: { calls: connectRetry, outcome: new NotUpYet() },
  native: { calls: connectRetry, outcome: new NotUpYet() }
}
