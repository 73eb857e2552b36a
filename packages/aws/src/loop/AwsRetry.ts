/**
 * The retry modes of the AWS SDKs as plain policies: `Retry.retry(effect, AwsRetry.standard)`.
 *
 * A policy names its bucket and its rate limiter by a tag, and a layer provides them: programs share a quota exactly when
 * they share the layer. Change the bucket, the attempts or the observers by spread: `{ ...AwsRetry.standard, bucket }`.
 *
 * An operation goes through these steps: the rate limiter grants the attempt, the attempt runs, and limiter and quota
 * record how it ended. The operation stops if the failure is not retryable, if the attempts are spent or if the quota is
 * short, in this order; otherwise it waits and makes the next attempt. In adaptive mode the limiter records every
 * response, and is asked after the wait. A success returns only the tokens of its last retry.
 *
 * @example
 * ```ts
 * import { AwsQuota, AwsRetry } from "@effect-retry/aws"
 * import { RateLimiter, Retry, TokenBucket } from "@effect-retry/core"
 * import { Effect, Layer } from "effect"
 * import * as assert from "node:assert"
 *
 * let calls = 0
 * const put = Effect.suspend(() =>
 *   ++calls < 2 ? Effect.fail({ name: "ThrottlingException", $metadata: { httpStatusCode: 400 } }) : Effect.succeed("put")
 * )
 *
 * // One limiter per table: the key is `TokenBucket.Key` of the operation's context.
 * const sendRate = TokenBucket.keyed({ bucket: RateLimiter.adaptive(), maxKeys: 100, idleTimeToLive: "1 hour" })
 * const layer = Layer.merge(
 *   Layer.effect(AwsRetry.Quota, AwsQuota.standard),
 *   Layer.effect(AwsRetry.SendRate, sendRate)
 * )
 * const program = Retry.retry(put, { ...AwsRetry.adaptive, maxAttempts: 4 }).pipe(
 *   Effect.provideService(TokenBucket.Key, "orders"),
 *   Effect.provide(layer)
 * )
 *
 * Effect.runPromise(program).then((result) => assert.strictEqual(result, "put"))
 * ```
 */
import { Hint, type TokenBucket } from "@effect-retry/core"
import * as Context from "effect/Context"
import * as AwsClassifier from "../classify/AwsClassifier.ts"
import * as AwsBackoff from "../decide/AwsBackoff.ts"
import * as LegacyBackoff from "../decide/LegacyBackoff.ts"

/**
 * The retry quota of the presets: `Layer.effect(AwsRetry.Quota, AwsQuota.standard)`.
 *
 * The SDKs have one quota per client. One per service and region, as in the SDK for Rust, lets a failing service stop all
 * clients' retries sooner; one per key is `TokenBucket.keyed`.
 *
 * @category models
 */
export class Quota extends Context.Tag("@effect-retry/aws/AwsRetry/Quota")<Quota, TokenBucket.TokenBucket>() {}

/**
 * The rate limiter of adaptive mode: `Layer.effect(AwsRetry.SendRate, RateLimiter.adaptive())`.
 *
 * A throttle of one resource slows down all attempts that share the limiter: provide one per resource, or
 * `TokenBucket.keyed` with a key per table or bucket.
 *
 * @category models
 */
export class SendRate extends Context.Tag("@effect-retry/aws/AwsRetry/SendRate")<SendRate, TokenBucket.TokenBucket>() {}

/** The window within which the server's hint is followed. */
const retryAfter: Hint.Hint = /*#__PURE__*/ Hint.within({ above: "5 seconds" })

/**
 * Standard mode since the 2026 revision (2.1): 3 attempts, `AwsBackoff.standard`, `x-amz-retry-after` followed up to 5
 * seconds above the delay; with `AwsQuota.standard`.
 *
 * Source: AWS SDKs and Tools reference guide, "Retry behavior",
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20.
 *
 * @category constructors
 */
export const standard = {
  classifier: AwsClassifier.standard,
  maxAttempts: 3,
  backoff: AwsBackoff.standard,
  hint: retryAfter,
  bucket: Quota
}

/**
 * Adaptive mode: `standard` with a rate limiter that is asked before every attempt, and may delay even the first one.
 *
 * There is no limit until the server throttles. With a limiter that refuses instead of waiting (`whenShort: "refuse"`),
 * a refused first attempt fails with `AttemptRefused`.
 *
 * @category constructors
 */
export const adaptive = { ...standard, rateLimiter: SendRate }

/**
 * `standard` for DynamoDB and DynamoDB Streams: 4 attempts, and 25 milliseconds in place of 50.
 *
 * Source: boto/botocore 1.43.107, tests/unit/retries/test_standard_retry_v2_1.py, `TestServiceSpecificRetries`.
 *
 * @category constructors
 */
export const dynamodb = { ...standard, maxAttempts: 4, backoff: AwsBackoff.dynamodb }

