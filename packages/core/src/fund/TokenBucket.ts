/**
 * Token buckets: the port, the buckets for a policy's `bucket`, and the combinators.
 *
 * A policy's `bucket` is asked before the wait of every retry, and bounds what retries add to the load of a server that
 * is already in trouble. Each constructor is an effect that makes a new bucket;
 * `Layer.effect(TokenBucket.RetryBucket, TokenBucket.quota())` is the layer through which a program shares one.
 * The buckets meant for a policy's `rateLimiter` are in `RateLimiter`.
 */
export { quota } from "./bucket/Quota.ts"
export { requestRatio } from "./bucket/RequestRatio.ts"
export { successRatio } from "./bucket/SuccessRatio.ts"
export { all, empty, firstAttempts, shadow, unlimited } from "./compose/Compose.ts"
export { failClosed, failOpen, fallback } from "./compose/Fallible.ts"
export { keyed } from "./compose/Keyed.ts"
export { operationShare } from "./compose/OperationShare.ts"
export { Key } from "./port/Key.ts"
export { Priority } from "./port/Priority.ts"
export { type Grant, type Outcome, type Request, type Started, RetryBucket, type TokenBucket } from "./port/Port.ts"
