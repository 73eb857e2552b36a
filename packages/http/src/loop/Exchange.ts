/**
 * One operation over HTTP: what its attempts came to, and what that means.
 *
 * Everything that decides is core's loop; here it is told what a response or an error means.
 */
import { FetchHttpClient, Headers, HttpClientRequest } from "@effect/platform"
import type { HttpClientResponse } from "@effect/platform"
import { Verdict } from "@effect-retry/core"
import type { Fiber } from "effect"
import { Clock, Context, Effect, Option } from "effect"
import { globalValue } from "effect/GlobalValue"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Idempotency from "../decide/Idempotency.ts"
import * as Redirect from "../decide/Redirect.ts"
import * as RequestBody from "../decide/RequestBody.ts"
import { isHoldBack } from "../fund/HoldBack.ts"
import type { Erased } from "./HttpPolicy.ts"

export type Request = HttpClientRequest.HttpClientRequest
export type Response = HttpClientResponse.HttpClientResponse
export type Sent = Effect.Effect<Response, unknown, unknown>

/**
 * Sends a request once.
 *
 * @category models
 */
export interface Send {
  (request: Request): Sent
}

/**
 * An operation. Made afresh whenever its effect is run; mutable, and seen by one fiber at a time.
 *
 * @category models
 */
export interface Exchange {
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

/**
 * A response whose body was let go of.
 *
 * @category models
 */
export interface Released {
  readonly response: Response
  /** What was read of it. */
  readonly body: Effect.Effect<Option.Option<Uint8Array>>
  readonly draining?: Fiber.Fiber<unknown>
}

/**
 * @category constructors
 */
export const make = (request: Request, policy: Erased, fiber: Fiber.RuntimeFiber<unknown, unknown>): Exchange => {
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

/**
 * The request with these headers.
 *
 * @category combinators
 */
export const changed = (request: Request, headers: Headers.Input): Request => {
  const result = HttpClientRequest.setHeaders(request, headers)
  const controller = scopedRequests.get(request)
  if (controller !== undefined) scopedRequests.set(result, controller)
  return result
}

/**
 * Sends the request once, and judges what comes of it.
 *
 * @category running
 */
export const attempt = (exchange: Exchange, send: Send): Sent => {
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
