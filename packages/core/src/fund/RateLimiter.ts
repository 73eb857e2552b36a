/**
 * Rate limiters: token buckets for a policy's `rateLimiter`, which is asked before every attempt, the first included.
 *
 * Each constructor is an effect that makes a new limiter; `Layer.effect(MyLimiter, RateLimiter.adaptive())` is the layer
 * through which a program shares one. A refused first attempt fails the operation with `Retry.AttemptRefused`.
 */
export { acceptRatio } from "./bucket/AcceptRatio.ts"
export { adaptiveConcurrency } from "./bucket/AdaptiveConcurrency.ts"
export { adaptive } from "./bucket/AdaptiveRate.ts"
export { concurrencyLimit } from "./bucket/ConcurrencyLimit.ts"
export { fixed } from "./bucket/FixedRate.ts"
export { serverPause } from "./bucket/ServerPause.ts"
