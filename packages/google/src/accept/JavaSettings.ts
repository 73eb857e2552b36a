/**
 * The settings that Google's Java libraries use by default: `RetrySettings.toPolicy(JavaSettings.http, …)`.
 *
 * @example
 * ```ts
 * import { JavaSettings, RetrySettings } from "@effect-retry/google"
 * import * as assert from "node:assert"
 *
 * const patient = RetrySettings.merge(JavaSettings.http, { maxAttempts: 0, totalTimeout: "2 minutes" })
 *
 * assert.strictEqual(RetrySettings.table(patient, { attemptsTake: 0 }).attempts.length, 8)
 * ```
 */
import type { RetrySettings } from "./RetrySettingsRecord.ts"
import { logicalTimeout, make } from "./RetrySettingsRecord.ts"

/**
 * The libraries over HTTP, Cloud Storage's among them: 6 attempts, delays from 1 second, doubled up to 32 seconds, 50
 * seconds for the whole operation and for each attempt.
 *
 * Source: https://github.com/googleapis/sdk-platform-java, 56aa343, ServiceOptions.java, `getDefaultRetrySettings`.
 *
 * @category constructors
 */
export const http: RetrySettings = /*#__PURE__*/ make({
  .../*#__PURE__*/ logicalTimeout("50 seconds"),
  initialRetryDelay: "1 second",
  retryDelayMultiplier: 2,
  maxRetryDelay: "32 seconds",
  maxAttempts: 6
})

/**
 * The polling of long-running operations: delays from 5 seconds, growing by 1.5 up to 45 seconds, 5 minutes for the
 * whole operation.
 *
 * Source: https://github.com/googleapis/sdk-platform-java, 56aa343, the settings of `OperationTimedPollAlgorithm` in
 * generated clients.
 *
 * @category constructors
 */
export const polling: RetrySettings = /*#__PURE__*/ make({
  totalTimeout: "5 minutes",
  initialRetryDelay: "5 seconds",
  retryDelayMultiplier: 1.5,
  maxRetryDelay: "45 seconds"
})
