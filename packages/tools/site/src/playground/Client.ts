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

const bucket = (self: Expression.Expression): Bucket =>
  Expression.evaluate(self, { CircuitBreaker, RateLimiter, TokenBucket }) as Bucket

const hedge = (self: Expression.Expression): NonNullable<Client["hedge"]> =>
  Expression.evaluate(self, { Classifier, Hedge }) as NonNullable<Client["hedge"]>
