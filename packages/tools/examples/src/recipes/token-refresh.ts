import { Either } from "effect"
// #region policy
import { Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect, SynchronizedRef } from "effect"

class Unauthorized extends Data.TaggedError("Unauthorized")<{ readonly token: string }> {}
class Busy extends Data.TaggedError("Busy") {}

interface Tokens {
  readonly current: Effect.Effect<string>
  readonly replace: (refused: string) => Effect.Effect<string>
}

/** A token that all calls share; if several are refused at the same time, one of them fetches the next token. */
const tokens = (fetchToken: Effect.Effect<string>): Effect.Effect<Tokens> =>
  Effect.map(Effect.flatMap(fetchToken, SynchronizedRef.make), (ref) => ({
    current: SynchronizedRef.get(ref),
    replace: (refused) =>
      SynchronizedRef.updateAndGetEffect(ref, (token) => (token === refused ? fetchToken : Effect.succeed(token)))
  }))

const policy = {
  classifier: Classifier.fromTags<Unauthorized | Busy>({ Unauthorized: Verdict.client, Busy: Verdict.throttling }),
  maxAttempts: 4,
  attemptsByKind: { Client: 2 },
  backoff: Backoff.byKind({
    Client: Backoff.constant({ delay: 0 }),
    orElse: Backoff.exponential({ base: "200 millis" }).pipe(Backoff.capped("5 seconds"), Backoff.jittered(Jitter.full))
  })
}

/** Each attempt reads the token anew, and a refused token is replaced before the attempt fails. */
const authorized = <A>(tokens: Tokens, call: (token: string) => Effect.Effect<A, Unauthorized | Busy>) =>
  Effect.flatMap(tokens.current, call).pipe(
    Effect.tapErrorTag("Unauthorized", ({ token }) => tokens.replace(token)),
    Retry.retry(policy)
  )
// #endregion

/** A server that accepts one token; each fetch gives the next of the list. */
const asked = (accepted: string, callers: number) =>
  Effect.gen(function* () {
    let [fetched, calls] = [0, 0]
    const shared = yield* tokens(Effect.suspend(() => Effect.delay(Effect.succeed(`token ${++fetched}`), "1 second")))
    const call = (token: string) =>
      Effect.suspend(() => {
        calls += 1
        return token === accepted ? Effect.succeed(token) : Effect.fail(new Unauthorized({ token }))
      })
    const ends = yield* Effect.replicateEffect(Effect.either(authorized(shared, call)), callers, {
      concurrency: "unbounded"
    })
    return { fetched, calls, answered: ends.filter(Either.isRight).length }
  })

export const program = Effect.all({
  fresh: asked("token 1", 1),
  expired: asked("token 2", 3),
  revoked: asked("none", 1)
})

// #region expected
export const expected = {
  fresh: { fetched: 1, calls: 1, answered: 1 },
  expired: { fetched: 2, calls: 6, answered: 3 },
  revoked: { fetched: 3, calls: 2, answered: 0 }
}
// #endregion
