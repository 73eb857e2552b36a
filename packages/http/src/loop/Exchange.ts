/**
 * One operation over HTTP: its attempts, what each came to, and what becomes of the responses nobody will read.
 *
 * Everything that decides is core's loop; here it is told what a response or an error means.
 */
import { Headers, HttpClientError, HttpClientRequest, UrlParams } from "@effect/platform"
import type { HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Deadline, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import type { Policy as Core } from "@effect-retry/core"
import type { Fiber } from "effect"
import { Clock, Context, Duration, Effect, Either, Option } from "effect"
import { globalValue } from "effect/GlobalValue"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Idempotency from "../decide/Idempotency.ts"
import * as IdempotencyKey from "../decide/IdempotencyKey.ts"
import * as RequestBody from "../decide/RequestBody.ts"
import { isHoldBack } from "../fund/HoldBack.ts"
import * as Discard from "./Discard.ts"
import type { Erased } from "./HttpPolicy.ts"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse
type Sent = Effect.Effect<Response, unknown, unknown>

/**
 * Sends a request once.
 *
 * @category models
 */
export interface Send {
  (request: Request): Sent
}

/**
 * Sends a request as often as the policy says.
 *
 * @category running
 */
export const run = (send: Send, request: Request, policy: Erased): Sent =>
  Effect.flatMap(withKey(request, policy.idempotency), (keyed) =>
    Effect.withFiberRuntime((fiber) => {
      const exchange = make(keyed, policy, fiber)
      const retried = Retry.retry(attempt(exchange, send), corePolicy(exchange))
      const ended = Effect.mapBoth(retried, {
        onFailure: (error) => (error === exchange.failed ? error : asRequestError(keyed, error)),
        onSuccess: (response) => readable(exchange, response)
      })
      return policy.bucket === undefined && policy.sendRate === undefined ? ended : forHost(ended, keyed, fiber)
    })
  )

interface Exchange {
  readonly request: Request
  readonly policy: Erased
  /** Why the request may not be sent again after a failure, in words; `undefined` where it may. */
  readonly whyNot: (processing: HttpClassifier.Processing) => string | undefined
  attempts: number
  /** What the latest attempt failed with, error or response, and what is made of it. */
  failed: unknown
  verdict: Verdict.Verdict
  /** A response whose body was let go of, and what was read of it. */
  released: { readonly response: Response; readonly body: Option.Option<Uint8Array> } | undefined
}

const make = (request: Request, policy: Erased, fiber: Fiber.RuntimeFiber<unknown, unknown>): Exchange => {
  const declaration = Context.get(fiber.currentContext, Idempotency.Declared)
  const oneShot = RequestBody.whyNotReplayable(request.body, Context.get(fiber.currentContext, RequestBody.Declared))
  const whyNot = (processing: HttpClassifier.Processing) => {
    if (oneShot !== undefined) return oneShot
    const judged = Idempotency.judge(policy.idempotency, request, processing, declaration)
    return judged._tag === "Repeatable" ? undefined : judged.why
  }
  return { request, policy, whyNot, attempts: 0, failed: undefined, verdict: Verdict.noOpinion, released: undefined }
}

const withKey = (request: Request, rules: Idempotency.Idempotency): Effect.Effect<Request> =>
  Idempotency.wantsKey(rules, request)
    ? Effect.map(IdempotencyKey.next, (key) => changed(request, { [rules.keyHeader]: key }))
    : Effect.succeed(request)

/** The platform knows by the identity of a request which scope is to abort it. */
const scopedRequests = globalValue(
  "@effect/platform/HttpClient/scopedRequests",
  () => new WeakMap<Request, AbortController>()
)

const changed = (request: Request, headers: Headers.Input): Request => {
  const result = HttpClientRequest.setHeaders(request, headers)
  const controller = scopedRequests.get(request)
  if (controller !== undefined) scopedRequests.set(result, controller)
  return result
}

const attempt = (exchange: Exchange, send: Send): Sent => {
  const { policy, request } = exchange
  const { attemptHeaders } = policy
  const sent =
    attemptHeaders === undefined
      ? send(request)
      : Effect.suspend(() => send(changed(request, attemptHeaders(++exchange.attempts))))
  return Effect.flatMap(
    Effect.tapError(sent, (error) => judged(exchange, error)),
    (response) =>
      policy.opinion === undefined && HttpClassifier.isFine(policy.classifier, response)
        ? Effect.succeed(response)
        : Effect.as(judged(exchange, response), response)
  )
}

const judged = (exchange: Exchange, outcome: unknown): Effect.Effect<void, never, unknown> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
    const { policy } = exchange
    const { processing, verdict } = HttpClassifier.judge(policy.classifier, outcome, nowMillis)
    const opinion = policy.opinion?.(outcome as Response) ?? Verdict.noOpinion
    exchange.failed = outcome
    exchange.verdict = ifRepeatable(exchange, processing, combined(opinion, verdict))
    const hint = verdict._tag === "Retryable" ? verdict.hint : Option.none()
    return policy.sendRate === undefined || Option.isNone(hint)
      ? Effect.void
      : Effect.flatMap(policy.sendRate, (rate) => (isHoldBack(rate) ? rate.hold(hint.value) : Effect.void))
  })

