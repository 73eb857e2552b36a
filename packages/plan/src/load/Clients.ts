/**
 * The rows of the tables: what clients do when a request fails.
 */
import { Backoff, Jitter, Policy, RateLimiter, RetryBucket } from "@effect-retry/core"
import type { Client } from "./Recovery.ts"

/** Three attempts without a wait between them: what retries cost a server, and nothing else. */
export const immediately: Policy.Preset = { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }

const spread: Policy.Preset = {
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("2 seconds"), Backoff.jittered(Jitter.full))
}

const successRatio = RetryBucket.successRatio({ ratio: 0.1, capacity: 10 })

const requestRatio = (ratio: number) => RetryBucket.requestRatio({ ratio, floorPerSecond: 0 })

/** The clients of the recovery table. */
export const recovery = {
  none: { name: "no retries", policy: Policy.once },
  attempts: { name: "3 attempts", policy: immediately },
  jittered: { name: "3 attempts, full jitter", policy: spread },
  successRatio: { name: "bucket, 0.1 per success", policy: immediately, bucket: successRatio },
  requestRatio: { name: "bucket, 0.1 per request", policy: immediately, bucket: requestRatio(0.1) },
  twiceRequestRatio: { name: "bucket, 0.2 per request", policy: immediately, bucket: requestRatio(0.2) },
  floor: {
    name: "bucket, 0.2 per request and 10 per second",
    policy: immediately,
    bucket: RetryBucket.requestRatio()
  },
  grpc: {
    name: "gRPC throttle (10, 0.1)",
    policy: immediately,
    bucket: RetryBucket.grpcThrottle({ maxTokens: 10, tokenRatio: 0.1 })
  },
  acceptRatio: {
    name: "accept ratio (K 2, 120 s)",
    policy: immediately,
    rateLimiter: RateLimiter.acceptRatio({ K: 2, window: "120 seconds", failures: "rejected" })
  },
  acceptRatioAndBucket: {
    name: "accept ratio (K 2, 30 s) and bucket",
    policy: immediately,
    bucket: successRatio,
    rateLimiter: RateLimiter.acceptRatio({ K: 2, window: "30 seconds", failures: "rejected" })
  },
  drops: { name: "server drops expired work, 3 attempts", policy: immediately, serverDrops: true },
  dropsAndBucket: {
    name: "server drops expired work, bucket",
    policy: immediately,
    bucket: successRatio,
    serverDrops: true
  }
} satisfies { readonly [row: string]: Client }
