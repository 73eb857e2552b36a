/**
 * The retry strategies of the AWS SDK for Kotlin, with every setting under its Kotlin name.
 *
 * `Kotlin.make` makes a policy that holds its own bucket and limiter: a `StandardRetryStrategy`, or with `rateLimiter` an
 * `AdaptiveRetryStrategy`. Where it differs from the source:
 * - The bucket keeps fractions of tokens. In Kotlin every access drops them, and frequent access starves the refill.
 * - Waiting is first come, first served, to the millisecond, and holds back nothing else. Kotlin waits whole seconds with
 *   the bucket locked, and leaves it empty.
 * - If a first attempt costs tokens under adaptive mode, the bucket is asked before the limiter, so a refused attempt has
 *   not waited.
 * - The limiter counts requests in half seconds of the clock, as the other SDKs do, and not from its construction.
 *   Before its first outcome its rate is `minFillRate` and its capacity `minCapacity`, where Kotlin has 0.
 * - `AdaptiveRetryStrategy()` without settings shares one bucket and one limiter in the whole process in Kotlin; here each
 *   strategy has its own.
 * - A refused first attempt fails with `AttemptRefused`; in Kotlin with a `RetryCapacityExceededException`.
 */
import { Backoff, type Classifier, Hint, RateLimiter, TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Effect from "effect/Effect"
import * as AwsClassifier from "../classify/AwsClassifier.ts"
import * as AwsBackoff from "../decide/AwsBackoff.ts"
import * as AwsQuota from "../fund/AwsQuota.ts"
import type { Bucket, BucketSettings, DelayProvider, Settings, Standard } from "./KotlinSettings.ts"
import * as KotlinSettings from "./KotlinSettings.ts"

export { isRetryable } from "../classify/KotlinCheck.ts"
export type { Bucket, BucketSettings, DelayProvider, Settings, Standard } from "./KotlinSettings.ts"

/**
 * The policy of a strategy that refuses no first attempt.
 *
 * @category models
 */
export interface Policy<in E = unknown> {
  readonly classifier: Classifier.Classifier<E>
  readonly maxAttempts: number
  readonly backoff: Backoff.Backoff
  readonly hint: Hint.Hint
  readonly bucket: TokenBucket.TokenBucket
}

/**
 * The policy of a strategy that may delay or refuse a first attempt.
 *
 * @category models
 */
export interface Limited<in E = unknown> extends Policy<E> {
  readonly rateLimiter?: TokenBucket.TokenBucket
}

/** The defaults that depend on the gate of the 2026 behaviour. */
const gates = {
  off: {
    initialDelay: "10 millis",
    scaleFactor: 1.5,
    retryCost: 5,
    timeoutRetryCost: 10,
    transientPays: "timeoutRetryCost"
  },
  on: { initialDelay: "50 millis", scaleFactor: 2, retryCost: 14, timeoutRetryCost: 5, transientPays: "retryCost" }
} as const

const gateOf = (newRetries2026 = false) => (newRetries2026 ? gates.on : gates.off)

/**
 * Makes a strategy of the SDK for Kotlin, as a policy with its own bucket and limiter.
 *
 * Source: smithy-lang/smithy-kotlin 6373a5f, StandardRetryStrategy.kt, AdaptiveRetryStrategy.kt and
 * NewRetriesFeatureFlagTest.kt; AWS SDK for Kotlin developer guide, "Retries"; both read 2026-11-20.
 *
 * @category constructors
 */
export function make<E = unknown>(settings?: Standard<E>): Effect.Effect<Policy<E>>
export function make<E = unknown>(settings: Settings<E>): Effect.Effect<Limited<E>>
export function make<E>(settings: Settings<E> = {}): Effect.Effect<Limited<E>> {
  const owner = "Kotlin.make"
  KotlinSettings.check(owner, settings)
  const { enableLongPollingBackoff = false, newRetries2026, retryPolicy } = settings
  const maxAttempts = Argument.number(owner, "maxAttempts", settings.maxAttempts ?? 3, { min: 1, integer: true })
  const bucket = bucketOf(owner, settings.tokenBucket ?? {}, newRetries2026)
  const limiter = limiterOf(owner, settings.rateLimiter)
  const delays = delaysOf(owner, settings.delayProvider ?? {}, newRetries2026)
  return Effect.zipWith(bucket, limiter, (bucket, limiter) => {
    const rateLimiter = beforeAttempts(bucket, limiter)
    return {
      classifier: retryPolicy ?? AwsClassifier.kotlin,
      maxAttempts,
      ...delays,
      bucket: enableLongPollingBackoff ? AwsQuota.longPolling(bucket) : bucket,
      ...(rateLimiter !== undefined && { rateLimiter })
    }
  })
}

/**
 * Makes a bucket of the SDK for Kotlin that strategies can share: `Kotlin.make({ tokenBucket })`.
 *
 * Source: smithy-lang/smithy-kotlin 6373a5f, StandardRetryTokenBucket.kt and its test, read 2026-11-20.
 *
 * @category constructors
 */
export const tokenBucket = (
  settings: BucketSettings & Pick<Settings, "newRetries2026"> = {}
): Effect.Effect<Bucket> => {
  const { newRetries2026, ...bucket } = settings
  KotlinSettings.checkGate("Kotlin.tokenBucket", newRetries2026)
  return bucketOf("Kotlin.tokenBucket", bucket, newRetries2026, "")
}

const bucketOf = (
  owner: string,
  given: BucketSettings | Bucket,
  newRetries2026: boolean | undefined,
  path = "tokenBucket."
): Effect.Effect<Bucket> => {
  if (KotlinSettings.isBucket(given)) return Effect.succeed(given)
  const settings: BucketSettings = given
  KotlinSettings.checkBucket(owner, path.slice(0, -1), settings)
  const read: Read = (field, otherwise, range) =>
    Argument.number(owner, path + field, settings[field] ?? otherwise, range)
  const capacity = read("maxCapacity", 500, { min: 0, exclusive: true })
  const cost = costsOf(read, capacity, gateOf(newRetries2026))
  const refillPerSecond = read("refillUnitsPerSecond", 0, { min: 0 })
  const waits = settings.useCircuitBreakerMode === false && refillPerSecond > 0
  const quota = TokenBucket.quota({
    capacity,
    cost,
    firstSuccessIncrement: read("initialTrySuccessIncrement", 1, { min: 0 }),
    refillPerSecond,
    whenShort: waits ? "wait" : "refuse"
  })
  return Effect.map(quota, (bucket) => ({ ...bucket, initialTryCost: cost.first }))
}

type Read = (
  field: Exclude<keyof BucketSettings, "useCircuitBreakerMode">,
  otherwise: number,
  range: Argument.Range
) => number

const costsOf = (read: Read, capacity: number, gate: (typeof gates)[keyof typeof gates]) => {
  const cost = (field: "initialTryCost" | "retryCost" | "timeoutRetryCost", otherwise: number) =>
    read(field, Math.min(otherwise, capacity), { min: 0, max: capacity })
  const first = cost("initialTryCost", 0)
  const orElse = cost("retryCost", gate.retryCost)
  const Throttling = cost("timeoutRetryCost", gate.timeoutRetryCost)
  const transient = gate.transientPays === "retryCost" ? orElse : Throttling
  return { first, Throttling, Transient: transient, Timeout: transient, orElse }
}

const limiterOf = (
  owner: string,
  given: Settings["rateLimiter"]
): Effect.Effect<TokenBucket.TokenBucket | undefined> => {
  if (given === undefined || KotlinSettings.isBucket(given)) return Effect.succeed(given)
  return KotlinSettings.named(owner, "rateLimiter", () => RateLimiter.adaptive(given))
}

/** The limiter asked before attempts: the bucket, if first attempts cost tokens, and then the rate limiter, which may wait. */
const beforeAttempts = (
  bucket: Bucket,
  limiter: TokenBucket.TokenBucket | undefined
): TokenBucket.TokenBucket | undefined => {
  if ((bucket.initialTryCost ?? 0) === 0) return limiter
  const first = TokenBucket.firstAttempts(bucket)
  return limiter === undefined ? first : TokenBucket.all(first, limiter)
}

const delaysOf = (
  owner: string,
  given: DelayProvider | Backoff.Backoff,
  newRetries2026: boolean | undefined
): Pick<Policy, "backoff" | "hint"> => {
  if (Backoff.isBackoff(given)) return { backoff: given, hint: Hint.within({ above: "5 seconds" }) }
  const { retryAfterMaxOvershoot = "5 seconds", ...delay } = given
  const gate = gateOf(newRetries2026)
  const { initialDelay = gate.initialDelay, scaleFactor = gate.scaleFactor } = delay
  const above = Argument.millis(owner, "delayProvider.retryAfterMaxOvershoot", retryAfterMaxOvershoot, { min: 0 })
  const backoff = KotlinSettings.named(owner, "delayProvider", () =>
    AwsBackoff.kotlin({ ...delay, initialDelay, scaleFactor })
  )
  return { backoff, hint: Hint.within({ above }) }
}
