// #region policy
import { HttpRetry } from "@effect-retry/http"
import { Fault, Faults } from "@effect-retry/testing"
import * as FaultyHttpClient from "@effect-retry/testing/FaultyHttpClient"
import { HttpClient } from "@effect/platform"
import { Effect, Layer } from "effect"

const rehearsal = Faults.layer(HttpClient.HttpClient, {
  faults: Faults.firstOf(
    Faults.chance(0.5, Fault.status(503)),
    Faults.chance(0.5, Fault.latency({ before: "2 seconds" })),
    Faults.where(({ request }) => request?.method === "GET", Fault.reset({ afterBytes: 100 }))
  ),
  inject: (client, injector) => FaultyHttpClient.inject(client, injector)
})

const retrying = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, HttpRetry.withRetry(HttpRetry.standard))
)

/** Retries above, faults below. */
const clientOf = (platform: Layer.Layer<HttpClient.HttpClient>) =>
  retrying.pipe(Layer.provide(rehearsal), Layer.provide(platform))
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { HttpClientResponse } from "@effect/platform"
import { ConfigProvider } from "effect"

const sentUnder = (variables: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    let sent = 0
    const platform = HttpClient.make((request) =>
      Effect.sync(() => {
        sent += 1
        return HttpClientResponse.fromWeb(request, new Response("ok"))
      })
    )
    const program = Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const statuses = yield* Effect.replicateEffect(
        Effect.map(client.post("http://orders.example/"), ({ status }) => status),
        1000
      )
      return statuses.filter((status) => status === 200).length
    })
    const succeeded = yield* Effect.provide(program, clientOf(Layer.succeed(HttpClient.HttpClient, platform)))
    return { sent, succeeded }
  }).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)), { pathDelim: "_" })))

export const program = Effect.all({
  off: sentUnder({}),
  on: sentUnder({ FAULTS_ENABLED: "true", FAULTS_RATIO: "0.1", FAULTS_SEED: "rehearsal" })
}).pipe(Effect.provide(SeededRandom.layerConstant(0)))

// #region expected
export const expected = {
  off: { sent: 1000, succeeded: 1000 },
  on: { sent: 961, succeeded: 961 }
}
// #endregion
