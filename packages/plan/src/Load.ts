/**
 * Load simulations: what the retries of many clients do to a failing or overloaded server.
 *
 * Clients, server and outage in virtual time, with the shipped loop and the shipped buckets. `amplification` counts the
 * load that retries add if attempts fail with a fixed probability, whatever the load. `recovery` shows how long a
 * server takes to recover after a standstill while its clients retry. `latency` shows how long the slowest answers of
 * many servers take, and how hedges change that.
 *
 * A simulated server has one queue, or one per shard, and answers in time or late; there is no network, no threads and
 * no autoscaling.
 *
 * @example
 * ```ts
 * import { Backoff, TokenBucket } from "@effect-retry/core"
 * import { Load } from "@effect-retry/plan"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const policy = { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }
 * const bucket = TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })
 * const failing = { failureProbability: 1, requests: 1_000, seed: 1 }
 *
 * const program = Effect.all([Load.amplification({ policy }, failing), Load.amplification({ policy, bucket }, failing)])
 *
 * Effect.runPromise(program).then(([without, withBucket]) => {
 *   assert.strictEqual(without.loadFactor, 3)
 *   assert.strictEqual(withBucket.loadFactor, 1.01)
 * })
 * ```
 */
export { type Amplification, amplification, type AmplificationOptions } from "./load/Amplification.ts"
export type { Client } from "./load/Client.ts"
export { type HedgingClient, type Latency, latency, type LatencyOptions } from "./load/Latency.ts"
export { type Recovery, recovery, type RecoveryOptions, type Second, type ServerOptions } from "./load/Recovery.ts"
