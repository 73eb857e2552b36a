/**
 * The retry throttling of gRPC: failures take tokens, and retries are made only above half.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"
import type { Verdict } from "../classify/Verdict.ts"
import type { Grant, TokenBucket } from "./Port.ts"
import { noTokens } from "./Port.ts"
import * as TimedRef from "./TimedRef.ts"

/** The options of `grpcThrottle`, in gRPC's own words as far as it has them. */
interface Options {
  /** In (0, 1000]; also the level at the start. */
  readonly maxTokens: number
  /** What a success puts in; at least 0.001, and decimals beyond the third are cut off. */
  readonly tokenRatio: number
  /** Which failures take a token. @default those with a retryable verdict */
  readonly counts?: (verdict: Verdict) => boolean
}

const owner = "RetryBucket.grpcThrottle"

const isRetryable = (verdict: Verdict): boolean => verdict._tag === "Retryable"

const free: Option.Option<Grant> = /*#__PURE__*/ Option.some(noTokens)

/**
 * The retry throttling of gRPC.
 *
 * A retry is free and granted while the level is above half of `maxTokens`; a failure that counts takes a token, also that
 * of the last attempt.
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Throttling Retry Attempts and Hedged RPCs".
 *
 * @category constructors
 */
export const grpcThrottle = (options: Options): Effect.Effect<TokenBucket> => {
  const maxTokens = Argument.number(owner, "maxTokens", options.maxTokens, { min: 0, max: 1000, exclusive: true })
  const tokenRatio = Argument.number(owner, "tokenRatio", options.tokenRatio, { min: 0.001 })
  const counts = options.counts ?? isRetryable
  // In thousandths: sums of three-decimal ratios stay exact.
  const capacity = maxTokens * 1000
  const ratio = Math.floor(tokenRatio * 1000 + 1e-9)
  return Effect.map(TimedRef.makeTimeless(capacity), ({ modify }) => {
    const credit = modify((level) => [undefined, Math.min(capacity, level + ratio)])
    const charge = modify((level) => [undefined, Math.max(0, level - 1000)])
    const acquire = modify((level) => [level > capacity / 2 ? free : Option.none(), level])
    return {
      acquire: () => acquire,
      record: (outcome) => {
        if (outcome._tag === "Succeeded") return credit
        return outcome._tag === "Failed" && counts(outcome.verdict) ? charge : Effect.void
      },
      level: modify((level) => [level / 1000, level])
    }
  })
}
