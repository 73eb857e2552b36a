/**
 * The strategies that are compared: the SDK's own, and ours under the presets of the same modes.
 */
import { AdaptiveRetryStrategy, StandardRetryStrategy } from "@smithy/core/retry"
import { AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import { RateLimiter } from "@effect-retry/core"
import type { RetryStrategyV2 } from "@smithy/types"
import { Effect } from "effect"
import * as SharedTime from "./SharedTime.ts"

export type Mode = "standard" | "adaptive"

export interface Side {
  readonly strategy: RetryStrategyV2
  /** Tokens in the retry quota. */
  readonly level: () => number
  /** Runs what calls the strategy. */
  readonly run: <A>(promise: () => Promise<A>) => Promise<A>
}

export const theirs = (mode: Mode, time: SharedTime.SharedTime, maxAttempts = 3): Promise<Side> =>
  SharedTime.inSdk(time, async () => {
    const strategy =
      mode === "standard" ? new StandardRetryStrategy({ maxAttempts }) : new AdaptiveRetryStrategy(maxAttempts)
    const quota = strategy instanceof StandardRetryStrategy ? strategy : standardOf(strategy)
    return { strategy, level: () => quota.getCapacity(), run: (promise) => SharedTime.inSdk(time, promise) }
  })

/** Private there: an adaptive strategy shows its quota nowhere else. */
const standardOf = (strategy: AdaptiveRetryStrategy): StandardRetryStrategy =>
  (strategy as unknown as { readonly standardRetryStrategy: StandardRetryStrategy }).standardRetryStrategy

export const ours = (mode: Mode, time: SharedTime.SharedTime, maxAttempts = 3): Promise<Side> =>
  Effect.gen(function* () {
    const bucket = yield* AwsQuota.standard
    const policy = { ...AwsRetry.standard, maxAttempts, bucket }
    const strategy =
      mode === "standard"
        ? yield* SdkRetryStrategy.make(policy)
        : yield* SdkRetryStrategy.make({ ...policy, rateLimiter: yield* RateLimiter.adaptive() })
    return { strategy, level: () => Effect.runSync(bucket.level), run: <A>(promise: () => Promise<A>) => promise() }
  }).pipe(Effect.provide(SharedTime.layer(time)), Effect.runPromise)
