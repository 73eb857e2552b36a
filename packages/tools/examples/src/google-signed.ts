// #region signed
import { StorageRetry } from "@effect-retry/google"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"

/** `accessToken` is run once for each operation: it asks the metadata server, or `google-auth-library`. */
const signedStorage = <E, R>(client: HttpClient.HttpClient, accessToken: Effect.Effect<string, E, R>) =>
  client.pipe(
    HttpClient.mapRequestEffect((request) =>
      Effect.map(accessToken, (token) => HttpClientRequest.bearerToken(request, token))
    ),
    HttpClient.mapRequest(HttpClientRequest.prependUrl("https://storage.googleapis.com")),
    StorageRetry.withRetry(StorageRetry.standard)
  )
// #endregion

import { HttpClientResponse } from "@effect/platform"
import { SeededRandom } from "@effect-retry/testing"

const sent: Array<readonly [url: string, token: string | undefined]> = []

const server = HttpClient.make((request) =>
  Effect.sync(() => {
    sent.push([request.url, request.headers["authorization"]])
    return HttpClientResponse.fromWeb(request, new Response(null, { status: sent.length === 1 ? 503 : 200 }))
  })
)

export const program = Effect.gen(function* () {
  let asked = 0
  const storage = signedStorage(
    server,
    Effect.sync(() => `token-${++asked}`)
  )
  const { status } = yield* storage.get("/storage/v1/b/photos/o/cat")
  return { status, sent }
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

const url = "https://storage.googleapis.com/storage/v1/b/photos/o/cat"

export const expected = {
  status: 200,
  sent: [
    [url, "Bearer token-1"],
    [url, "Bearer token-1"]
  ]
}
