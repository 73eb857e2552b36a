/**
 * Retries of requests: core's loop around the attempts of an exchange.
 */
import { HttpClientError } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Millis, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import type { Policy as Core } from "@effect-retry/core"
import type { Fiber } from "effect"
import { Context, Duration, Effect, Exit, Struct } from "effect"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Idempotency from "../decide/Idempotency.ts"
import * as IdempotencyKey from "../decide/IdempotencyKey.ts"
import { urlOf } from "../decide/Redirect.ts"
import * as Exchange from "./Exchange.ts"
import type { Request, Response, Send, Sent } from "./Exchange.ts"
import type { Erased } from "./HttpPolicy.ts"
import * as Release from "./Release.ts"

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
      ? Effect.flatMap(IdempotencyKey.next, (key) => begin(Exchange.changed(request, { [idempotency.keyHeader]: key })))
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
    const exchange = Exchange.make(request, policy, fiber)
    const retried = Effect.onExit(Retry.retry(Exchange.attempt(exchange, send), corePolicy(exchange, core)), (exit) =>
      Exit.isFailure(exit) ? Release.abandoned(exchange, exit.cause) : Effect.void
    )
    const ended = Effect.matchEffect(retried, {
      onFailure: (error) =>
        error === exchange.failed ? Release.failing(exchange, error) : Effect.fail(asRequestError(request, error)),
      onSuccess: (response) => Release.readable(exchange, response)
    })
    return policy.bucket === undefined && policy.sendRate === undefined ? ended : forHost(ended, request, fiber)
  })

type CoreFields = Omit<Core.Policy<unknown, Response>, "classifier" | "result" | "release">

/** What is the same for all requests of a client. */
const coreOf = (policy: Erased): CoreFields => {
  const core = Struct.omit(policy, "attemptHeaders", "classifier", "drain", "idempotency", "opinion")
  // A deadline that cuts needs no help, and must not lose to a timer that rounds the same moment down.
  const isOpen = core.deadline === undefined || core.deadline._tag === "Cut"
  return { ...core, attemptTimeout: core.attemptTimeout ?? (isOpen ? undefined : timeLeft) }
}

const corePolicy = (exchange: Exchange.Exchange, core: CoreFields): Core.Policy<unknown, Response> => ({
  ...core,
  attemptTimeout: core.attemptTimeout && ofRequest(exchange, core.attemptTimeout),
  classifier: () => exchange.verdict,
  result: (response) => (response === exchange.failed ? exchange.verdict : Verdict.noOpinion),
  release: (failed, because) => Release.released(exchange, failed, because)
})

/** As long as an attempt can have: what bounds it is the deadline. */
const timeLeft = AttemptTimeout.constant(Duration.millis(Millis.longestTimerMillis))

/** Nobody knows whether a request without an answer was carried out. */
const ofRequest = (
  { whyNot }: Exchange.Exchange,
  timeout: AttemptTimeout.AttemptTimeout<unknown>
): AttemptTimeout.AttemptTimeout<unknown> => {
  const why = Verdict.isRetryable(timeout.verdict) ? whyNot("Unknown") : undefined
  return why === undefined ? timeout : AttemptTimeout.judged(timeout, Verdict.terminal(why))
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
    ? Effect.provideService(self, RetryBucket.Key, urlOf(request)?.host ?? "")
    : self
