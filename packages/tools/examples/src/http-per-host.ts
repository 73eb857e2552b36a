import { exchange, unavailable } from "./http-scripted.ts"
// #region host
import { TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Layer } from "effect"

const funded = HttpRetry.withRetry({ bucket: TokenBucket.RetryBucket })

const onePerHost = Layer.effect(
  TokenBucket.RetryBucket,
  TokenBucket.keyed({
    bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 3, floorPerSecond: 0.1 }),
    maxKeys: 100,
    idleTimeToLive: "10 minutes"
  })
)
// #endregion

import { Effect } from "effect"

const requests = (url: string) =>
  Effect.map(
    exchange([unavailable], (client) => funded(client).get(url)),
    ({ sent }) => sent.length
  )

export const program = Effect.all([
  requests("https://a.example/1"),
  requests("https://a.example/2"),
  requests("https://b.example/")
]).pipe(Effect.provide(onePerHost))

/** Three retries for the first host, which two operations share; the other host has its own. */
export const expected = [3, 2, 3]
