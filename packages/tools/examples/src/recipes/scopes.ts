// #region policy
import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect, ExecutionStrategy, Exit, Scope } from "effect"

class Lost extends Data.TaggedError("Lost") {}

const reconnect = {
  classifier: Classifier.fromTags<Lost>({ Lost: Verdict.transient }),
  maxAttempts: 100,
  backoff: Backoff.constant({ delay: "1 second" })
}

/** Connects and runs until the connection is lost; each attempt closes its connection. */
const listen = <A, R>(connectAndRun: Effect.Effect<A, Lost, R>) => Retry.retry(Effect.scoped(connectAndRun), reconnect)
// #endregion

// #region kept
/** What an attempt has opened is closed at once if the attempt fails, and stays open if it succeeds. */
export const inOwnScope = <A, E, R>(open: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    return yield* Effect.onError(Scope.extend(open, scope), (cause) => Scope.close(scope, Exit.failCause(cause)))
  })

const connected = <A, R>(connect: Effect.Effect<A, Lost, R>) => Retry.retry(inOwnScope(connect), reconnect)
// #endregion

/** How many connections are open, at most and when the program is done with the last one. */
const count = <E, R>(
  use: (connect: Effect.Effect<void, Lost, Scope.Scope>) => Effect.Effect<void, E, R>,
  failing: number
) =>
  Effect.gen(function* () {
    let [open, most, calls] = [0, 0, 0]
    const acquired = Effect.acquireRelease(
      Effect.sync(() => {
        calls += 1
        most = Math.max(most, ++open)
      }),
      () => Effect.sync(() => void (open -= 1))
    )
    const connect = Effect.zipRight(
      acquired,
      Effect.suspend(() => (calls <= failing ? Effect.fail(new Lost()) : Effect.void))
    )
    const inside = yield* Effect.scoped(Effect.map(use(connect), () => open))
    return { calls, most, inside, left: open }
  })

export const program = Effect.all({
  listen: count(listen, 99),
  connected: count(connected, 99),
  around: count((connect) => Retry.retry(connect, reconnect), 99)
})

// #region expected
export const expected = {
  listen: { calls: 100, most: 1, inside: 0, left: 0 },
  connected: { calls: 100, most: 1, inside: 1, left: 0 },
  around: { calls: 100, most: 100, inside: 100, left: 0 }
}
// #endregion
