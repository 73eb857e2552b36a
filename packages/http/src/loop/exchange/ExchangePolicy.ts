/**
 * The policy of an exchange: the client's, with hooks that know the request.
 *
 * Checked once per client, so that little is left to do for a request.
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
  // A deadline that cuts needs no help, and must not lose to a timer that rounds the same moment down.
  const isOpen = core.deadline === undefined || core.deadline._tag === "Cut"
  return isOpen || core.attemptTimeout !== undefined ? core : { ...core, attemptTimeout: timeLeft }
}

/** No bound of its own: the deadline bounds the attempt. */
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

/** A request without an answer may have been carried out, so its timeout is judged by the request. */
const timeoutsOf = (timeout: Timeout): ((exchange: Exchange.Exchange) => Timeout) => {
  const { verdict } = timeout
  if (verdict._tag !== "Retryable") return () => timeout
  // Inherited by those of all exchanges: to make a getter costs microseconds.
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

/** The key of keyed buckets and rate limiters is the host, unless the caller has named one: then it is in the context. */
export const makeKeyReader = (): ((exchange: Exchange.Exchange) => string) => {
  const hostOf: (request: Request) => string = Host.makeReader()
  return ({ context, request }) =>
    // The default of a reference takes longer to find than to miss.
    context.unsafeMap.has(TokenBucket.Key.key) && Context.get(context, TokenBucket.Key) !== "" ? "" : hostOf(request)
}

/** The same bucket, which is told of the responses: what asks for the start of an attempt can ask for its answer as well. */
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
