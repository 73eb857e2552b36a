/**
 * The contract of buckets, kept by every bucket there is. Those made of other buckets keep it in their own tests.
 */
import { RateLimiter, TokenBucket, Verdict } from "@effect-retry/core"
import { TokenBucketContract } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { Effect } from "effect"

/** A bucket that has recorded a failure before it is tested. */
const after = (verdict: Verdict.Verdict) => (make: Effect.Effect<TokenBucket.TokenBucket>) =>
  Effect.tap(make, (bucket) =>
    bucket.record({ _tag: "Failed", attempt: 1, granted: { tokens: 0, refund: Effect.void }, verdict })
  )

const throttled = after(Verdict.throttling)

const paused = after(Verdict.retryable("Server", { hint: "10 seconds" }))

const refills = { capacity: 50, refillPerSecond: 5 }

const buckets: ReadonlyArray<readonly [string, TokenBucketContract.Make, TokenBucketContract.Options?]> = [
  ["unlimited", Effect.succeed(TokenBucket.unlimited), { grants: "all" }],
  ["empty", Effect.succeed(TokenBucket.empty), { grants: "none" }],
  ["quota", TokenBucket.quota()],
  ["quota that refills", TokenBucket.quota(refills), { refills: true }],
  ["quota that waits", TokenBucket.quota({ ...refills, whenShort: "wait" }), { refills: true, waits: true }],
  ["successRatio", TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })],
  ["requestRatio", TokenBucket.requestRatio({ ratio: 0.2 }), { capacity: Infinity, refills: true }],
  ["operationShare", TokenBucket.operationShare({ bucket: TokenBucket.quota(), share: 0.5 })],
  // Refunds and late timers fill it by what comes in within a tenth of a second beyond its burst.
  ["fixed", RateLimiter.fixed({ rate: 10, burst: 3 }), { capacity: 4, refills: true, waits: true }],
  [
    "fixed that refuses",
    RateLimiter.fixed({ rate: 10, burst: 3, whenShort: "refuse" }),
    { capacity: 4, refills: true }
  ],
  ["adaptive", throttled(RateLimiter.adaptive()), { capacity: Infinity, refills: true, waits: true }],
  ["acceptRatio", RateLimiter.acceptRatio(), { capacity: Infinity, grants: "by chance" }],
  [
    "serverPause",
    paused(RateLimiter.serverPause({ atMost: "1 minute" })),
    { capacity: Infinity, refills: true, waits: true }
  ],
  ["concurrencyLimit", RateLimiter.concurrencyLimit({ limit: 4 }), { returns: true, waits: true }],
  [
    "concurrencyLimit of a share",
    RateLimiter.concurrencyLimit({ ratio: 0.2, whenShort: "refuse" }),
    { capacity: Infinity, isExact: false, returns: true }
  ]
]

for (const [name, make, options] of buckets) TokenBucketContract.suite(vitest, name, make, options)
