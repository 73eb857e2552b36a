/**
 * Retries of requests: core's loop around the attempts of an exchange.
 */
import { AttemptTimeout, Backoff, type Retry, TokenBucket, Verdict } from "@effect-retry/core"
import * as Loop from "@effect-retry/core/Loop"
import * as Millis from "@effect-retry/core/Millis"
import * as PolicyCheck from "@effect-retry/core/PolicyCheck"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Idempotency from "../decide/Idempotency.ts"
import * as IdempotencyKey from "../decide/IdempotencyKey.ts"
import * as Attempt from "./Attempt.ts"
import * as Ending from "./Ending.ts"
import * as EventDetails from "./EventDetails.ts"
import * as Exchange from "./Exchange.ts"
import type { Request, Response, Send, Sent } from "./Exchange.ts"
import { type CoreFields, coreOf, type Erased } from "./HttpPolicy.ts"
import * as Host from "./Host.ts"
import * as Reader from "./Reader.ts"
import * as Reading from "./Reading.ts"
import * as Release from "./Release.ts"
import * as RequestOptions from "./RequestOptions.ts"

/**
 * Sends requests as often as the policy says. What does not depend on a request is worked out once per policy.
 *
 * A policy that asks for nothing before the first failure costs a success one `matchCauseEffect`: the loop begins with
 * the first outcome that is not fine.
 *
 * @category constructors
 */
export const retrying = (policy: Erased, stops = false): ((send: Send, request: Request) => Sent) => {
  const own = running(policy, stops)
  const variant = RequestOptions.memoized((options) => running({ ...policy, ...options }, stops))
  return (send, request) =>
    Effect.withFiberRuntime((fiber) => {
      const context = fiber.currentContext as Context.Context<never>
      if (!isAsking(context)) return own(undefined, send, request)
      const options = Context.get(context, RequestOptions.CurrentOptions)
      if (options === undefined) return own(context, send, request)
      // They are for this client: not for one underneath, and not for what a hook or a reader sends.
      const sent = variant(options)(context, send, request)
      return Effect.provideService(sent, RequestOptions.CurrentOptions, undefined)
    })
}

/** Whether the running code asks for anything of its own. The default of a reference takes longer to find than to miss. */
const isAsking = ({ unsafeMap }: Context.Context<never>): boolean =>
  unsafeMap.has(RequestOptions.CurrentOptions.key) || unsafeMap.has(Reading.CurrentReading.key)

const running = (policy: Erased, stops: boolean) => {
  const loop = looped(policy, stops)
  const begin = isPlain(policy) && !stops ? afterFirst(loop, policy) : loop
  const { idempotency } = policy
  const keyed = (run: Run, send: Send, request: Request): Sent =>
    Idempotency.wantsKey(idempotency, request)
      ? Effect.flatMap(IdempotencyKey.next, (key) =>
          run(send, Exchange.changed(request, { [idempotency.keyHeader]: key }))
        )
      : run(send, request)
  return (asking: Context.Context<never> | undefined, send: Send, request: Request): Sent => {
    const reading = asking && Reading.claimed(asking, loop, request)
    return reading === undefined
      ? keyed(begin, send, request)
      : keyed((send, request) => loop(send, request, reading), send, request)
  }
}

const wantedLater = [
  "classifier",
  "idempotency",
  "maxAttempts",
  "attemptsByKind",
  "backoff",
  "hint",
  "drain",
  "beforeRetry",
  "whenNested"
]

/**
 * Whether a policy asks for nothing before the first failure. A key may be wanted all the same.
 *
 * @category guards
 */
export const isPlain = (policy: Erased): boolean =>
  Object.keys(policy).every((field) => wantedLater.includes(field)) &&
  !(Backoff.isBackoff(policy.backoff) && policy.backoff.readsTime)

const afterFirst =
  (loop: Run, policy: Erased) =>
  (send: Send, request: Request): Sent =>
    Effect.matchCauseEffect(send(request), {
      onFailure: (cause) => loop(startingWith(Effect.failCause(cause), send), request),
      onSuccess: (response) =>
        HttpClassifier.isFine(policy.classifier, response)
          ? Effect.succeed(response)
          : loop(startingWith(Effect.succeed(response), send), request)
    })

/** Answers the first attempt with what has come in already. */
const startingWith = (first: Sent, send: Send): Send => {
  let isFirst = true
  return (request) =>
    Effect.suspend(() => {
      if (!isFirst) return send(request)
      isFirst = false
      return first
    })
}

interface Run {
  (send: Send, request: Request, reading?: Reading.Reading): Sent
}

