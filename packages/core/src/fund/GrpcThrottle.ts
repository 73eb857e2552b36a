/**
 * The retry throttling of gRPC: failures take tokens, and retries are made only above half.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as GrpcCount from "./GrpcCount.ts"
import type { Grant, TokenBucket } from "./Port.ts"
import { noTokens } from "./Port.ts"
import * as TimedRef from "./TimedRef.ts"

const owner = "RetryBucket.grpcThrottle"

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
export const grpcThrottle = (options: GrpcCount.Options): Effect.Effect<TokenBucket> => {
  const { capacity, counts, ratio } = GrpcCount.check(owner, options)
  return Effect.map(TimedRef.makeTimeless(capacity), ({ modify }) => {
    const credit = modify((level) => [undefined, Math.min(capacity, level + ratio)])
    const charge = modify((level) => [undefined, Math.max(0, level - GrpcCount.token)])
    const acquire = modify((level) => [level > capacity / 2 ? free : Option.none(), level])
    return {
      acquire: () => acquire,
      record: (outcome) => {
        if (outcome._tag === "Succeeded") return credit
        return outcome._tag === "Failed" && counts(outcome.verdict) ? charge : Effect.void
      },
      level: modify((level) => [level / GrpcCount.token, level])
    }
  })
}
