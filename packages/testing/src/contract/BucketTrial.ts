/**
 * What the parts of the contract do with a bucket: acquire, record, drain.
 */
import { type TokenBucket, Verdict } from "@effect-retry/core"
import { noTokens } from "@effect-retry/core/unstable/Port"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Interleaving from "../run/Interleaving.ts"
import type { Runner } from "../run/Runner.ts"
import * as VirtualClock from "../run/VirtualClock.ts"

export type Bucket = TokenBucket.TokenBucket
export type Answer = Option.Option<TokenBucket.Grant>

export interface Contract {
  readonly expect: Runner["expect"]
  /** Uses another bucket, at time zero. */
  readonly fresh: <A, E>(
    use: (bucket: Bucket) => Effect.Effect<A, E, VirtualClock.VirtualClock>
  ) => Effect.Effect<A, unknown>
  readonly it: (sentence: string, body: Effect.Effect<void, unknown>) => void
  readonly test: (
    sentence: string,
    body: (bucket: Bucket) => Effect.Effect<void, unknown, VirtualClock.VirtualClock>
  ) => void
  /** Checks the level of a bucket whose level is exact. */
  readonly expectLevel: (bucket: Bucket, expected: number) => Effect.Effect<void>
}

const { kinds } = Verdict

/** Differences up to this are floating-point error. */
export const tolerance = 1e-5

export const differs = (actual: number, expected: number): boolean => Math.abs(actual - expected) > tolerance

export const tokensOf: (answer: Answer) => number = Option.match({ onNone: () => 0, onSome: ({ tokens }) => tokens })

export const endings = ["Succeeded", "Failed", "Abandoned"] as const

export type Ending = (typeof endings)[number]

export const succeeded = (attempt: number, granted: TokenBucket.Grant): TokenBucket.Outcome => ({
  _tag: "Succeeded",
  attempt,
  granted
})

export const outcomeOf = (ending: Ending, attempt: number, granted: TokenBucket.Grant): TokenBucket.Outcome =>
  ending === "Failed"
    ? { _tag: "Failed", attempt, granted, verdict: Verdict.transient }
    : { _tag: ending, attempt, granted }

/** Every kind of outcome of an attempt for which the bucket was not asked. */
export const outcomes: ReadonlyArray<TokenBucket.Outcome> = /*#__PURE__*/ [1, 2, 1000, Number.MAX_SAFE_INTEGER].flatMap(
  (attempt): ReadonlyArray<TokenBucket.Outcome> => [
    succeeded(attempt, noTokens),
    { _tag: "Abandoned", attempt, granted: noTokens },
    ...[
      ...kinds.flatMap((kind) => [Verdict.retryable(kind), Verdict.retryable(kind, { hint: "1 second" })]),
      Verdict.terminal("not found"),
      Verdict.noOpinion
    ].map((verdict): TokenBucket.Outcome => ({ _tag: "Failed", attempt, granted: noTokens, verdict }))
  ]
)

/**
 * Records an attempt that has already started and took no time. A bucket without `started` is not told of abandoned
 * attempts.
 */
export const record = (bucket: Bucket, outcome: TokenBucket.Outcome): Effect.Effect<void> =>
  outcome._tag === "Abandoned" && bucket.started === undefined && outcome.granted.hearsAbandoned !== true
    ? Effect.void
    : bucket.record(bucket.timed === true ? { ran: Duration.zero, ...outcome } : outcome)

/** Reports an attempt from start to end. */
export const tell = (bucket: Bucket, outcome: TokenBucket.Outcome): Effect.Effect<void> =>
  Effect.suspend(() => {
    const started = { attempt: outcome.attempt }
    return Effect.zipRight(bucket.started?.(started) ?? Effect.void, record(bucket, { ...outcome, started }))
  })

/** Reports a failed attempt for which the bucket was not asked. */
export const fail = (bucket: Bucket, kind: Verdict.Kind = "Transient"): Effect.Effect<void> =>
  tell(bucket, { _tag: "Failed", attempt: 2, granted: noTokens, verdict: Verdict.retryable(kind) })

interface Asking {
  readonly attempt: number
  readonly kind: Option.Option<Verdict.Kind>
  readonly atMostMillis: number
}

export const atOnce: Asking = { attempt: 2, kind: /*#__PURE__*/ Option.some("Transient"), atMostMillis: 0 }

export const atAnyTime: Asking = { ...atOnce, atMostMillis: Infinity }

/** Acquires as the loop does. */
export const acquire = (
  bucket: Bucket,
  { atMostMillis, attempt, kind }: Asking,
  answer: (answer: Answer) => void = () => {}
): Effect.Effect<Answer> => {
  const atMost = atMostMillis === Infinity ? Option.none() : Option.some(Duration.millis(atMostMillis))
  return Effect.uninterruptibleMask((restore) =>
    Effect.map(bucket.acquire({ attempt, kind, delay: Duration.zero, atMost, restore }), (granted) => {
      answer(granted)
      return granted
    })
  )
}

type Begun = Interleaving.Begun<Answer>

export const idle: Begun = { isOver: Effect.succeed(true), ended: Effect.succeedNone }

/** Begins to acquire, `early` steps before the end of a turn. */
export const beginAcquire = (bucket: Bucket, asking: Asking, early?: number): Effect.Effect<Begun> =>
  Interleaving.begin((answer) => acquire(bucket, asking, answer), early)

/** Stops acquiring, and returns what has been granted by then. */
export const endAcquire = ({ ended }: Begun): Effect.Effect<Answer> => Effect.map(ended, Option.flatten)

/** Acquires without waiting. */
export const acquireNow = (bucket: Bucket, kind: Verdict.Kind = "Transient"): Effect.Effect<Answer> =>
  acquire(bucket, { ...atOnce, kind: Option.some(kind) })

export const failThenAcquire = (bucket: Bucket, kind: Verdict.Kind = "Transient"): Effect.Effect<Answer> =>
  Effect.zipRight(fail(bucket, kind), acquireNow(bucket, kind))

/** Acquires until refused; returns the grants. */
export const drain = (bucket: Bucket): Effect.Effect<ReadonlyArray<TokenBucket.Grant>> =>
  Effect.gen(function* () {
    const grants: Array<TokenBucket.Grant> = []
    for (let answer = yield* failThenAcquire(bucket); Option.isSome(answer); answer = yield* failThenAcquire(bucket)) {
      grants.push(answer.value)
      if (grants.length === 10_000) throw new Error('it grants 10000 attempts at once: is it grants: "all"?')
    }
    return grants
  })

/** Interrupts acquiring attempts, each at a different step; the grant of each is checked and refunded. */
export const interruptAcquires = (bucket: Bucket, look: (taken: number) => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const { early, turns } of Interleaving.moments) {
      const begun = yield* beginAcquire(bucket, atAnyTime, early)
      yield* Effect.replicateEffect(Effect.yieldNow(), turns)
      const answer = yield* endAcquire(begun)
      yield* look(tokensOf(answer))
      if (Option.isSome(answer)) yield* answer.value.refund
    }
  })

export const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)
