/** What tests use of Effect 3's `HttpClient` that Effect 4 has in another shape. */
import * as Effect from "effect/Effect"
import type * as Predicate from "effect/Predicate"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"

/** Effect does not export it. */
export const TypeId = "~effect/http/HttpClient"

export const withTracerDisabledWhen = (
  self: HttpClient.HttpClient,
  isDisabled: Predicate.Predicate<HttpClientRequest.HttpClientRequest>
): HttpClient.HttpClient =>
  HttpClient.transformResponse(self, Effect.provideService(HttpClient.TracerDisabledWhen, isDisabled))
