/**
 * The client of the settings: its policy, and the buckets that it makes.
 */
import { CircuitBreaker, Classifier, Hedge, RateLimiter, TokenBucket } from "@effect-retry/core"
import type * as Effect from "effect/Effect"
import { describe } from "./Description.ts"
import * as Expression from "./Expression.ts"
import { type Explained, made } from "./Policy.ts"
import type { Settings } from "./Settings.ts"

type Bucket = Effect.Effect<TokenBucket.TokenBucket>

export interface Client {
  readonly policy: Explained
  readonly bucket?: Bucket
  readonly rateLimiter?: Bucket
  readonly hedge?: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Throws the `InvalidArgument` of the package that refuses a value. */
export const client = (settings: Settings): Client => {
  const described = describe(settings)
  return {
    policy: made(described),
    ...(described.bucket === undefined ? {} : { bucket: bucket(described.bucket) }),
    ...(described.rateLimiter === undefined ? {} : { rateLimiter: bucket(described.rateLimiter) }),
    ...(described.hedge === undefined ? {} : { hedge: hedge(described.hedge) })
  }
}

/** Those that a description names: the others stay out of what the page loads. */
const buckets = {
  CircuitBreaker: { make: CircuitBreaker.make },
  RateLimiter: {
    acceptRatio: RateLimiter.acceptRatio,
    concurrencyLimit: RateLimiter.concurrencyLimit,
    fixed: RateLimiter.fixed
  },
  TokenBucket: {
    quota: TokenBucket.quota,
    requestRatio: TokenBucket.requestRatio,
    successRatio: TokenBucket.successRatio
  }
}

const bucket = (self: Expression.Expression): Bucket => Expression.evaluate(self, buckets) as Bucket

const hedge = (self: Expression.Expression): NonNullable<Client["hedge"]> =>
  Expression.evaluate(self, {
    Classifier: { always: Classifier.always },
    Hedge: { hedge: Hedge.hedge }
  }) as NonNullable<Client["hedge"]>
