/**
 * Buckets, and what happens to them, for the laws of compositions.
 */
import { RateLimiter, TokenBucket, Verdict } from "@effect-retry/core"
import { Duration, Effect, FastCheck as fc, Option, Ref } from "effect"
import * as SteppedClock from "./SteppedClock.ts"

type Bucket = TokenBucket.TokenBucket

export const notAsked: TokenBucket.Grant = { tokens: 0, refund: Effect.void }

/** A retry after a transient failure, without a deadline. */
export const request = (changed: Partial<TokenBucket.Request> = {}): TokenBucket.Request => ({
  attempt: 2,
  kind: Option.some("Transient"),
  delay: Duration.zero,
  atMost: Option.none(),
  restore: (effect) => effect,
  ...changed
})

/** Asks as the loop does: only a wait can be interrupted. */
export const acquire = (bucket: Bucket, changed?: Partial<TokenBucket.Request>) =>
  Effect.uninterruptibleMask((restore) => bucket.acquire(request({ restore, ...changed })))

export const isGranted = (bucket: Bucket, changed?: Partial<TokenBucket.Request>) =>
  Effect.map(acquire(bucket, changed), Option.isSome)

export const succeeded = (granted = notAsked, attempt = 1): TokenBucket.Outcome => ({
  _tag: "Succeeded",
  attempt,
  granted
})

export const failed = (granted = notAsked, attempt = 1): TokenBucket.Outcome => ({
  _tag: "Failed",
  attempt,
  granted,
  verdict: Verdict.transient
})

export const abandoned = (granted = notAsked, attempt = 1): TokenBucket.Outcome => ({
  _tag: "Abandoned",
  attempt,
  granted
})

/** Tells of an attempt as the loop does. */
export const tell = (bucket: Bucket, outcome: TokenBucket.Outcome) =>
  outcome._tag === "Abandoned" && bucket.started === undefined ? Effect.void : bucket.record(outcome)

/** A bucket of the caller's own, whose grants are free: failures lower its level, and at half it refuses. */
const aboveHalf: Effect.Effect<Bucket> = Effect.map(Ref.make(6), (ref) => ({
  acquire: () =>
    Ref.modify(ref, (level) => [level > 3 ? Option.some({ tokens: 0, refund: Effect.void }) : Option.none(), level]),
  record: ({ _tag }) => {
    if (_tag === "Succeeded") return Ref.update(ref, (level) => Math.min(6, level + 0.5))
    return _tag === "Failed" ? Ref.update(ref, (level) => Math.max(0, level - 1)) : Effect.void
  },
  level: Ref.get(ref)
}))

/** Makes buckets of every sort that does not wait. */
export const bucket: fc.Arbitrary<Effect.Effect<Bucket>> = fc.constantFrom(
  Effect.succeed(TokenBucket.unlimited),
  Effect.succeed(TokenBucket.empty),
  TokenBucket.quota({ capacity: 9, cost: { Throttling: 3, orElse: 2 } }),
  TokenBucket.quota({ capacity: 4, cost: { orElse: 1 }, refillPerSecond: 2 }),
  TokenBucket.successRatio({ ratio: 0.5, capacity: 3 }),
  TokenBucket.requestRatio({ ratio: 0.5 }),
  aboveHalf,
  RateLimiter.fixed({ rate: 2, burst: 3, whenShort: "refuse" }),
  RateLimiter.concurrencyLimit({ limit: 2, whenShort: "refuse" })
)

interface Move {
  readonly does: "acquire" | "refund" | "succeed" | "fail" | "abandon" | "pass"
  readonly attempt: number
  readonly kind: Verdict.Kind
  /** Which of the attempts under way. */
  readonly which: number
}

export const moves: fc.Arbitrary<ReadonlyArray<Move>> = fc.array(
  fc.record<Move>({
    does: fc.constantFrom("acquire", "acquire", "acquire", "refund", "succeed", "fail", "abandon", "pass"),
    attempt: fc.integer({ min: 1, max: 3 }),
    kind: fc.constantFrom(...Verdict.kinds),
    which: fc.nat(5)
  }),
  { maxLength: 25, size: "max" }
)

/** Stands in a trace for an attempt that was refused. */
export const refused = -1

interface Attempt {
  readonly attempt: number
  readonly granted: TokenBucket.Grant
}

const outcomes = { succeed: succeeded, fail: failed, abandon: abandoned }

/** What a bucket answers to the moves: its grants in tokens, or -1 for a refusal, and its levels. */
export const traceOf = (make: Effect.Effect<Bucket>, moves: ReadonlyArray<Move>): ReadonlyArray<number> => {
  const clock = SteppedClock.make()
  const bucket = clock.run(make)
  const underWay: Array<Attempt> = []
  const trace: Array<number> = [clock.run(bucket.level)]
  for (const move of moves) {
    if (move.does === "pass") clock.advance(move.which * 250)
    const [answer, level] = clock.run(Effect.zip(moved(bucket, move, underWay), bucket.level))
    trace.push(answer ?? 0, level)
  }
  return trace
}

const moved = (bucket: Bucket, { attempt, does, kind, which }: Move, underWay: Array<Attempt>) => {
  if (does === "pass") return Effect.void
  if (does === "acquire") {
    return Effect.map(
      acquire(bucket, { attempt, kind: attempt === 1 ? Option.none() : Option.some(kind) }),
      (answer) => {
        if (Option.isSome(answer)) underWay.push({ attempt, granted: answer.value })
        return Option.match(answer, { onNone: () => refused, onSome: ({ tokens }) => tokens })
      }
    )
  }
  const [one = { attempt, granted: notAsked }] = underWay.splice(which % Math.max(1, underWay.length), 1)
  if (does === "refund") return one.granted.refund
  const told = tell(bucket, outcomes[does](one.granted, one.attempt))
  return bucket.started === undefined ? told : Effect.zipRight(bucket.started({ attempt: one.attempt }), told)
}

/** What a bucket granted, was refunded and heard of, in tokens. */
export interface Ledger {
  granted: number
  refunded: number
  spent: number
  readonly heard: Array<TokenBucket.Outcome>
}

/** The same bucket, and its ledger. A second refund dies, and so does an outcome with the grant of another bucket. */
export const audited = (bucket: Bucket): readonly [Bucket, Ledger] => {
  const ledger: Ledger = { granted: 0, refunded: 0, spent: 0, heard: [] }
  const open = new Set<TokenBucket.Grant>()
  const close = (grant: TokenBucket.Grant) =>
    open.delete(grant) ? Effect.void : Effect.dieMessage("this bucket has no such grant")
  const audit = (granted: TokenBucket.Grant): TokenBucket.Grant => {
    const grant: TokenBucket.Grant = {
      tokens: granted.tokens,
      refund: Effect.suspend(() => {
        ledger.refunded += granted.tokens
        return Effect.zipRight(close(grant), granted.refund)
      })
    }
    ledger.granted += granted.tokens
    open.add(grant)
    return grant
  }
  const self: Bucket = {
    ...bucket,
    acquire: (request) => Effect.map(bucket.acquire(request), Option.map(audit)),
    record: (outcome) =>
      Effect.suspend(() => {
        const { granted } = outcome
        ledger.heard.push(outcome)
        ledger.spent += granted.tokens
        // What was not asked for has no refund of this bucket.
        const isOwn = granted.tokens > 0 || open.has(granted)
        return Effect.zipRight(isOwn ? close(granted) : Effect.void, bucket.record(outcome))
      })
  }
  return [self, ledger]
}
