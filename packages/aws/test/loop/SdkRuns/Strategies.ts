/**
 * The strategies that are compared: the SDK's own, and ours under the presets of the same modes.
 */
import { AdaptiveRetryStrategy, StandardRetryStrategy } from "@smithy/core/retry"
import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import { RateLimiter } from "@effect-retry/core"
import type { RetryStrategyV2 } from "@smithy/types"
import { Effect } from "effect"
import * as SharedTime from "./SharedTime.ts"

/** `dynamodb` is the standard mode as the client of DynamoDB has it. */
export type Mode = "standard" | "adaptive" | "dynamodb"

export interface Side {
  readonly strategy: RetryStrategyV2
  /** Tokens in the retry quota. */
  readonly level: () => number
  /** Runs what calls the strategy. */
  readonly run: <A>(promise: () => Promise<A>) => Promise<A>
}

export const theirs = (mode: Mode, time: SharedTime.SharedTime): Promise<Side> =>
  SharedTime.inSdk(time, async () => {
    const strategy = await strategies[mode]()
    const quota = "getCapacity" in strategy ? strategy : standardOf(strategy)
    return { strategy, level: () => quota.getCapacity(), run: (promise) => SharedTime.inSdk(time, promise) }
  })

const strategies: { readonly [M in Mode]: () => Promise<AdaptiveRetryStrategy | StandardRetryStrategy> } = {
  standard: async () => new StandardRetryStrategy({ maxAttempts: 3 }),
  adaptive: async () => new AdaptiveRetryStrategy(3),
  // What the client makes if it is given none, but for what its environment says.
  dynamodb: async () => {
    const { config } = new DynamoDBClient({ region: "eu-west-1", retryMode: "standard" })
    return (await config.retryStrategy()) as StandardRetryStrategy
  }
}

/** Private there: an adaptive strategy shows its quota nowhere else. */
const standardOf = (strategy: AdaptiveRetryStrategy): StandardRetryStrategy =>
  (strategy as unknown as { readonly standardRetryStrategy: StandardRetryStrategy }).standardRetryStrategy

export const ours = (mode: Mode, time: SharedTime.SharedTime): Promise<Side> =>
  Effect.gen(function* () {
    const bucket = yield* AwsQuota.standard
    const policy = { ...(mode === "dynamodb" ? AwsRetry.javascriptDynamodb : AwsRetry.javascript), bucket }
    const strategy =
      mode === "adaptive"
        ? yield* SdkRetryStrategy.make({ ...policy, rateLimiter: yield* RateLimiter.adaptive() })
        : yield* SdkRetryStrategy.make(policy)
    return { strategy, level: () => Effect.runSync(bucket.level), run: <A>(promise: () => Promise<A>) => promise() }
  }).pipe(Effect.provide(SharedTime.layer(time)), Effect.runPromise)
