/**
 * A circuit breaker as a rate limiter of a policy.
 */
import { timeline } from "./scripted.ts"
// #region breaker
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Clock, Duration, Effect, Either, Option, Ref } from "effect"

interface Options {
  /** Opens when so many of the last attempts have failed. */
  readonly failed: number
  readonly of: number
  readonly openFor: Duration.DurationInput
}

type State =
  | { readonly _tag: "Closed"; readonly recent: ReadonlyArray<"failed" | "succeeded"> }
  | { readonly _tag: "Open"; readonly untilMillis: number }
  | { readonly _tag: "HalfOpen"; readonly probe: TokenBucket.Grant }

const closed: State = { _tag: "Closed", recent: [] }

/** Time that no setting of the wall clock changes. */
const nowMillis = Effect.map(Effect.clock, (clock) => Number(clock.unsafeCurrentTimeNanos()) / 1e6)

export const circuitBreaker = ({ failed, of, openFor }: Options): Effect.Effect<TokenBucket.TokenBucket> =>
  Effect.map(Ref.make<State>(closed), (ref) => {
    const change = (after: (state: State, nowMillis: number) => State) =>
      Effect.flatMap(nowMillis, (now) => Ref.update(ref, (state) => after(state, now)))
    const open = (untilMillis: number): State => ({ _tag: "Open", untilMillis })
    const refund = change((state, now) => (state._tag === "HalfOpen" ? open(now) : state))
    return {
      acquire: () =>
        Effect.flatMap(nowMillis, (now) =>
          Ref.modify(ref, (state): readonly [Option.Option<TokenBucket.Grant>, State] => {
            if (state._tag === "Closed") return [Option.some({ tokens: 0, refund: Effect.void }), state]
            if (state._tag === "HalfOpen" || now < state.untilMillis) return [Option.none(), state]
            const probe = { tokens: 0, refund }
            return [Option.some(probe), { _tag: "HalfOpen", probe }]
          })
        ),
      // With it the breaker also hears of a probe that is interrupted.
      started: () => Effect.void,
      record: (outcome) =>
        change((state, now) => {
          const isFailure = outcome._tag === "Failed" && outcome.verdict._tag === "Retryable"
          if (state._tag === "HalfOpen" && outcome.granted === state.probe) {
            return isFailure
              ? open(now + Duration.toMillis(openFor))
              : outcome._tag === "Abandoned"
                ? open(now)
                : closed
          }
          if (state._tag !== "Closed" || outcome._tag === "Abandoned") return state
          const recent = [...state.recent, isFailure ? ("failed" as const) : ("succeeded" as const)].slice(-of)
          const failures = recent.filter((ended) => ended === "failed").length
          return failures < failed ? { ...state, recent } : open(now + Duration.toMillis(openFor))
        }),
      level: Effect.map(Ref.get(ref), ({ _tag }) => (_tag === "Closed" ? Infinity : 0))
    }
  })
// #endregion

// #region policy
const request = <A, E>(breaker: TokenBucket.TokenBucket, call: Effect.Effect<A, E>) =>
  Retry.retry(call, {
    rateLimiter: breaker,
    classifier: Classifier.always,
    maxAttempts: 2,
    backoff: Backoff.constant({ delay: "1 second" })
  })
// #endregion

/** One request every ten seconds to a server that is down for a minute. */
export const program = Effect.gen(function* () {
  const breaker = yield* circuitBreaker({ failed: 3, of: 3, openFor: "25 seconds" })
  const server = Effect.flatMap(Clock.currentTimeMillis, (now) => (now < 60_000 ? Effect.fail("down") : Effect.void))
  const { calls, outcome } = yield* timeline([server], (call) =>
    Effect.replicateEffect(Effect.zipLeft(Effect.either(request(breaker, call)), Effect.sleep("10 seconds")), 10)
  )
  const ends = outcome.map((end) =>
    Either.isRight(end) ? "answered" : end.left === "down" ? "down" : "refused without a call"
  )
  return { calls: calls.map((millis) => millis / 1000), ends }
})

// #region expected
export const expected = {
  calls: [0, 1, 11, 42, 73, 83, 93],
  ends: [
    "down",
    "down",
    "refused without a call",
    "refused without a call",
    "down",
    "refused without a call",
    "refused without a call",
    "answered",
    "answered",
    "answered"
  ]
}
// #endregion