/**
 * `standard` for STS: judged by `AwsClassifier.sts`, where `IDPCommunicationError` is transient.
 *
 * botocore and the SDKs for Swift and Java also have that code only for STS; the SDK for Kotlin has it for every
 * service, as in `AwsClassifier.kotlin`.
 *
 * @category constructors
 */
export const sts = { ...standard, classifier: AwsClassifier.sts }

/**
 * The SDK for JavaScript v3 in standard mode, exactly: its classification, where status 429 is a throttle even without a
 * code, its headers, and delays rounded down to whole milliseconds; with `AwsQuota.standard`. For `SdkRetryStrategy.make`
 * and for calls of a client of the SDK. Its adaptive mode is `{ ...AwsRetry.javascript, rateLimiter: AwsRetry.SendRate }`.
 *
 * It knows only the SDK's errors: around another HTTP client, use `standard`.
 * Source: `@smithy/core` 3.41.0, submodules/retry, read 2026-11-24; tests run both side by side.
 *
 * @category constructors
 */
export const javascript = { ...standard, classifier: AwsClassifier.javascript, backoff: AwsBackoff.javascript }

/**
 * `javascript` for the SDK's clients of DynamoDB and DynamoDB Streams: 4 attempts, and 25 milliseconds instead of 50.
 *
 * Source: `@aws-sdk/client-dynamodb` 3.1162.0, `DynamoDBClient`, read 2026-11-24.
 *
 * @category constructors
 */
export const javascriptDynamodb = { ...javascript, maxAttempts: 4, backoff: AwsBackoff.javascriptDynamodb }

/**
 * Standard mode before the 2026 revision (2.0), according to the guide: 3 attempts, `AwsBackoff.standard2020`, no
 * hints; with `AwsQuota.standard2020`. Its adaptive form is `{ ...AwsRetry.standard2020, rateLimiter: AwsRetry.SendRate
 * }`.
 *
 * The SDKs' own back-offs differ: `{ ...AwsRetry.standard2020, backoff: AwsBackoff.go2020 }`. So do their hints:
 * botocore and Go had none; Rust read `x-amz-retry-after`, as the classifier of `standard` does, and used it instead of
 * the delay: `hint: Hint.override({ atMost: "20 seconds", otherwise: "clamp" })`.
 *
 * @category constructors
 */
export const standard2020 = {
  ...standard,
  classifier: AwsClassifier.guide,
  backoff: AwsBackoff.standard2020,
  hint: Hint.ignore
}

/**
 * botocore's legacy mode: 5 attempts, no quota.
 *
 * Source: boto/botocore 1.43.107, botocore/retryhandler.py and botocore/data/_retry.json, read 2026-11-20.
 *
 * @category constructors
 */
export const legacyBotocore = {
  classifier: AwsClassifier.botocoreLegacy,
  maxAttempts: 5,
  backoff: LegacyBackoff.botocore,
  hint: Hint.ignore
}

/**
 * botocore's legacy mode for DynamoDB: 10 attempts, no jitter.
 *
 * @category constructors
 */
export const legacyBotocoreDynamodb = {
  ...legacyBotocore,
  maxAttempts: 10,
  backoff: LegacyBackoff.botocoreDynamodb
}

/**
 * Java's legacy mode: 4 attempts; with `AwsQuota.legacyJava`, where a retry after throttling costs nothing.
 *
 * Source: aws/aws-sdk-java-v2, core/retries, LegacyRetryStrategy, read 2026-11-20.
 *
 * @category constructors
 */
export const legacyJava = { ...standard2020, maxAttempts: 4, backoff: LegacyBackoff.java }

/**
 * Ruby's legacy mode: 4 attempts (`retry_limit` 3), no quota. Uses the guide's table, as the modes of PHP and C++ do;
 * the SDKs' own lists of errors differ in part.
 *
 * Source: aws/aws-sdk-ruby 006d633, plugins/retry_errors.rb, read 2026-11-20.
 *
 * @category constructors
 */
export const legacyRuby = {
  classifier: AwsClassifier.guide,
  maxAttempts: 4,
  backoff: LegacyBackoff.ruby,
  hint: Hint.ignore
}

/**
 * PHP's legacy mode: 4 attempts (3 retries), no quota.
 *
 * Source: aws/aws-sdk-php 00bc53f, src/RetryMiddleware.php, read 2026-11-20.
 *
 * @category constructors
 */
export const legacyPhp = { ...legacyRuby, backoff: LegacyBackoff.php }

/**
 * C++'s legacy mode: 11 attempts (`maxRetries` 10), no quota.
 *
 * Source: aws/aws-sdk-cpp, DefaultRetryStrategy.h, read 2026-11-22.
 *
 * @category constructors
 */
export const legacyCpp = { ...legacyRuby, maxAttempts: 11, backoff: LegacyBackoff.cpp }