/** The caller's opinion, with the server's hint where it has none of its own. */
const combined = (opinion: Verdict.Verdict, verdict: Verdict.Verdict): Verdict.Verdict => {
  if (opinion._tag === "NoOpinion") return verdict
  return opinion._tag === "Retryable" && Option.isNone(opinion.hint) && verdict._tag === "Retryable"
    ? { ...opinion, hint: verdict.hint }
    : opinion
}

const ifRepeatable = (
  { whyNot }: Exchange,
  processing: HttpClassifier.Processing,
  verdict: Verdict.Verdict
): Verdict.Verdict => {
  if (verdict._tag !== "Retryable") return verdict
  const why = whyNot(processing)
  return why === undefined ? verdict : Verdict.terminal(why)
}

const corePolicy = (exchange: Exchange): Core.Policy<unknown, Response> => {
  const { attemptTimeout, deadline, drain = Discard.standard, ...policy } = exchange.policy
  // A deadline that cuts needs no help, and must not lose to a timer that rounds the same moment down.
  const isOpen = deadline === undefined || deadline._tag === "Cut"
  const timeout = attemptTimeout ?? (isOpen ? undefined : timeLeft)
  return {
    ...policy,
    deadline,
    attemptTimeout: timeout && ofRequest(exchange, timeout),
    classifier: () => exchange.verdict,
    result: (response) => (response === exchange.failed ? exchange.verdict : Verdict.noOpinion),
    release: (failed, because) => released(exchange, drain, failed, because)
  }
}

/** As long as an attempt can have: what bounds it is the deadline. */
const timeLeft = AttemptTimeout.constant(Duration.millis(AttemptTimeout.longestTimerMillis))

/** Nobody knows whether a request without an answer was carried out. */
const ofRequest = (
  { whyNot }: Exchange,
  timeout: AttemptTimeout.AttemptTimeout<unknown>
): AttemptTimeout.AttemptTimeout<unknown> => {
  const why = Verdict.isRetryable(timeout.verdict) ? whyNot("Unknown") : undefined
  return why === undefined ? timeout : AttemptTimeout.judged(timeout, Verdict.terminal(why))
}

const released = (
  exchange: Exchange,
  drain: Discard.Drain,
  failed: unknown,
  because: Parameters<Core.Release>[1]
): Effect.Effect<void> => {
  const response = responseOf(exchange, failed)
  if (response === undefined) return Effect.void
  const isTrusted = exchange.verdict._tag === "Retryable" && exchange.verdict.kind === "Throttling"
  const body =
    isTrusted && because === "Retried"
      ? Discard.drained(response, drain)
      : Effect.as(Discard.cancelled(response), Option.none())
  return Effect.map(body, (body) => {
    exchange.released = { response, body }
  })
}

/** A response may be let go of for a retry that is refused when its wait is over, and then be what the operation ends with. */
const readable = ({ released }: Exchange, response: Response): Response =>
  released?.response === response ? Discard.replaced(response, released.body) : response

/** The response of an attempt that is not to be read any more. */
const responseOf = (exchange: Exchange, failed: unknown): Response | undefined => {
  if (failed !== exchange.failed) return undefined
  if (!HttpClientError.isHttpClientError(failed)) return HttpClassifier.isResponse(failed) ? failed : undefined
  return failed._tag === "ResponseError" ? failed.response : undefined
}

const asRequestError = (request: Request, error: unknown): unknown =>
  error instanceof AttemptTimeout.AttemptTimedOut ||
  error instanceof Deadline.DeadlineExceeded ||
  error instanceof Retry.SendRefused
    ? new HttpClientError.RequestError({ request, reason: "Transport", cause: error, description: error.message })
    : error

/** Keyed buckets and send rates are told the host, unless the caller has named a key. */
const forHost = (self: Sent, request: Request, fiber: Fiber.RuntimeFiber<unknown, unknown>): Sent =>
  Context.get(fiber.currentContext, RetryBucket.Key) === ""
    ? Effect.provideService(self, RetryBucket.Key, hostOf(request))
    : self

const hostOf = ({ hash, url, urlParams }: Request): string =>
  Either.match(UrlParams.makeUrl(url, urlParams, hash), { onLeft: () => "", onRight: ({ host }) => host })
