/**
 * Retry quotas of the AWS SDKs: what a retry costs, and what waits when the quota is short.
 *
 * Each quota is an effect that makes a new bucket: `Layer.effect(AwsRetry.Quota, AwsQuota.standard)` is the layer
 * through which programs share it. The SDKs have one per client; the SDK for Rust one per service and region. For one
 * quota per table, host or tenant: `TokenBucket.keyed({ bucket: AwsQuota.standard, … })`.
 */
import { TokenBucket } from "@effect-retry/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/**
 * Since the 2026 revision (2.1): capacity 500, a retry costs 14 tokens, 5 after throttling; a success returns what its
 * last retry cost, or adds 1 if there was no retry.
 *
 * For another capacity: `TokenBucket.quota({ capacity })`, whose defaults these are.
 * Source: AWS SDKs and Tools reference guide, "Retry behavior",
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html; boto/botocore 1.43.107,
 * tests/unit/retries/test_standard_retry_v2_1.py; both read 2026-11-20.
 *
 * @category constructors
 */
export const standard: Effect.Effect<TokenBucket.TokenBucket> = /*#__PURE__*/ TokenBucket.quota()

/**
 * The costs of retries before the 2026 revision, in tokens, for `TokenBucket.quota({ cost })`; by SDK where they differ.
 *
 * `standard`: 5, and 10 after a timeout (the guide; botocore). `transient`: 5, and 10 after any transient failure (the SDKs
 * for JavaScript and Rust). `legacyJava`: 5, and nothing after throttling.
 * Source: boto/botocore 1.43.107, tests/unit/retries/test_standard.py; `@smithy/util-retry` 4.2.8; smithy-lang/smithy-rs
 * 56ee88c, strategy/standard.rs; aws/aws-sdk-java-v2 187b715, LegacyRetryStrategyTest.java; read 2026-11-20.
 *
 * @category models
 */
export const costs2020 = {
  standard: { Timeout: 10, orElse: 5 },
  transient: { Timeout: 10, Transient: 10, orElse: 5 },
  legacyJava: { Throttling: 0, orElse: 5 }
} as const

/**
 * Before the 2026 revision (2.0): capacity 500, a retry costs 5 tokens, 10 after a timeout.
 *
 * @category constructors
 */
export const standard2020: Effect.Effect<TokenBucket.TokenBucket> = /*#__PURE__*/ TokenBucket.quota({
  cost: costs2020.standard
})

/**
 * The quota of the SDK for Java's legacy mode: capacity 500, a retry costs 5 tokens, and nothing after throttling.
 *
 * @category constructors
 */
export const legacyJava: Effect.Effect<TokenBucket.TokenBucket> = /*#__PURE__*/ TokenBucket.quota({
  cost: costs2020.legacyJava
})

/**
 * For long polls: when the bucket refuses a retry, waits as long as that retry would have waited before refusing, so
 * that a poller that calls again at once does not run in a tight loop.
 *
 * The wait takes no tokens, and can be interrupted. It replaces the retry's own wait, which the deadline has already
 * allowed, so it needs no other bound. Attempts that end for another reason (a success, no retry allowed, attempts
 * spent) never get here. The SDKs do this for SQS `ReceiveMessage`, Step Functions `GetActivityTask` and the two polls
 * of SWF. The SDK for Go always waits as after a failure without throttling; this waits as the retry would have, like
 * all other SDKs. Source: smithy-lang/smithy-kotlin 6373a5f, NewStandardRetryIntegrationTestResources.kt;
 * smithy-lang/smithy-rs 56ee88c, aws/sdk/integration-tests/sqs/tests/long-polling.rs; read 2026-11-20.
 *
 * @category combinators
 */
export const longPolling = (self: TokenBucket.TokenBucket): TokenBucket.TokenBucket => ({
  ...self,
  acquire: (request) =>
    Effect.tap(self.acquire(request), (answer) => (Option.isSome(answer) ? Effect.void : waitInstead(request)))
})

const waitInstead = ({ delay, restore }: TokenBucket.Request): Effect.Effect<void> =>
  Duration.greaterThan(delay, Duration.zero) ? restore(Effect.sleep(delay)) : Effect.void
