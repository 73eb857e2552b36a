/**
 * Circuit breakers: rate limiters that let no attempt through for a while after too many failures.
 *
 * `CircuitBreaker.make()` makes a new breaker for a policy's `rateLimiter`. `TokenBucket.keyed` makes one per host or
 * tenant, `TokenBucket.shadow` tries one out in production, and `TokenBucket.all` combines it with other limiters.
 */
export { type CircuitBreaker, make } from "./bucket/CircuitBreaker.ts"
export { changes } from "./bucket/CircuitChanges.ts"
export type { State } from "./bucket/CircuitSettings.ts"
