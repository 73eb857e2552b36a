// #region test
import { Backoff } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Fault, Faults, VirtualClock } from "@effect-retry/testing"
import * as FaultyHttpClient from "@effect-retry/testing/FaultyHttpClient"
import { HttpClient } from "@effect/platform"
import { Effect } from "effect"

const faults = Faults.firstOf(
  Faults.script([Fault.throttle("2 seconds"), Faults.none, Fault.lost(Fault.reset())]),
  Faults.between({ from: "1 minute", to: "2 minutes" }, Fault.status(503)),
  Faults.chance(0.01, Fault.slowBody(1000))
)

const policy = { maxAttempts: 3, backoff: Backoff.constant({ delay: "1 second" }) }

export const test = (server: HttpClient.HttpClient) =>
  Effect.gen(function* () {
    const injector = yield* Faults.make(faults, { seed: "orders" })
    const client = server.pipe(FaultyHttpClient.inject(injector), HttpRetry.withRetry(policy))
    const get = Effect.map(client.get("http://orders.example/1"), ({ status }) => status)
    const post = Effect.flip(client.post("http://orders.example/"))
    const ends = [yield* get, (yield* post)._tag, yield* Effect.delay(get, "1 minute")]
    return { ends, ...(yield* Faults.counts(injector)) }
  }).pipe(VirtualClock.run)
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { HttpClientResponse } from "@effect/platform"

const server = HttpClient.make((request) => Effect.sync(() => HttpClientResponse.fromWeb(request, new Response("ok"))))

export const program = Effect.provide(test(server), SeededRandom.layerConstant(0))

// #region expected
export const expected = {
  ends: [200, "RequestError", 503],
  calls: 6,
  injected: { Throttle: 1, Reset: 1, Status: 3 },
  spared: 0
}
// #endregion
