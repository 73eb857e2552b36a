/**
 * Circuit breakers: rate limiters that let no attempt through for a while after too many failures.
 *
 * `CircuitBreaker.make()` makes a breaker of its own for a policy's `rateLimiter`; `TokenBucket.keyed` makes one for each
 * host or tenant, `TokenBucket.shadow` tries one, and `TokenBucket.all` combines it with other limiters.
 */
export { type CircuitBreaker, make, type State } from "./bucket/CircuitBreaker.ts"
export { changes } from "./bucket/CircuitChanges.ts"
