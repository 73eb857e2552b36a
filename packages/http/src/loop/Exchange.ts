/**
 * One operation over HTTP: its attempts, what each came to, and what becomes of the responses nobody will read.
 *
 * Everything that decides is core's loop; here it is told what a response or an error means.
 */
import { FetchHttpClient, Headers, HttpClientError, HttpClientRequest, UrlParams } from "@effect/platform"
import type { HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import type { Policy as Core } from "@effect-retry/core"
import type { Fiber } from "effect"
import { Clock, Context, Duration, Effect, Either, Option, Struct } from "effect"
import { globalValue } from "effect/GlobalValue"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Idempotency from "../decide/Idempotency.ts"
import * as IdempotencyKey from "../decide/IdempotencyKey.ts"
import * as Redirect from "../decide/Redirect.ts"
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
 * Sends requests as often as the policy says.
 *
 * A policy that asks for nothing before the first failure costs a success one `matchCauseEffect`: the loop begins with
 * the first outcome that is not fine.
 *
 * @category constructors
 */
export const retrying = (send: Send, policy: Erased): Send => {
  const core = coreOf(policy)
  const begin: Send = isPlain(policy)
    ? (request) =>
        Effect.matchCauseEffect(send(request), {
          onFailure: (cause) => looped(request, core, policy, startingWith(Effect.failCause(cause), send)),
          onSuccess: (response) =>
            HttpClassifier.isFine(policy.classifier, response)
              ? Effect.succeed(response)
              : looped(request, core, policy, startingWith(Effect.succeed(response), send))
        })
    : (request) => looped(request, core, policy, send)
  const { idempotency } = policy
  return (request) =>
    Idempotency.wantsKey(idempotency, request)
      ? Effect.flatMap(IdempotencyKey.next, (key) => begin(changed(request, { [idempotency.keyHeader]: key })))
      : begin(request)
}

/** Of a policy that has no other fields nothing is wanted before the first failure. */
const wantedLater = ["classifier", "idempotency", "maxAttempts", "backoff", "hint", "drain", "whenNested"]

const isPlain = (policy: Erased): boolean =>
  Object.entries(policy).every(([field, value]) => value === undefined || wantedLater.includes(field)) &&
  !(Backoff.isBackoff(policy.backoff) && policy.backoff.readsTime)

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

const looped = (request: Request, core: CoreFields, policy: Erased, send: Send): Sent =>
  Effect.withFiberRuntime((fiber) => {
    const exchange = make(request, policy, fiber)
    const retried = Retry.retry(attempt(exchange, send), corePolicy(exchange, core))
    const ended = Effect.mapBoth(retried, {
      onFailure: (error) =>
        error === exchange.failed ? withReadable(exchange, error) : asRequestError(request, error),
      onSuccess: (response) => readable(exchange, response)
    })
    return policy.bucket === undefined && policy.sendRate === undefined ? ended : forHost(ended, request, fiber)
  })

interface Exchange {
  readonly request: Request
  readonly policy: Erased
  /** Why the request may not be sent again after a failure, in words; `undefined` where it may. */
  readonly whyNot: (processing: HttpClassifier.Processing) => string | undefined
  /** How a client on top of `fetch` treats redirects. */
  readonly redirects: Redirect.Mode
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
  const init = Context.getOption(fiber.currentContext as Context.Context<never>, FetchHttpClient.RequestInit)
  return {
    request,
    policy,
    whyNot,
    redirects: Option.getOrUndefined(init)?.redirect,
    attempts: 0,
    failed: undefined,
    verdict: Verdict.noOpinion,
    released: undefined
  }
}

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
    exchange.verdict = ifRepeatable(exchange, outcome, processing, combined(opinion, verdict))
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
  { redirects, request, whyNot }: Exchange,
  outcome: unknown,
  processing: HttpClassifier.Processing,
  verdict: Verdict.Verdict
): Verdict.Verdict => {
  if (verdict._tag !== "Retryable") return verdict
  const why = whyNot(Redirect.isPossible(request, outcome, redirects) ? "Unknown" : processing)
  return why === undefined ? verdict : Verdict.terminal(why)
}

type CoreFields = Omit<Core.Policy<unknown, Response>, "classifier" | "result" | "release">

/** What is the same for all requests of a client. */
const coreOf = (policy: Erased): CoreFields => {
  const core = Struct.omit(policy, "attemptHeaders", "classifier", "drain", "idempotency", "opinion")
  // A deadline that cuts needs no help, and must not lose to a timer that rounds the same moment down.
  const isOpen = core.deadline === undefined || core.deadline._tag === "Cut"
  return { ...core, attemptTimeout: core.attemptTimeout ?? (isOpen ? undefined : timeLeft) }
}

const corePolicy = (exchange: Exchange, core: CoreFields): Core.Policy<unknown, Response> => ({
  ...core,
  attemptTimeout: core.attemptTimeout && ofRequest(exchange, core.attemptTimeout),
  classifier: () => exchange.verdict,
  result: (response) => (response === exchange.failed ? exchange.verdict : Verdict.noOpinion),
  release: (failed, because) => released(exchange, failed, because)
})

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

const released = (exchange: Exchange, failed: unknown, because: Parameters<Core.Release>[1]): Effect.Effect<void> => {
  const response = responseOf(exchange, failed)
  if (response === undefined) return Effect.void
  const isTrusted = exchange.verdict._tag === "Retryable" && exchange.verdict.kind === "Throttling"
  const body =
    isTrusted && because === "Retried"
      ? Discard.drained(response, exchange.policy.drain ?? Discard.standard)
      : Effect.as(Discard.cancelled(response), Option.none())
  return Effect.map(body, (body) => {
    exchange.released = { response, body }
  })
}

/** A response may be let go of for a retry that is refused when its wait is over, and then be what the operation ends with. */
const readable = ({ released }: Exchange, response: Response): Response =>
  released?.response === response ? Discard.replaced(response, released.body) : response

const withReadable = (exchange: Exchange, error: unknown): unknown => {
  const { released } = exchange
  return released !== undefined && responseOf(exchange, error) === released.response
    ? new HttpClientError.ResponseError({
        ...(error as HttpClientError.ResponseError),
        response: readable(exchange, released.response)
      })
    : error
}

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
