import { SeededRandom } from "@effect-retry/testing"
import { answer, exchange, ok, reset } from "./http-scripted.ts"
// #region example
import { HttpRetry, Idempotency } from "@effect-retry/http"
import { HttpClient, HttpClientRequest } from "@effect/platform"

const orders = (client: HttpClient.HttpClient) =>
  client.pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl("https://orders.example")),
    HttpRetry.withRetry({
      idempotency: { ...Idempotency.standard, createKeyFor: ["POST"] }
    }),
    HttpClient.filterStatusOk
  )
// #endregion

import { Effect } from "effect"

const posted = (...answers: Parameters<typeof exchange>[0]) =>
  Effect.map(
    exchange(answers, (client) => orders(client).post("/")),
    ({ outcome, requests, sent }) => ({
      sent,
      outcome,
      keys: new Set(requests.map(({ headers }) => headers["idempotency-key"])).size
    })
  )

export const program = posted(reset, answer(429, { "retry-after": "2" }), ok).pipe(
  Effect.provide(SeededRandom.layerConstant(0.5))
)

/** The second wait is the one that the server asked for, and half of the tenth that spreads clients. */
export const expected = { sent: [0, 50, 2150], outcome: 200, keys: 1 }
