import { Logger, LogLevel } from "effect"
import { timeline } from "./scripted.ts"
// #region fallible
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Data, Effect } from "effect"

class StoreDown extends Data.TaggedError("StoreDown") {}

/** No policy takes a `TokenBucket<StoreDown>`: the caller says what a failure of the store means. */
const choices = (store: TokenBucket.TokenBucket<StoreDown>) =>
  Effect.map(TokenBucket.successRatio({ ratio: 0.1, capacity: 1 }), (local) => ({
    open: TokenBucket.failOpen(store, { within: "50 millis" }),
    closed: TokenBucket.failClosed(store, { within: "50 millis" }),
    local: TokenBucket.fallback(store, {
      within: "50 millis",
      local,
      onFailure: (cause) => Effect.logWarning("the store of tokens failed", cause)
    })
  }))
// #endregion

const storeDown = Effect.fail(new StoreDown())
const store: TokenBucket.TokenBucket<StoreDown> = {
  acquire: () => storeDown,
  record: () => storeDown,
  level: storeDown
}

const callsUnder = (bucket: TokenBucket.TokenBucket) =>
  Effect.map(
    timeline(
      [Effect.fail("down")],
      Retry.retry({
        classifier: Classifier.always,
        maxAttempts: 4,
        backoff: Backoff.constant({ delay: "1 second" }),
        bucket
      })
    ),
    ({ calls }) => calls.length
  )

/** The store is down: every retry, no retry, or those that the local bucket grants. */
export const program = Effect.flatMap(choices(store), ({ closed, local, open }) =>
  Effect.all({ open: callsUnder(open), closed: callsUnder(closed), local: callsUnder(local) })
).pipe(Logger.withMinimumLogLevel(LogLevel.None))

// #region expected
export const expected = { open: 4, closed: 1, local: 2 }
// #endregion
