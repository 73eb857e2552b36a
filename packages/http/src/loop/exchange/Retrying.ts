/**
 * Retries of requests: core's loop around the attempts of an exchange.
 */
import { Backoff, type Retry } from "@effect-retry/core"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as Loop from "@effect-retry/core/unstable/Loop"
import type * as PolicyCheck from "@effect-retry/core/unstable/PolicyCheck"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import * as Idempotency from "../../decide/Idempotency.ts"
import * as IdempotencyKey from "../../decide/IdempotencyKey.ts"
import * as Ending from "./Ending.ts"
import * as Exchange from "./Exchange.ts"
import type { Request, Response, Send, Sent } from "./Exchange.ts"
import * as ExchangePolicy from "./ExchangePolicy.ts"
import type { Erased } from "../policy/HttpPolicy.ts"
import * as Reader from "./Reader.ts"
import * as Reading from "./Reading.ts"
import * as RequestOptions from "../policy/RequestOptions.ts"

/**
 * Sends requests as often as the policy says. Everything that does not depend on a request is computed once per policy.
 *
 * A policy that does nothing before the first failure costs a success one `matchCauseEffect`: the loop begins with the first
 * outcome that needs judging.
 */
export const retrying = (policy: Erased, stops = false): ((send: Send, request: Request) => Sent) => {
  const own = running(policy, stops)
  const variant = RequestOptions.memoized((options) => running({ ...policy, ...options }, stops))
  return (send, request) =>
    FiberLine.withFiber((fiber) => {
      const context = FiberLine.context(fiber)
      if (!isAsking(context)) return own(fiber, undefined, send, request)
      const options = Context.get(context, RequestOptions.CurrentOptions)
      if (options === undefined) return own(fiber, context, send, request)
      // They are for this client only, not for one underneath, and not for requests of a hook or a reader.
      const sent = variant(options)(fiber, context, send, request)
      return Effect.provideService(sent, RequestOptions.CurrentOptions, undefined)
    })
}

/** Whether the running code has set any reference. Looking up a reference's default takes longer than checking for its absence. */
const isAsking = (context: Context.Context<never>): boolean =>
  context.unsafeMap.has(RequestOptions.CurrentOptions.key) || context.unsafeMap.has(Reading.CurrentReading.key)

const running = (policy: Erased, stops: boolean) => {
  const loop = looped(policy, stops)
  const begin = isPlain(policy) && !stops ? afterFirst(loop, policy) : loop
  const { idempotency } = policy
  return (fiber: Running, asking: Context.Context<never> | undefined, send: Send, request: Request): Sent => {
    const reading = asking && Reading.claimed(asking, loop, request)
    const run = reading === undefined ? begin : loop
    return Idempotency.wantsKey(idempotency, request)
      ? Effect.flatMap(IdempotencyKey.next, (key) =>
          run(fiber, send, Exchange.changed(request, { [idempotency.keyHeader]: key }), reading)
        )
      : run(fiber, send, request, reading)
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

/** Whether a policy does nothing before the first failure. A key may be needed all the same. */
export const isPlain = (policy: Erased): boolean =>
  Object.keys(policy).every((field) => wantedLater.includes(field)) &&
  !(Backoff.isBackoff(policy.backoff) && policy.backoff.readsTime)

const afterFirst =
  (loop: Run, policy: Erased): Run =>
  (fiber, send, request) =>
    Effect.matchCauseEffect(send(request), {
      onFailure: (cause) => loop(fiber, startingWith(Effect.failCause(cause), send), request),
      onSuccess: (response) =>
        HttpClassifier.isFine(policy.classifier, response)
          ? Effect.succeed(response)
          : loop(fiber, startingWith(Effect.succeed(response), send), request)
    })

/** Uses the outcome that has already arrived as the first attempt. */
const startingWith = (first: Sent, send: Send): Send => {
  let isFirst = true
  return (request) =>
    Effect.suspend(() => {
      if (!isFirst) return send(request)
      isFirst = false
      return first
    })
}

type Running = FiberLine.AnyFiber

interface Run {
  (fiber: Running, send: Send, request: Request, reading?: Reading.Reading): Sent
}

const looped = (policy: Erased, stops: boolean): Run => {
  const policyOf = ExchangePolicy.make(policy)
  return (fiber, send, request, reading) => {
    const exchange = Exchange.make({ request, policy, stops, reading, fiber })
    const attempts = Reader.attempt(exchange, Exchange.attempt(exchange, send))
    const core = policyOf(exchange)
    return stops
      ? Ending.orStopped(exchange, run(attempts, core, Effect.fail))
      : Ending.answered(exchange, run(attempts, core))
  }
}

const run = <E>(
  attempts: Sent,
  core: PolicyCheck.Prepared,
  onStopped?: (stopped: Retry.RetryStopped<unknown>) => Effect.Effect<never, E>
): Effect.Effect<Response, E, unknown> =>
  // `Loop` is untyped: an exchange returns a response or fails as its client does.
  Loop.run(attempts, core, onStopped) as Effect.Effect<Response, E, unknown>
