import { HttpClient } from "@effect/platform"
import { HttpRetry } from "@effect-retry/http"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Agent } from "undici"
import * as Clients from "../support/Clients.ts"
import * as Leavings from "../support/Leavings.ts"

const overClient = Effect.map(HttpClient.HttpClient, (client): Leavings.Subject => {
  const getting =
    (client: HttpClient.HttpClient): Leavings.Get =>
    (url) =>
      Effect.flatMap(client.get(url), (response) => response.text)
  const get = getting(HttpRetry.withRetry(client, Leavings.quick))
  return {
    get,
    interruptible: get,
    patient: (waits) => getting(HttpRetry.withRetry(client, Leavings.patiently(waits)))
  }
})

describe.each([
  ["FetchHttpClient", Clients.globalFetch],
  ["NodeHttpClient over node:http", Clients.nodeHttp({ keepAlive: true })],
  ["NodeHttpClient over undici", Clients.undici(() => new Agent())]
])("%s", (_, client) => {
  it.scopedLive("keeps no bytes, sockets and listeners of operations", () =>
    Leavings.expectNothingKept(client, overClient)
  )
})
