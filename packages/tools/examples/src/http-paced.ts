// #region paced
import { HttpRetry } from "@effect-retry/http"
import { HttpClient } from "@effect/platform"
import { Effect, Layer } from "effect"

/** A client that learns the limits of each host from its answers, and keeps to them. */
const polite = Layer.effect(
  HttpClient.HttpClient,
  Effect.zipWith(HttpClient.HttpClient, HttpRetry.perHost({ rateLimiter: HttpRetry.paced() }), (client, policy) =>
    HttpRetry.withRetry(client, policy)
  )
)
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { HttpClientResponse } from "@effect/platform"
import { Clock, Duration } from "effect"

/** Three requests a second, 50 milliseconds for each. */
const makeServer = Effect.sync(() => {
  const counts = { sent: 0, refused: 0 }
  let [endMillis, used] = [0, 0]
  const server = HttpClient.make((request) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now >= endMillis) [endMillis, used] = [(Math.floor(now / 1000) + 1) * 1000, 0]
      used += 1
      counts.sent += 1
      const isRefused = used > 3
      if (isRefused) counts.refused += 1
      const headers = {
        "ratelimit-policy": `"default";q=3;w=1`,
        ratelimit: `"default";r=${Math.max(0, 3 - used)};t=${Math.ceil((endMillis - now) / 1000)}`,
        ...(isRefused && { "retry-after": "1" })
      }
      yield* Effect.sleep("50 millis")
      return HttpClientResponse.fromWeb(request, new Response(null, { status: isRefused ? 429 : 200, headers }))
    })
  )
  return { counts, server }
})

/** Twelve calls, four at once. */
const calls = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  const get = Effect.map(client.get("http://api.example/"), ({ status }) => status)
  const [took, statuses] = yield* Effect.timed(
    Effect.all(
      Array.from({ length: 12 }, () => get),
      { concurrency: 4 }
    )
  )
  return { millis: Duration.toMillis(took), answered: statuses.filter((status) => status === 200).length }
})

const under = (layer: Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient>) =>
  Effect.gen(function* () {
    const { counts, server } = yield* makeServer
    const ended = yield* Effect.provide(calls, Layer.provide(layer, Layer.succeed(HttpClient.HttpClient, server)))
    return { ...counts, ...ended }
  })

const retrying = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, HttpRetry.withRetry(HttpRetry.standard))
)

export const program = Effect.gen(function* () {
  const paced = yield* under(polite)
  // The next one begins with a window of its own.
  yield* Effect.sleep(Duration.millis(10_000 - paced.millis))
  return { paced, retriesAlone: yield* under(retrying) }
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

// #region expected
export const expected = {
  paced: { sent: 12, refused: 0, millis: 3200, answered: 12 },
  retriesAlone: { sent: 23, refused: 11, millis: 3450, answered: 12 }
}
// #endregion