const looped = (policy: Erased, stops: boolean): Run => {
  const prepared = preparedOf(policy, timed(coreOf(policy)))
  const asksForTokens = policy.bucket !== undefined || policy.rateLimiter !== undefined
  const hostOf = Host.makeReader()
  return (send, request, reading) =>
    Effect.withFiberRuntime((fiber) => {
      const exchange = Exchange.make(request, policy, fiber)
      const reader = reading && Reader.make(exchange, reading, stops)
      const attempt = Exchange.attempt(exchange, resending(exchange, reading ? Reader.asking(reading, send) : send))
      const attempts = reader ? Reader.attempt(reader, attempt) : attempt
      const core = ofExchange(exchange, reader, prepared)
      const ended = stops
        ? Ending.orStopped(exchange, reader, run(attempts, core, Effect.fail))
        : Ending.answered(exchange, reader, run(attempts, core))
      return asksForTokens ? forHost(ended, request, fiber, hostOf) : ended
    })
}

const run = <E>(
  attempts: Sent,
  core: PolicyCheck.Prepared,
  onStopped?: (stopped: Retry.RetryStopped<unknown>) => Effect.Effect<never, E>
): Effect.Effect<Response, E, unknown> =>
  // `Loop` has no types: an exchange answers with its response or fails as its client does.
  Loop.run(attempts, core, onStopped) as Effect.Effect<Response, E, unknown>

/**
 * Tells on the spans of later attempts, such as the `http.client GET` of the platform, how often the request was sent again.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/, "HTTP request retries and redirects", read
 * 2026-11-22.
 */
const resending =
  (exchange: Exchange.Exchange, send: Send): Send =>
  (request) =>
    Effect.suspend(() => {
      const count = exchange.sendings++
      return count === 0 ? send(request) : Effect.annotateSpans(send(request), "http.request.resend_count", count)
    })

const timed = (core: CoreFields): CoreFields => {
  // A deadline that cuts needs no help, and must not lose to a timer that rounds the same moment down.
  const isOpen = core.deadline === undefined || core.deadline._tag === "Cut"
  return isOpen || core.attemptTimeout !== undefined ? core : { ...core, attemptTimeout: timeLeft }
}

/** As long as an attempt can have: what bounds it is the deadline. */
const timeLeft = /*#__PURE__*/ AttemptTimeout.constant(/*#__PURE__*/ Duration.millis(Millis.longestTimerMillis))

/** Checked once per client: the functions stand for those of an exchange. */
const preparedOf = (policy: Erased, core: CoreFields): PolicyCheck.Prepared =>
  PolicyCheck.prepare("HttpRetry.withRetry", {
    ...core,
    ...(Attempt.isTimed(policy) && { attempt: Attempt.CurrentAttempt }),
    classifier: (_error, _moment) => Verdict.noOpinion,
    result: (_response: unknown, _moment) => Verdict.noOpinion,
    release: () => Effect.void
  })

const ofExchange = (
  exchange: Exchange.Exchange,
  reader: Reader.Reader | undefined,
  prepared: PolicyCheck.Prepared
): PolicyCheck.Prepared => {
  const { attemptTimeout } = prepared.policy
  return PolicyCheck.withFunctions<Response>(prepared, {
    attemptTimeout: attemptTimeout && ofRequest(exchange, reader, attemptTimeout),
    classifier: (error, moment) =>
      reader ? Reader.judge(reader, error, moment) : Exchange.judge(exchange, error, moment),
    result: (response, moment) =>
      reader ? Reader.judgeResponse(reader, response, moment) : Exchange.judgeResponse(exchange, response, moment),
    release: (failed, because) =>
      Release.released(exchange, (reader && Reader.responseOf(reader, failed)) ?? failed, because),
    observe: EventDetails.observing(exchange, prepared.observers)
  })
}

/** It is not known whether a request without an answer was carried out. Judged where an attempt has timed out. */
const ofRequest = (
  exchange: Exchange.Exchange,
  reader: Reader.Reader | undefined,
  timeout: AttemptTimeout.AttemptTimeout<unknown>
): AttemptTimeout.AttemptTimeout<unknown> => {
  const { verdict } = timeout
  if (verdict._tag !== "Retryable") return timeout
  const { disconnected, millisOf, onTimeout } = timeout
  return {
    disconnected,
    millisOf,
    onTimeout,
    get verdict() {
      const last = reader && Reader.verdictOfLast(reader)
      if (last !== undefined) return last
      const why = Exchange.whyNot(exchange, exchange.isSent ? "Unknown" : "NotSent")
      return why === undefined ? verdict : Exchange.forbidden(why, verdict)
    }
  }
}

/** The key of keyed buckets and rate limiters is the host, unless the caller has named one. */
const forHost = (
  self: Sent,
  request: Request,
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  hostOf: (request: Request) => string
): Sent =>
  Context.get(fiber.currentContext, TokenBucket.Key) === ""
    ? Effect.provideService(self, TokenBucket.Key, hostOf(request))
    : self
