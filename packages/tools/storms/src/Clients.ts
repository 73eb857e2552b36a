/**
 * The rows of the tables: what clients do when a request fails.
 */
import { Backoff, Jitter, Policy, RateLimiter, TokenBucket } from "@effect-retry/core"
import { Throttle } from "@effect-retry/grpc"
import type { Load } from "@effect-retry/plan"

/** A row of the table: a client, and what the server does with requests that have waited too long. */
export interface Row extends Load.Client {
  readonly name: string
  readonly expired?: "drop"
}

/** Attempts without a wait between them: what retries cost a server, and nothing else. */
export const immediately = (maxAttempts: number): Policy.Preset => ({
  maxAttempts,
  backoff: Backoff.constant({ delay: 0 })
})

const spread: Policy.Preset = {
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("2 seconds"), Backoff.jittered(Jitter.full))
}

const successRatio = TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })

const requestRatio = (ratio: number) => TokenBucket.requestRatio({ ratio, floorPerSecond: 0 })

/** The clients of the recovery table. */
export const recovery = {
  none: { name: "no retries", policy: Policy.once },
  attempts: { name: "3 attempts", policy: immediately(3) },
  jittered: { name: "3 attempts, full jitter", policy: spread },
  successRatio: { name: "bucket, 0.1 per success", policy: immediately(3), bucket: successRatio },
  requestRatio: { name: "bucket, 0.1 per request", policy: immediately(3), bucket: requestRatio(0.1) },
  twiceRequestRatio: { name: "bucket, 0.2 per request", policy: immediately(3), bucket: requestRatio(0.2) },
  floor: {
    name: "bucket, 0.2 per request and 10 per second",
    policy: immediately(3),
    bucket: TokenBucket.requestRatio()
  },
  grpc: {
    name: "gRPC throttle (10, 0.1)",
    policy: immediately(3),
    bucket: Throttle.make({ maxTokens: 10, tokenRatio: 0.1 })
  },
  acceptRatio: {
    name: "accept ratio (K 2, 120 s)",
    policy: immediately(3),
    rateLimiter: RateLimiter.acceptRatio({ K: 2, window: "120 seconds", failures: "rejected" })
  },
  acceptRatioAndBucket: {
    name: "accept ratio (K 2, 30 s) and bucket",
    policy: immediately(3),
    bucket: successRatio,
    rateLimiter: RateLimiter.acceptRatio({ K: 2, window: "30 seconds", failures: "rejected" })
  },
  drops: { name: "server drops expired work, 3 attempts", policy: immediately(3), expired: "drop" },
  dropsAndBucket: {
    name: "server drops expired work, bucket",
    policy: immediately(3),
    bucket: successRatio,
    expired: "drop"
  }
} satisfies { readonly [row: string]: Row }
