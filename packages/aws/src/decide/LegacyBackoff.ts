/**
 * Back-offs of the legacy modes of the AWS SDKs, each with its own formula.
 *
 * The SDKs for Kotlin, JavaScript, Go, Rust and Swift have no legacy mode.
 */
import { Backoff, Curve, Jitter } from "@effect-retry/core"
import { times } from "@effect-retry/core/unstable/Millis"

/**
 * botocore's. Formula, for retry `n`: `u * 2^(n - 1)` seconds, without a cap.
 *
 * Source: boto/botocore 1.43.107, botocore/retryhandler.py and botocore/data/_retry.json, read 2026-11-20.
 *
 * @category constructors
 */
export const botocore: Backoff.Backoff = /*#__PURE__*/ Backoff.jittered(
  /*#__PURE__*/ Backoff.exponential({ base: "1 second" }),
  Jitter.full
)

/**
 * botocore's for DynamoDB. Formula, for retry `n`: `0.05 * 2^(n - 1)` seconds, without jitter and without a cap.
 *
 * Source: boto/botocore 1.43.107, botocore/data/_retry.json, read 2026-11-20.
 *
 * @category constructors
 */
export const botocoreDynamodb: Backoff.Backoff = /*#__PURE__*/ Backoff.exponential({ base: "50 millis" })

/**
 * Java's. Formula, for retry `n`: full jitter under `min(100 ms * 2^(n - 1), 20 s)`; after a throttling failure equal jitter
 * under `min(500 ms * 2^(n - 1), 20 s)`.
 *
 * Source: aws/aws-sdk-java-v2, core/retries, LegacyRetryStrategy, read 2026-11-20.
 *
 * @category constructors
 */
export const java: Backoff.Backoff = /*#__PURE__*/ Backoff.capped(
  /*#__PURE__*/ Backoff.byKind({
    Throttling: /*#__PURE__*/ Backoff.jittered(/*#__PURE__*/ Backoff.exponential({ base: "500 millis" }), Jitter.equal),
    orElse: /*#__PURE__*/ Backoff.jittered(/*#__PURE__*/ Backoff.exponential({ base: "100 millis" }), Jitter.full)
  }),
  "20 seconds"
)

/**
 * Ruby's. Formula, for retry `n`: `0.3 * 2^(n - 1)` seconds, without a cap and, by default, without jitter.
 *
 * Ruby's `retry_jitter` is `Backoff.jittered` with `Jitter.equal` or `Jitter.full`, its `retry_max_delay` `Backoff.capped`.
 * Source: aws/aws-sdk-ruby 006d633, plugins/retry_errors.rb, read 2026-11-20.
 *
 * @category constructors
 */
export const ruby: Backoff.Backoff = /*#__PURE__*/ Backoff.exponential({ base: "300 millis" })

const phpBound = (n: number, capMillis: number) => Math.floor(Math.min(times(100, 2 ** (n - 1)), 20_000, capMillis))

/**
 * PHP's. Formula, for retry `n`: a whole number of milliseconds in `[0, min(100 * 2^(n - 1), 20000)]`, all equally likely.
 *
 * Draws by itself: `Backoff.jittered` refuses it.
 * Source: aws/aws-sdk-php 00bc53f, src/RetryMiddleware.php, read 2026-11-20.
 *
 * @category constructors
 */
export const php: Backoff.Backoff = /*#__PURE__*/ Backoff.fromCurve(
  /*#__PURE__*/ Curve.fromDraw({
    name: "awsPhp",
    delayMillis: (n, capMillis, u) => Math.min(Math.floor(u * (phpBound(n, capMillis) + 1)), phpBound(n, capMillis)),
    intervalMillis: (n, capMillis) => [0, phpBound(n, capMillis)]
  })
)

/**
 * C++'s. Formula: no wait before the first retry, then `25 ms * 2^(n - 1)` for retry `n`, without jitter and without a cap.
 *
 * Source: aws/aws-sdk-cpp, DefaultRetryStrategy.h (`maxRetries = 10`, `scaleFactor = 25`) and DefaultRetryStrategy.cpp
 * (`(1 << attemptedRetries) * m_scaleFactor`, and 0 for the first), read 2026-11-22.
 *
 * @category constructors
 */
export const cpp: Backoff.Backoff = /*#__PURE__*/ Backoff.fromCurve(
  /*#__PURE__*/ Curve.fromFunction("awsCpp", (n) => (n === 1 ? 0 : times(25, 2 ** (n - 1))))
)
