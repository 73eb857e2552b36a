/**
 * The policy of an exchange: the client's policy, with hooks that know the request.
 *
 * Checked once per client, so that little is left to do per request.
 */
import { AttemptTimeout, TokenBucket, Verdict } from "@effect-retry/core"
import * as BucketOrTag from "@effect-retry/core/unstable/BucketOrTag"
import * as KnownKey from "@effect-retry/core/unstable/KnownKey"
import * as Millis from "@effect-retry/core/unstable/Millis"
import * as PolicyCheck from "@effect-retry/core/unstable/PolicyCheck"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Answering from "../../fund/Answering.ts"
import * as Attempt from "../policy/Attempt.ts"
import * as EventDetails from "./EventDetails.ts"
import * as Exchange from "./Exchange.ts"
import type { Request } from "./Exchange.ts"
import { type CoreFields, coreOf, type Erased } from "../policy/HttpPolicy.ts"
import * as Host from "../client/Host.ts"
import * as Reader from "./Reader.ts"
import * as Release from "./Release.ts"

export const make = (policy: Erased): ((exchange: Exchange.Exchange) => PolicyCheck.Prepared) => {
  const prepared = preparedOf(policy, timed(coreOf(policy)))
  const { attemptTimeout, bucket, observers, rateLimiter } = prepared.hooks
  const timeoutOf = attemptTimeout && timeoutsOf(attemptTimeout)
  const keyOf = bucket === undefined && rateLimiter === undefined ? () => "" : makeKeyReader()
  const bucketOf = bucket && bucketsOf(bucket)
  const rateLimiterOf = rateLimiter && bucketsOf(rateLimiter)
  return (exchange) => {
    const key = keyOf(exchange)
    const hooks: PolicyCheck.Hooks = {
      rateLimiter: rateLimiterOf && answering(exchange, rateLimiterOf(exchange, key)),
      attemptTimeout: timeoutOf?.(exchange),
      classifier: (error, moment) => Reader.judge(exchange, error, moment),
      result: (response: any, moment) => Reader.judgeResponse(exchange, response, moment),
      release: (failed, because) => Release.released(exchange, Reader.responseOf(exchange, failed) ?? failed, because),
      bucket: bucketOf?.(exchange, key),
      observers: EventDetails.observing(exchange, observers, policy.route)
    }
    return { ...prepared, hooks }
  }
}

const timed = (core: CoreFields): CoreFields => {
  // A cutting deadline needs no help, and must not lose to a timer that rounds the same moment down.
  const isOpen = core.deadline === undefined || core.deadline._tag === "Cut"
  return isOpen || core.attemptTimeout !== undefined ? core : { ...core, attemptTimeout: timeLeft }
}

/** No limit of its own: the deadline bounds the attempt. */
const timeLeft = /*#__PURE__*/ AttemptTimeout.constant(/*#__PURE__*/ Duration.millis(Millis.longestTimerMillis))

/** The functions stand in for the hooks of an exchange. */
const preparedOf = (policy: Erased, core: CoreFields): PolicyCheck.Prepared =>
  PolicyCheck.prepare("HttpRetry.withRetry", {
    ...core,
    ...(Attempt.isTimed(policy) && { attempt: Attempt.CurrentAttempt }),
    classifier: (_error, _moment) => Verdict.noOpinion,
    result: (_response: unknown, _moment) => Verdict.noOpinion,
    release: () => Effect.void
  })

type Timeout = AttemptTimeout.AttemptTimeout<unknown>

interface OfExchange extends Timeout {
  exchange: Exchange.Exchange
}

/** An unanswered request may have been carried out, so the verdict on its timeout depends on the request. */
const timeoutsOf = (timeout: Timeout): ((exchange: Exchange.Exchange) => Timeout) => {
  const { verdict } = timeout
  if (verdict._tag !== "Retryable") return () => timeout
  // Inherited by the timeouts of all exchanges, because making a getter costs microseconds.
  const shared: Timeout & ThisType<OfExchange> = {
    ...timeout,
    get verdict() {
      const last = Reader.verdictOfLast(this.exchange)
      if (last !== undefined) return last
      const why = Exchange.whyNot(this.exchange, this.exchange.isSent ? "Unknown" : "NotSent")
      return why === undefined ? verdict : Exchange.forbidden(why, verdict)
    }
  }
  return (exchange) => {
    const made: OfExchange = Object.create(shared)
    made.exchange = exchange
    return made
  }
}

/** The key of keyed buckets and rate limiters is the host, unless the context holds a key from the caller. */
export const makeKeyReader = (): ((exchange: Exchange.Exchange) => string) => {
  const hostOf: (request: Request) => string = Host.makeReader()
  return ({ context, request }) =>
    // Looking up a reference's default takes longer than checking for its absence.
    context.unsafeMap.has(TokenBucket.Key.key) && Context.get(context, TokenBucket.Key) !== "" ? "" : hostOf(request)
}

/** The same bucket, which can also read responses: a bucket with `started` can ask for the answer to an attempt. */
const answering = (exchange: Exchange.Exchange, bucket: TokenBucket.TokenBucket): TokenBucket.TokenBucket => {
  const { started } = bucket
  if (started === undefined) return bucket
  let own: TokenBucket.Started | undefined
  return {
    ...bucket,
    started: (begun) => {
      own = Answering.started(begun, Reader.headersSince(exchange))
      return started(own)
    },
    record: (outcome) => bucket.record(own === undefined ? outcome : { ...outcome, started: own })
  }
}

type Bucket = NonNullable<PolicyCheck.Hooks["bucket"]>

export const bucketsOf = (given: Bucket): ((exchange: Exchange.Exchange, key: string) => TokenBucket.TokenBucket) => {
  const find = KnownKey.makeFinder()
  return ({ context }, key) => {
    const bucket = BucketOrTag.find(given, context)
    return key === "" ? bucket : find(bucket, key)
  }
}
