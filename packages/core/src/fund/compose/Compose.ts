/**
 * Buckets made of buckets. Nothing here keeps tokens of its own.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Untrusted from "../../accept/Untrusted.ts"
import type { Grant, Outcome, Refusal, Request, TokenBucket } from "../port/Port.ts"
import { noTokens } from "../port/Port.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Answer from "../port/Answer.ts"
import * as Logging from "../port/Logging.ts"
import * as MonotonicTime from "../port/MonotonicTime.ts"
import * as Outcomes from "../port/Outcomes.ts"
import { dual, type Given } from "../../accept/Dual.ts"

/**
 * Grants every attempt at no cost.
 *
 * @category constructors
 */
export const unlimited: TokenBucket = {
  acquire: () => Effect.succeedSome(noTokens),
  record: () => Effect.void,
  level: Effect.succeed(Infinity)
}

/**
 * Grants no attempt.
 *
 * @category constructors
 */
export const empty: TokenBucket = { ...unlimited, acquire: () => Effect.succeedNone, level: Effect.succeed(0) }

/**
 * Grants an attempt only if every one of the buckets grants it.
 *
 * The buckets are asked in order. If one refuses, dies or is interrupted while it waits, those before it get a refund
 * and those after it are not asked. Their waits together last at most `request.atMost`; put a bucket that waits last,
 * so that no wait precedes a refusal. Each bucket records every attempt, with its own grant. The level is the lowest of
 * the levels, and the tokens of a grant are the most that any of the buckets granted. Associative; `unlimited` is its
 * identity and `empty` its zero.
 *
 * @category combinators
 */
export const all = (...buckets: ReadonlyArray<TokenBucket>): TokenBucket => {
  const nowMillis = MonotonicTime.makeReader()
  return {
    acquire: (request) =>
      Option.match(request.atMost, {
        onNone: () => acquireEach(buckets, () => request),
        onSome: (atMost) =>
          Effect.clockWith((clock) => {
            const untilMillis = nowMillis(clock) + Duration.toMillis(atMost)
            return acquireEach(buckets, () => waitingAtMost(request, untilMillis - nowMillis(clock)))
          })
      }),
    record: (outcome) => recordEach(buckets, outcome),
    level: Effect.map(
      Effect.forEach(buckets, ({ level }) => AtOnce.call(() => level)),
      (levels) => Math.min(...levels)
    ),
    ...foretelling(buckets),
    ...hearing(buckets)
  }
}

/** If one bucket refuses, the combination does. */
const foretelling = (buckets: ReadonlyArray<TokenBucket>): Pick<TokenBucket, "refusalAfter"> => {
  const known = buckets.flatMap(({ refusalAfter }) => refusalAfter ?? [])
  if (known.length === 0) return {}
  const first = (delay: Duration.Duration, index: number): Effect.Effect<Option.Option<Refusal>> => {
    const refusalAfter = known[index]
    if (refusalAfter === undefined) return Effect.succeedNone
    return Effect.flatMap(
      AtOnce.call(() => refusalAfter(delay)),
      (refusal) => (Option.isSome(refusal) ? Effect.succeed(refusal) : first(delay, index + 1))
    )
  }
  return { refusalAfter: (delay) => first(delay, 0) }
}

type Recording = Pick<TokenBucket, "record" | "started" | "timed">

/** A grant that holds what each bucket granted, in the order of the buckets. */
interface Combined extends Grant {
  readonly parts: ReadonlyArray<Grant>
}

const isCombined = (granted: Grant): granted is Combined => "parts" in granted

/** Combines the grants of several buckets. The refunds run in reverse order. */
export const combined = (
  parts: ReadonlyArray<Grant>,
  refund: Effect.Effect<void> = Effect.suspend(() => refundEach(parts))
): Combined => {
  let most = 0
  for (const { tokens } of parts) most = Math.max(most, tokens)
  return { tokens: most, refund, parts, hearsAbandoned: parts.some(({ hearsAbandoned }) => hearsAbandoned) }
}

/**
 * Tells each bucket how an attempt ended, with the bucket's own grant. If one bucket dies, the others are told all the same.
 */
export const recordEach = (buckets: ReadonlyArray<Recording>, outcome: Outcome): Effect.Effect<void> => {
  const parts = isCombined(outcome.granted) ? outcome.granted.parts : []
  return inTurn(buckets, (bucket, index) => {
    const own = { ...outcome, granted: parts[index] ?? noTokens }
    return Outcomes.isHeard(bucket, own) ? bucket.record(own) : Effect.void
  })
}

