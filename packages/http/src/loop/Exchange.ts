/**
 * One operation over HTTP: its attempts, what each came to, and what becomes of the responses nobody will read.
 *
 * Everything that decides is core's loop; here it is told what a response or an error means.
 */
import { FetchHttpClient, Headers, HttpClientError, HttpClientRequest, UrlParams } from "@effect/platform"
import type { HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import type { Policy as Core } from "@effect-retry/core"
import { Cause, Clock, Context, Duration, Effect, Either, Exit, Fiber, Option, Struct } from "effect"
import { globalValue } from "effect/GlobalValue"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Transport from "../classify/Transport.ts"
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
    const retried = Effect.onExit(Retry.retry(attempt(exchange, send), corePolicy(exchange, core)), (exit) =>
      Exit.isFailure(exit) ? abandoned(exchange, exit.cause) : Effect.void
    )
    const ended = Effect.matchEffect(retried, {
      onFailure: (error) =>
        error === exchange.failed ? failing(exchange, error) : Effect.fail(asRequestError(request, error)),
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
  /** The response of the latest attempt, until it is let go of. It can be lost to a timeout on its way to the loop. */
  arrived: Response | undefined
  /** What the latest attempt failed with, error or response, and what is made of it. */
  failed: unknown
  verdict: Verdict.Verdict
  released: Released | undefined
}

/** A response whose body was let go of. */
interface Released {
  readonly response: Response
  /** What was read of it. */
  readonly body: Effect.Effect<Option.Option<Uint8Array>>
  readonly draining?: Fiber.Fiber<unknown>
}

const make = (request: Request, policy: Erased, fiber: Fiber.RuntimeFiber<unknown, unknown>): Exchange => {
  const declaration = Context.get(fiber.currentContext, Idempotency.Declared)
  const oneShot = RequestBody.whyNotReplayable(request.body, Context.get(fiber.currentContext, RequestBody.Declared))
  const whyNot = (processing: HttpClassifier.Processing) => {
    if (oneShot !== undefined) return oneShot
    const judged = Idempotency.judge(policy.idempotency, request, processing, declaration)
    return judged._tag === "Repeatable" ? undefined : judged.why
  }
  const context = fiber.currentContext as Context.Context<never>
  const init = Context.getOption(context, FetchHttpClient.RequestInit)
  const customFetch = Context.getOption(context, FetchHttpClient.Fetch)
  return {
    request,
    policy,
    whyNot,
    redirects: Option.getOrUndefined(init)?.redirect ?? (Option.isSome(customFetch) ? "follow" : undefined),
    attempts: 0,
    arrived: undefined,
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
  const { keyHeader } = policy.idempotency
  const sent =
    attemptHeaders === undefined
      ? send(request)
      : Effect.suspend(() => {
          // The key is that of the operation: the server, and the rules, go by it.
          const headers = Headers.remove(Headers.fromInput(attemptHeaders(++exchange.attempts)), keyHeader)
          return send(changed(request, headers))
        })
  return Effect.flatMap(
    Effect.tapError(sent, (error) => judged(exchange, error)),
    (response) => {
      exchange.arrived = response
      return policy.opinion === undefined && HttpClassifier.isFine(policy.classifier, response)
        ? Effect.succeed(response)
        : Effect.as(judged(exchange, response), response)
    }
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
  exchange.arrived = undefined
  if (response === undefined) return Effect.void
  const isTrusted =
    failed === exchange.failed && exchange.verdict._tag === "Retryable" && exchange.verdict.kind === "Throttling"
  if (!isTrusted || because === "Interrupted") {
    exchange.released = { response, body: Effect.succeedNone }
    return Discard.cancelled(response)
  }
  // Beside the wait: what it takes is not added to the delay, and not to the deadline.
  const { deadline, drain = Discard.standard } = exchange.policy
  return Effect.map(Effect.forkDaemon(Discard.drained(response, drain)), (draining) => {
    const body =
      deadline === undefined
        ? Effect.map(Effect.timeoutOption(Fiber.join(draining), drain.within), Option.flatten)
        : Effect.map(Fiber.poll(draining), Option.match({ onNone: Option.none, onSome: Exit.getOrElse(Option.none) }))
    exchange.released = { response, body, draining }
  })
}

/** Lets go of a response that was lost to a timeout or an interruption, and of one that is being drained. */
const abandoned = ({ arrived, released }: Exchange, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (arrived !== undefined) return Discard.cancelled(arrived)
  const draining = Cause.isInterrupted(cause) ? released?.draining : undefined
  return draining === undefined ? Effect.void : Effect.asVoid(Fiber.interruptFork(draining))
}

/** A response may be let go of for a retry that is refused when its wait is over, and then be what the operation ends with. */
const readable = ({ released }: Exchange, response: Response): Effect.Effect<Response> =>
  released?.response === response
    ? Effect.map(released.body, (body) => Discard.replaced(response, body))
    : Effect.succeed(response)

const failing = (exchange: Exchange, error: unknown): Effect.Effect<never, unknown> => {
  const response = responseOf(exchange, error)
  return response !== undefined && response === exchange.released?.response
    ? Effect.flatMap(readable(exchange, response), (response) =>
        Effect.fail(new HttpClientError.ResponseError({ ...(error as HttpClientError.ResponseError), response }))
      )
    : Effect.fail(error)
}

/** The response of an attempt that is not to be read any more. */
const responseOf = ({ arrived, failed: latest }: Exchange, failed: unknown): Response | undefined => {
  // What ended the attempt may be a timeout that came after the response.
  if (failed !== latest) return arrived
  if (HttpClassifier.isResponse(failed)) return failed
  const response = Transport.property(failed, HttpClientError.TypeId) && Transport.property(failed, "response")
  return HttpClassifier.isResponse(response) ? response : undefined
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
