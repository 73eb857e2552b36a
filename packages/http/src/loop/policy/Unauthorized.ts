/**
 * Sends a request again with a new credential if it was refused with 401, because the old credential has expired.
 *
 * A 401 means that the request was not carried out, so this applies to every method. The caller supplies the renewal.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { Verdict } from "@effect-retry/core"
import type { Classifier } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import type { BeforeRetry } from "./BeforeRetry.ts"

type Request = HttpClientRequest.HttpClientRequest

/**
 * The fields of a policy that renews credentials.
 *
 * @category models
 */
export interface Renewing<out E2 = never, out R = never> {
  readonly beforeRetry: BeforeRetry<unknown, E2, R>
  readonly opinion: Classifier.Classifier
  readonly attemptsByKind: { readonly Client: 2 }
}

/** The renewals inside which the code runs, each as its own object. */
class Running extends Context.Reference<Running>()("@effect-retry/http/Unauthorized", {
  defaultValue: (): ReadonlyArray<object> => []
}) {}

/**
 * Sends a request that is refused with 401 once more, as `renew` changes it: `{ ...policy,
 * ...Unauthorized.renewing(renew) }`.
 *
 * `renew` runs only after a 401. The second 401 of an operation is returned to the caller. A 401 has the kind `Client` and
 * counts for no other limit of attempts; if the tables give that kind to other failures, an operation ends at its second
 * failure of the kind. The tables judge an error of `renew` like that of an attempt that was not sent.
 *
 * The first argument of `renew` is the request without its credentials. Credentials that it sets go to the host of the
 * request that it returns; if that is another host, it gets no others. The second argument is the refused request as it was
 * sent: if another operation has replaced its credential already, there is nothing to renew.
 *
 * `renew` may send through the same client: a 401 inside `renew` is an answer, and renews nothing. Under `Fetch.make` it
 * must use another `fetch`, since a promise does not say which call it is part of.
 * Source: RFC 9110, section 15.5.2, https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2.
 *
 * @category constructors
 */
export const renewing = <E2, R>(
  renew: (request: Request, refused: Request) => Effect.Effect<Request, E2, R>
): Renewing<E2, R> => {
  if (!Predicate.isFunction(renew)) return Argument.refuse("Unauthorized.renewing", "renew", "a function", renew)
  const renewal = {}
  const run = (request: Request, refused: Request): Effect.Effect<Request, E2, R> =>
    Effect.flatMap(Running, (running) =>
      running.includes(renewal)
        ? Effect.succeed(request)
        : Effect.provideService(checkedEffect(renew(request, refused)), Running, [...running, renewal])
    )
  return {
    beforeRetry: (request, { previous }) => {
      const response = HttpClassifier.responseOf(Option.getOrUndefined(previous)?.outcome)
      return isRefusal(response) ? run(request, response.request) : Effect.succeed(request)
    },
    opinion: (outcome) =>
      isRefusal(HttpClassifier.responseOf(outcome)) && !isInside(renewal) ? Verdict.client : Verdict.noOpinion,
    attemptsByKind: { Client: 2 }
  }
}

const checkedEffect = <E2, R>(given: Effect.Effect<Request, E2, R>): Effect.Effect<Request, E2, R> =>
  Effect.isEffect(given)
    ? given
    : Argument.refuse("Unauthorized.renewing", "renew", "a function that returns an effect of a request", typeof given)

/** Whether the running code is part of a renewal: asked in the fiber that judges an outcome. */
const isInside = (renewal: object): boolean => {
  const fiber = FiberLine.runningFiber()
  return fiber !== undefined && Context.get(FiberLine.context(fiber), Running).includes(renewal)
}

const isRefusal = (
  response: HttpClientResponse.HttpClientResponse | undefined
): response is HttpClientResponse.HttpClientResponse => response?.status === 401
