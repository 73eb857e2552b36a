/**
 * Tokens that attempts are paid with: the port, the buckets that always or never grant, and what combines buckets.
 *
 * `RetryBucket` has the buckets meant for a policy's `bucket`, `RateLimiter` those meant for its `rateLimiter`.
 */
export { all, empty, firstAttempts, shadow, unlimited } from "./compose/Compose.ts"
export { failClosed, failOpen, fallback } from "./compose/Fallible.ts"
export { Key } from "./port/Key.ts"
export { keyed } from "./compose/Keyed.ts"
export { Default, type Grant, type Outcome, type Request, type TokenBucket } from "./port/Port.ts"
