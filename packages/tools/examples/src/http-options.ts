import { exchange, unavailable } from "./http-scripted.ts"
// #region options
import { AttemptTimeout } from "@effect-retry/core"
import { HttpRetry, Idempotency } from "@effect-retry/http"
import type { HttpClient } from "@effect/platform"

/** For requests that a person waits for. */
const impatient = HttpRetry.withOptions({ maxAttempts: 2, attemptTimeout: AttemptTimeout.constant("1 second") })

/** For an endpoint that honours keys. */
const keyed = HttpRetry.withOptions({ idempotency: { ...Idempotency.standard, createKeyFor: ["POST"] } })

const suggestions = (client: HttpClient.HttpClient) => client.get("https://api.example/suggestions").pipe(impatient)
const payment = (client: HttpClient.HttpClient) => client.post("https://api.example/payments").pipe(keyed)
// #endregion

import { Effect } from "effect"

const attempts = (request: typeof payment) =>
  Effect.map(
    exchange([unavailable], (client) => request(HttpRetry.withRetry(client, { maxAttempts: 4 }))),
    ({ sent }) => sent.length
  )

export const program = Effect.all({
  plain: attempts((client) => client.get("https://api.example/orders")),
  suggestions: attempts(suggestions),
  payment: attempts(payment)
})

export const expected = { plain: 4, suggestions: 2, payment: 4 }
