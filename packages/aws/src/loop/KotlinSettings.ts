/**
 * The settings of the AWS SDK for Kotlin, by their Kotlin names, and their checks.
 */
import { Backoff, type Classifier, InvalidArgument, type RateLimiter, type TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { KotlinDelay } from "../decide/AwsBackoff.ts"

/**
 * The settings of `delayProvider`. With `newRetries2026`, the defaults are an `initialDelay` of 50 milliseconds and a
 * `scaleFactor` of 2.
 *
 * @category models
 */
export interface DelayProvider extends KotlinDelay {
  /** How far above the delay the server's hint is followed. @default 5 seconds */
  readonly retryAfterMaxOvershoot?: Duration.DurationInput
}

/**
 * The settings of `tokenBucket`, in tokens. A default cost above the capacity is the capacity.
 *
 * @category models
 */
export interface BucketSettings {
  /** Above 0. @default 500 */
  readonly maxCapacity?: number
  /** What a first attempt costs; if above 0, a first attempt may be refused, and is then not made. @default 0 */
  readonly initialTryCost?: number
  /** How many tokens a successful first attempt adds. @default 1 */
  readonly initialTrySuccessIncrement?: number
  /** What a retry costs after any other failure than those of `timeoutRetryCost`. @default 5; 14 with `newRetries2026` */
  readonly retryCost?: number
  /** What a retry costs after throttling and, without `newRetries2026`, after a transient failure. @default 10; 5 with `newRetries2026` */
  readonly timeoutRetryCost?: number
  /** Tokens refilled per second, fractions kept. 0 forces `useCircuitBreakerMode`, as in Kotlin. @default 0 */
  readonly refillUnitsPerSecond?: number
  /** Whether an attempt fails when tokens are short, instead of waiting for the refill. @default true */
  readonly useCircuitBreakerMode?: boolean
}

/**
 * A bucket for `tokenBucket`. One that names an `initialTryCost` above 0 is asked for first attempts too.
 *
 * @category models
 */
export interface Bucket extends TokenBucket.TokenBucket {
  readonly initialTryCost?: number | undefined
}

/** The settings of `rateLimiter`, and those of core's limiter that avoid its weaknesses. */
type RateSettings = NonNullable<Parameters<typeof RateLimiter.adaptive>[0]>

/**
 * The settings of a retry strategy. Each component is given by its settings, or as an instance, which strategies may share.
 *
 * @category models
 */
export interface Settings<in E = unknown> {
  /** The first attempt included. @default 3 */
  readonly maxAttempts?: number
  readonly delayProvider?: DelayProvider | Backoff.Backoff
  readonly tokenBucket?: BucketSettings | Bucket
  /** Makes it an `AdaptiveRetryStrategy`, even if empty. */
  readonly rateLimiter?: RateSettings | TokenBucket.TokenBucket
  /** @default AwsClassifier.kotlin */
  readonly retryPolicy?: Classifier.Classifier<E>
  /** Whether to wait once when the bucket refuses a retry, as for SQS's long polls. @default false */
  readonly enableLongPollingBackoff?: boolean
  /** Switches to the rules of 2026: other defaults, and a retry after a transient failure costs `retryCost`. @default false */
  readonly newRetries2026?: boolean
}

/**
 * Settings under which no first attempt can be refused.
 *
 * @category models
 */
export interface Standard<in E = unknown> extends Settings<E> {
  readonly tokenBucket?: (BucketSettings | Bucket) & { readonly initialTryCost?: never }
  readonly rateLimiter?: never
}

/** Whether a component is given as an instance of a bucket. */
export const isBucket = (component: object): component is TokenBucket.TokenBucket => "acquire" in component

const fields: { readonly [Field in keyof Required<Settings>]: true } = {
  maxAttempts: true,
  delayProvider: true,
  tokenBucket: true,
  rateLimiter: true,
  retryPolicy: true,
  enableLongPollingBackoff: true,
  newRetries2026: true
}

const delayFields: { readonly [Field in keyof Required<DelayProvider>]: true } = {
  initialDelay: true,
  scaleFactor: true,
  jitter: true,
  maxBackoff: true,
  throttlingBaseDelay: true,
  retryAfterMaxOvershoot: true
}

const bucketFields: { readonly [Field in keyof Required<BucketSettings>]: true } = {
  maxCapacity: true,
  initialTryCost: true,
  initialTrySuccessIncrement: true,
  retryCost: true,
  timeoutRetryCost: true,
  refillUnitsPerSecond: true,
  useCircuitBreakerMode: true
}

const rateFields: { readonly [Field in keyof Required<RateSettings>]: true } = {
  beta: true,
  scaleConstant: true,
  smoothing: true,
  minFillRate: true,
  minCapacity: true,
  measurementBucketDuration: true,
  cutAtMostEvery: true,
  idleAfter: true,
  offAfter: true,
  whenShort: true,
  maxWait: true
}

const requireBoolean = (owner: string, field: string, value: unknown): void => {
  if (value !== undefined && !Predicate.isBoolean(value)) Argument.refuse(owner, field, "true or false", value)
}

const requireKnown = (owner: string, path: string, given: unknown, known: object): void => {
  const subject = path === "" ? "settings" : path
  if (Effect.isEffect(given)) {
    return Argument.refuse(owner, subject, "a bucket, not an effect that makes one: yield* it first", given)
  }
  if (!Predicate.isRecord(given)) return Argument.refuse(owner, subject, "a record of settings", given)
  Argument.fields(owner, given, Object.keys(known), "settings", { path: path === "" ? "" : `${path}.` })
}

/** Refuses unknown settings in every component that is given by settings. */
export const check = (owner: string, settings: Settings<never>): void => {
  requireKnown(owner, "", settings, fields)
  const { delayProvider, enableLongPollingBackoff, newRetries2026, rateLimiter, retryPolicy, tokenBucket } = settings
  if (retryPolicy !== undefined && !Predicate.isFunction(retryPolicy)) {
    Argument.refuse(owner, "retryPolicy", "a classifier", retryPolicy)
  }
  requireBoolean(owner, "enableLongPollingBackoff", enableLongPollingBackoff)
  checkGate(owner, newRetries2026)
  if (delayProvider !== undefined && !Backoff.isBackoff(delayProvider)) {
    requireKnown(owner, "delayProvider", delayProvider, delayFields)
  }
  if (tokenBucket !== undefined) checkBucket(owner, "tokenBucket", tokenBucket)
  if (rateLimiter !== undefined && !(Predicate.isRecord(rateLimiter) && isBucket(rateLimiter))) {
    requireKnown(owner, "rateLimiter", rateLimiter, rateFields)
  }
}

/** Refuses unknown settings of a bucket that is given by settings. */
export const checkBucket = (owner: string, path: string, given: BucketSettings | Bucket): void => {
  if (Predicate.isRecord(given) && isBucket(given)) return
  requireKnown(owner, path, given, bucketFields)
  const field = "useCircuitBreakerMode"
  requireBoolean(owner, path === "" ? field : `${path}.${field}`, (given as BucketSettings)[field])
}

/** Refuses a gate that is not a boolean, such as the text of a variable. */
export const checkGate = (owner: string, newRetries2026: unknown): void =>
  requireBoolean(owner, "newRetries2026", newRetries2026)

/** Runs a constructor with our settings as arguments; what it refuses is named as the caller gave it. */
export const named = <A>(owner: string, path: string, make: () => A): A => {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InvalidArgument.InvalidArgument)) throw error
    throw new InvalidArgument.InvalidArgument({
      owner,
      field: `${path}.${error.field}`,
      allowed: error.allowed,
      value: error.value
    })
  }
}
