/**
 * A circuit breaker for each host.
 */
import { answer, exchange } from "./http-scripted.ts"
// #region hosts
import { CircuitBreaker, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import type { HttpClient } from "@effect/platform"
import { Effect } from "effect"

const breakerOfHost = Effect.flatMap(TokenBucket.Key, (host) =>
  CircuitBreaker.make({
    opensAt: { ratio: 0.5, window: "10 seconds", atLeast: 20 },
    onChange: (state) => Effect.logWarning(`${host}: the circuit is ${state._tag}`)
  })
)

const guarded = (client: HttpClient.HttpClient) =>
  Effect.map(HttpRetry.perHost({ rateLimiter: breakerOfHost }), (policy) => HttpRetry.withRetry(client, policy))
// #endregion

/** Thirty requests to a host that fails all of them, and that must not be repeated. */
export const program = Effect.map(
  exchange([answer(503)], (client) =>
    Effect.flatMap(guarded(client), (client) =>
      Effect.replicateEffect(Effect.merge(client.post("https://a.example/")), 30)
    )
  ),
  ({ requests }) => `${requests.length} of 30 sent`
)

// #region expected
export const expected = "20 of 30 sent"
// #endregion