/** The optional members of several buckets combined: a member is absent if no bucket has it. */
export const hearing = (buckets: ReadonlyArray<Recording>): Pick<TokenBucket, "started" | "timed"> => ({
  started: buckets.some(({ started }) => started !== undefined)
    ? (begun) => inTurn(buckets, ({ started }) => (started === undefined ? Effect.void : started(begun)))
    : undefined,
  timed: buckets.some(({ timed }) => timed) || undefined
})

/** The same request with another limit on its wait: no wait if `millis` is negative. */
export const waitingAtMost = (request: Request, millis: number): Request => ({
  ...request,
  atMost: Option.some(Duration.millis(millis))
})

const acquireEach = (
  buckets: ReadonlyArray<TokenBucket>,
  request: () => Request
): Effect.Effect<Option.Option<Grant>> =>
  Effect.suspend(() => {
    const granted: Array<Grant> = []
    const next = (index: number): Effect.Effect<Option.Option<Grant>> => {
      const bucket = buckets[index]
      if (bucket === undefined) return Effect.succeedSome(combined(granted))
      const asked = AtOnce.call(() => Answer.checked("TokenBucket.all", bucket.acquire(request())))
      return Effect.matchCauseEffect(asked, {
        onFailure: (cause) => Effect.zipRight(refundEach(granted), Effect.failCause(cause)),
        onSuccess: (answer) => {
          if (Option.isNone(answer)) return Effect.zipRight(refundEach(granted), Effect.succeedNone)
          granted.push(answer.value)
          return next(index + 1)
        }
      })
    }
    return next(0)
  })

const refundEach = (grants: ReadonlyArray<Grant>): Effect.Effect<void> =>
  inTurn(grants.toReversed(), ({ refund }) => refund)

/** Runs the effects one after the other; if one dies or is interrupted, the rest still run. */
const inTurn = <A>(
  items: ReadonlyArray<A>,
  run: (item: A, index: number) => Effect.Effect<void>
): Effect.Effect<void> => {
  const each = items.map((item, index) => AtOnce.call(() => run(item, index)))
  return each.reduceRight((rest, first) => Effect.ensuring(first, rest), each.pop() ?? Effect.void)
}

/** The options of `shadow`. */
interface Shadow {
  /**
   * Called for each attempt that would have been refused, or would have had to wait. Runs in its own fiber: the
   * operation does not wait for it.
   */
  readonly onRefused?: ((request: Request) => Effect.Effect<void>) | undefined
}

/**
 * Decides like the bucket, but grants at no cost whatever the bucket refuses: for trying out a bucket in production.
 *
 * The bucket takes, refunds and records as if its answer counted. It must not wait, so an attempt that would have to
 * wait counts as refused. A bucket that dies, is interrupted or gives no valid answer counts as refusing, which is logged.
 * `shadow(shadow(bucket))` is `shadow(bucket)`.
 *
 * @category combinators
 */
export function shadow(options?: Shadow): (self: TokenBucket) => TokenBucket
export function shadow(self: TokenBucket, options?: Shadow): TokenBucket
export function shadow(...given: Given): any {
  return dual(
    given,
    (self: TokenBucket, { onRefused }: Shadow = {}): TokenBucket => ({
      ...self,
      refusalAfter: undefined,
      acquire: (request) =>
        Effect.flatMap(
          Effect.catchAllCause(
            Effect.suspend(() =>
              Answer.checked("TokenBucket.shadow", self.acquire({ ...waitingAtMost(request, 0), refused: undefined }))
            ),
            (cause) =>
              Effect.as(
                Logging.safely(
                  Effect.logError("TokenBucket.shadow: the bucket died", Untrusted.shown(Cause.squash(cause)))
                ),
                Option.none<Grant>()
              )
          ),
          (answer) => {
            if (Option.isSome(answer)) return Effect.succeed(answer)
            const granted = Effect.succeedSome(noTokens)
            if (onRefused === undefined) return granted
            return Effect.zipRight(
              Effect.forkDaemon(Effect.interruptible(Effect.suspend(() => onRefused(request)))),
              granted
            )
          }
        )
    }),
    given[0] !== undefined && "acquire" in given[0]
  )
}

/**
 * Charges first attempts to the bucket that pays for the retries: for the `rateLimiter` of a policy whose `bucket` is the
 * same bucket.
 *
 * Asks the bucket only for first attempts, and grants retries at no cost. Does not pass on starts and outcomes, since a
 * policy reports first attempts to its `bucket` as well.
 *
 * @category combinators
 */
export const firstAttempts = (self: TokenBucket): TokenBucket => ({
  acquire: (request) => (request.attempt === 1 ? self.acquire(request) : unlimited.acquire(request)),
  record: unlimited.record,
  level: self.level
})
