import { answer, exchange, ok } from "./http-scripted.ts"
// #region pause
import { RateLimiter, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Layer } from "effect"

const pausing = HttpRetry.withRetry({ rateLimiter: TokenBucket.RetryBucket })

const onePerHost = Layer.effect(
  TokenBucket.RetryBucket,
  TokenBucket.keyed({
    bucket: RateLimiter.serverPause({ atMost: "1 minute" }),
    maxKeys: 100,
    idleTimeToLive: "1 hour"
  })
)
// #endregion

import { Effect } from "effect"
import { SeededRandom } from "@effect-retry/testing"

/** The first operation meets the hint; the second begins a second later, and a third asks another host. */
export const program = Effect.map(
  exchange([answer(429, { "retry-after": "10" }), ok], (client) => {
    const get = (url: string) => pausing(client).get(url)
    return Effect.all(
      [
        get("https://a.example/"),
        Effect.delay(get("https://a.example/other"), "1 second"),
        Effect.delay(get("https://b.example/"), "2 seconds")
      ],
      { concurrency: "unbounded" }
    )
  }),
  ({ requests, sent }) => requests.map(({ url }, i) => `${sent[i]} ${url}`)
).pipe(Effect.provide(onePerHost), Effect.provide(SeededRandom.layerConstant(0.5)))

// #region expected
export const expected = [
  "0 https://a.example/",
  "2000 https://b.example/",
  "10000 https://a.example/other",
  "10500 https://a.example/"
]
// #endregion
