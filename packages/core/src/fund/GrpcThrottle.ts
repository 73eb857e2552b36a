/**
 * The retry throttling of gRPC: every retryable failure takes a token, and retries are made only above half.
 */
import type { Context } from "effect"
import { Effect, Layer, Option } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import type { RetryBucket } from "./RetryBucket.ts"
import * as Tank from "./Tank.ts"
import * as TokenBucket from "./Tokens.ts"

/**
 * In gRPC's own words.
 *
 * @category models
 */
export interface GrpcThrottle {
  /** In (0, 1000]; also the level at the start. */
  readonly maxTokens: number
  /** What a success puts in; above 0, and what it has beyond three decimals is cut off. */
  readonly tokenRatio: number
}

/**
 * @category constructors
 */
export const makeGrpcThrottle = (options: GrpcThrottle): Effect.Effect<RetryBucket> => {
  const owner = "RetryBucket.layerGrpcThrottle"
  const maxTokens = Argument.number(owner, "maxTokens", options.maxTokens, { min: 0, max: 1000, exclusive: true })
  const ratio = Math.floor(Argument.number(owner, "tokenRatio", options.tokenRatio, { min: 0.001 }) * 1000 + 1e-9)
  // In thousandths: sums of three-decimal ratios stay exact.
  const limits = { capacity: maxTokens * 1000, refillPerSecond: 0 }
  const contents = {
    initial: { tokens: limits.capacity, atMillis: 0 },
    moved: undefined,
    tokens: (bucket: TokenBucket.TokenBucket) => bucket.tokens / 1000
  }
  return Effect.map(Tank.make(contents), ({ level, modify }) => {
    const add = (tokens: number) => modify((bucket) => [undefined, TokenBucket.added(bucket, limits, tokens)])
    return {
      take: () =>
        modify((bucket) => [bucket.tokens > limits.capacity / 2 ? Option.some(0) : Option.none<number>(), bucket]),
      giveBack: () => Effect.void,
      ended: (ended) => {
        if (ended._tag === "Succeeded") return add(ratio)
        return Option.isSome(ended.kind) ? add(-1000) : Effect.void
      },
      level
    }
  })
}

/**
 * The retry throttling of gRPC behind a tag.
 *
 * A retry is free and granted while the level is above half of `maxTokens`; failures that are not retryable count for
 * nothing.
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Throttling Retry Attempts and Hedged RPCs".
 *
 * @category layers
 */
export const layerGrpcThrottle = <I>(tag: Context.Tag<I, RetryBucket>, options: GrpcThrottle): Layer.Layer<I> =>
  Layer.effect(tag, makeGrpcThrottle(options))
