/**
 * Faults in an `HttpClient` of `@effect/platform`, which is an optional peer of this package: only this module needs it.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import { checked, type Injector } from "./Injector.ts"
import * as Interpret from "./Interpret.ts"
import type { OfBody, Request } from "./Tree.ts"
import * as WebFault from "./WebFault.ts"
import { ConnectionReset, type Throttled } from "./Fault.ts"
import { off } from "./Faults.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

type With<E, R> = HttpClient.HttpClient.With<E, R>

type Response = HttpClientResponse.HttpClientResponse

/** A throttle is a response. */
type Added<E2> = HttpClientError.RequestError | Exclude<E2, Throttled>

/**
 * Makes a client with faults; put it below retries and timeouts: `client.pipe(FaultyHttpClient.inject(injector),
 * HttpRetry.withRetry(policy))`.
 *
 * `off` returns the same client.
 *
 * @category combinators
 */
export function inject<E2>(injector: Injector<E2, "http">): <E, R>(self: With<E, R>) => With<E | Added<E2>, R>
export function inject<E, R, E2>(self: With<E, R>, injector: Injector<E2, "http">): With<E | Added<E2>, R>
export function inject(...given: Given): unknown {
  return dual(given, injected, given.length > 1)
}

const injected = (self: With<unknown, unknown>, injector: Injector<unknown, "http">): With<unknown, unknown> =>
  checked("FaultyHttpClient.inject", injector) === off
    ? self
    : HttpClient.transform(self, (sent, request) =>
        injector.call(seen(request), sent, (met) =>
          Interpret.apply(met, sent, (fault, seed) => {
            switch (fault._tag) {
              case "Status":
              case "Throttle":
                return Effect.sync(() => HttpClientResponse.fromWeb(request, WebFault.madeUp(fault)))
              case "Reset": {
                const cause = new ConnectionReset({ code: "ECONNRESET" })
                return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause }))
              }
              default:
                return Effect.flatMap(sent, (response) => broken(request, response, fault, seed))
            }
          })
        )
      )

/** A request as predicates see it. Its URL is built only on demand, because that takes time and few predicates read it. */
const seen = (request: HttpClientRequest.HttpClientRequest): Request => ({
  method: request.method,
  get url() {
    return Option.match(HttpClientRequest.toUrl(request), { onNone: () => request.url, onSome: String })
  }
})

const broken = (
  request: HttpClientRequest.HttpClientRequest,
  response: Response,
  fault: OfBody,
  seed: number
): Effect.Effect<Response> =>
  WebFault.isWithoutBody(request.method, response.status)
    ? Effect.succeed(response)
    : Effect.map(Effect.runtime<never>(), (runtime) => {
        const body = Stream.catchAll(response.stream, (error) =>
          error.reason === "EmptyBody" ? Stream.empty : Stream.fail(error.cause)
        )
        return HttpClientResponse.fromWeb(request, WebFault.broken(response, body, fault, seed, runtime))
      })
