import { answer, exchange, ok } from "./http-scripted.ts"
// #region each
import { HttpRetry } from "@effect-retry/http"
import type { HttpClient } from "@effect/platform"
import { Effect } from "effect"

const polite = (client: HttpClient.HttpClient) =>
  Effect.map(HttpRetry.perHost(), (policy) => HttpRetry.withRetry(client, { ...policy, maxAttempts: 5 }))
// #endregion

const asksForAPause = answer(429, { "retry-after": "10" })

/** A POST is refused by one host; then each of two hosts is sent a GET. */
export const program = Effect.map(
  exchange([asksForAPause, ok], (client) =>
    Effect.flatMap(polite(client), (client) =>
      Effect.zipRight(
        client.post("https://a.example/"),
        Effect.zip(client.get("https://a.example/"), client.get("https://b.example/"), { concurrent: true })
      )
    )
  ),
  ({ requests, sent }) => requests.map(({ method, url }, i) => `${sent[i]} ${method} ${url}`)
)

// #region expected
export const expected = ["0 POST https://a.example/", "0 GET https://b.example/", "10000 GET https://a.example/"]
// #endregion
