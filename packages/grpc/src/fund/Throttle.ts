/**
 * The retry throttling of gRPC: failures take tokens, and retries are made only while the bucket is more than half full.
 *
 * A token bucket for the `bucket` of any policy. `GrpcRetry.make` makes one if its service config has `retryThrottling`.
 *
 * @example
 * ```ts
 * import { Backoff, Classifier, Retry } from "@effect-retry/core"
 * import { Throttle } from "@effect-retry/grpc"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * let calls = 0
 * const call = Effect.suspend(() => Effect.fail(`call ${++calls}`))
 * const program = Effect.gen(function* () {
 *   // Made once, and shared by all calls to a server.
 *   const bucket = yield* Throttle.make({ maxTokens: 4, tokenRatio: 0.1 })
 *   const policy = { classifier: Classifier.always, backoff: Backoff.constant({ delay: "1 milli" }), maxAttempts: 5, bucket }
 *   return yield* Effect.flip(Retry.retry(call, policy))
 * })
 *
 * // The second failure leaves 2 tokens of 4, which is not above half.
 * Effect.runPromise(program).then((error) => assert.strictEqual(error, "call 2"))
 * ```
 */
import type { TokenBucket, Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { noTokens } from "@effect-retry/core/unstable/Port"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"

/**
 * The options of `make`, named as in gRPC where gRPC has a name.
 *
 * @category models
 */
export interface Options {
  /** A whole number from 1 to 1000; also the level at the start. */
  readonly maxTokens: number
  /** How many tokens a success adds; at least 0.001, and decimals beyond the third are cut off. */
  readonly tokenRatio: number
  /** Which failures take a token. @default those with a retryable verdict */
  readonly counts?: (verdict: Verdict.Verdict) => boolean
}

/** Counts in thousandths of a token, so that sums of ratios with three decimals stay exact. */
const token = 1000

const free: Option.Option<TokenBucket.Grant> = /*#__PURE__*/ Option.some(noTokens)

/**
 * Makes a throttle.
 *
 * A retry is free, and granted while the level is above half of `maxTokens`; a failure that counts takes a token, even
 * that of the last attempt. Throws an `InvalidArgument` for an option out of its range. Source:
 * https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Throttling Retry Attempts and Hedged RPCs".
 *
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<TokenBucket.TokenBucket> => {
  const maxTokens = Argument.number(owner, "maxTokens", options.maxTokens, { min: 1, max: 1000, integer: true })
  const tokenRatio = Argument.number(owner, "tokenRatio", options.tokenRatio, { min: 0.001 })
  const capacity = maxTokens * token
  const ratio = Math.floor(tokenRatio * token + 1e-9)
  const counts = options.counts ?? isRetryable
  return Effect.map(Ref.make(capacity), (ref) => {
    const credit = Ref.update(ref, (level) => Math.min(capacity, level + ratio))
    const charge = Ref.update(ref, (level) => Math.max(0, level - token))
    const acquire = Ref.modify(ref, (level) => [level > capacity / 2 ? free : Option.none(), level])
    return {
      acquire: () => acquire,
      record: (outcome) => {
        if (outcome._tag === "Succeeded") return credit
        return outcome._tag === "Failed" && counts(outcome.verdict) ? charge : Effect.void
      },
      level: Ref.modify(ref, (level) => [level / token, level])
    }
  })
}

const owner = "Throttle.make"

const isRetryable = (verdict: Verdict.Verdict): boolean => verdict._tag === "Retryable"
