// #region hedge
import { Hedge, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { HttpClient } from "@effect/platform"
import { Effect } from "effect"

const makeClient = Effect.gen(function* () {
  const bare = yield* HttpClient.HttpClient
  // One bucket pays for hedges and for retries.
  const bucket = yield* TokenBucket.requestRatio({ ratio: 0.1 })
  return bare.pipe(
    HttpRetry.withHedge({ name: "books", delay: yield* Hedge.percentile({ at: 0.95 }), bucket }),
    HttpRetry.withRetry({ name: "books", bucket })
  )
})
// #endregion

import { HttpClientResponse } from "@effect/platform"
import { Clock } from "effect"

/** Sixty requests that take 20 milliseconds, then a GET that hangs at its first attempt, and a POST that is slow. */
export const program = Effect.gen(function* () {
  let sent = 0
  const bare = HttpClient.make((request) =>
    Effect.suspend(() => {
      sent += 1
      const took = sent === 61 ? "1 minute" : request.method === "POST" ? "300 millis" : "20 millis"
      return Effect.as(Effect.sleep(took), HttpClientResponse.fromWeb(request, new Response()))
    })
  )
  const client = yield* Effect.provideService(makeClient, HttpClient.HttpClient, bare)
  yield* Effect.replicateEffect(client.get("http://localhost/books"), 60)
  const began = yield* Clock.currentTimeMillis
  yield* client.get("http://localhost/books")
  const slowGet = (yield* Clock.currentTimeMillis) - began
  yield* client.post("http://localhost/books")
  return { slowGet, sent }
})

export const expected = { slowGet: 41, sent: 63 }
