/**
 * The client of the demo: that of the platform over `fetch`, with the number of each request in a header. Knows nothing
 * of retries.
 */
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"

/**
 * A client of which every request says its number, so that the server can tell attempts apart.
 *
 * @category constructors
 */
export const make = (nextNumber: Effect.Effect<number>): Effect.Effect<HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (fetching) =>
    HttpClient.make((request) =>
      Effect.flatMap(nextNumber, (number) =>
        fetching.execute(HttpClientRequest.setHeader(request, "attempt", String(number)))
      )
    )
  ).pipe(Effect.provide(FetchHttpClient.layer))

/**
 * Sends a request and reads the whole answer.
 *
 * @category running
 */
export const send = <E>(
  client: HttpClient.HttpClient.With<E>,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<string, E | HttpClientError.HttpClientError> =>
  Effect.flatMap(client.execute(request), ({ text }) => text)
