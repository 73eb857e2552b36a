/**
 * Hedges of requests: core's hedge around the attempts of an exchange.
 */
import { Verdict } from "@effect-retry/core"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as HedgeRun from "@effect-retry/core/unstable/HedgeRun"
import * as Effect from "effect/Effect"
import * as Idempotency from "../../decide/Idempotency.ts"
import * as IdempotencyKey from "../../decide/IdempotencyKey.ts"
import * as RequestErrors from "../client/RequestErrors.ts"
import { type Bucket, check, type HedgePolicy } from "../policy/HedgePolicy.ts"
import * as EventDetails from "./EventDetails.ts"
import type { Request, Send, Sent } from "./Exchange.ts"
import * as Exchange from "./Exchange.ts"
import * as ExchangePolicy from "./ExchangePolicy.ts"
import * as Release from "./Release.ts"

/** Placeholders for the hooks of an exchange. */
const hooks = {
  classifier: () => Verdict.noOpinion,
  result: () => Verdict.noOpinion,
  release: () => Effect.void
}

/** Sends requests as a hedge says. Everything that does not depend on a request is computed once per hedge. */
export const hedging = (
  owner: string,
  hedge: HedgePolicy<unknown, Bucket>
): ((send: Send, request: Request) => Sent) => {
  const { policy, prepared } = check(owner, hedge, hooks)
  const { common } = prepared
  const { bucket } = common.hooks
  const { idempotency } = policy
  const keyOf = bucket === undefined ? () => "" : ExchangePolicy.makeKeyReader()
  const bucketOf = bucket && ExchangePolicy.bucketsOf(bucket)
  const sent = (send: Send, request: Request): Sent =>
    FiberLine.withFiber((fiber) => {
      const exchange = Exchange.make({ request, policy, stops: false, reading: undefined, fiber })
      // A slow request may already have been carried out.
      if (Exchange.whyNot(exchange, "Unknown") !== undefined) return send(request)
      const own = {
        ...common.hooks,
        classifier: (error: unknown, moment: Parameters<typeof Exchange.judge>[2]) =>
          Exchange.judge(exchange, error, moment),
        result: (response: any, moment: Parameters<typeof Exchange.judge>[2]) =>
          Exchange.judgeResponse(exchange, response, moment),
        release: (failed: unknown, because: "Retried" | "Interrupted") => Release.released(exchange, failed, because),
        observers: EventDetails.observing(exchange, common.hooks.observers, policy.route),
        bucket: bucketOf?.(exchange, keyOf(exchange))
      }
      const hedged = { ...prepared, common: { ...common, hooks: own } }
      const attempt = Exchange.attempt(exchange, send)
      return Effect.mapError(HedgeRun.run(() => attempt, hedged) as Sent, (error) =>
        error === exchange.judged ? error : RequestErrors.ofPolicy(request, error)
      )
    })
  return (send, request) =>
    Idempotency.wantsKey(idempotency, request)
      ? Effect.flatMap(IdempotencyKey.next, (key) =>
          sent(send, Exchange.changed(request, { [idempotency.keyHeader]: key }))
        )
      : sent(send, request)
}
