/**
 * Retry settings of the library's own tests and documents.
 */
import type { RetrySettings } from "@effect-retry/google"

/** Source: googleapis/sdk-platform-java 56aa343, gax-java, ExponentialRetryAlgorithmTest.java. */
export const fast = {
  maxAttempts: 6,
  initialRetryDelay: 1,
  retryDelayMultiplier: 2,
  maxRetryDelay: 8,
  initialRpcTimeout: 1,
  rpcTimeoutMultiplier: 2,
  maxRpcTimeout: 8,
  totalTimeout: 200
} satisfies RetrySettings.Fields

/** The settings that override the others in the same file. */
export const overriding = {
  maxAttempts: 3,
  initialRetryDelay: 2,
  retryDelayMultiplier: 3,
  maxRetryDelay: 18,
  initialRpcTimeout: 2,
  rpcTimeoutMultiplier: 3,
  maxRpcTimeout: 18,
  totalTimeout: 300
} satisfies RetrySettings.Fields

/** Source: googleapis/sdk-platform-java 56aa343, java-core, ServiceOptions.java. */
export const serviceOptions = {
  maxAttempts: 6,
  initialRetryDelay: 1_000,
  retryDelayMultiplier: 2,
  maxRetryDelay: 32_000,
  totalTimeout: 50_000,
  initialRpcTimeout: 50_000,
  rpcTimeoutMultiplier: 1,
  maxRpcTimeout: 50_000
} satisfies RetrySettings.Fields

/** As generated for the methods of Cloud Asset that are retried. */
export const asset = {
  initialRetryDelay: 100,
  retryDelayMultiplier: 1.3,
  maxRetryDelay: 60_000,
  initialRpcTimeout: 60_000,
  rpcTimeoutMultiplier: 1,
  maxRpcTimeout: 60_000,
  totalTimeout: 60_000
} satisfies RetrySettings.Fields

/** Source: googleapis/sdk-platform-java 56aa343, gax-java, the polling of long-running operations. */
export const polling = {
  initialRetryDelay: 5_000,
  retryDelayMultiplier: 1.5,
  maxRetryDelay: 45_000,
  totalTimeout: 300_000
} satisfies RetrySettings.Fields

/** The delays of all examples of the guide to client-side retries. */
export const guide = {
  initialRetryDelay: 200,
  retryDelayMultiplier: 2,
  maxRetryDelay: 500
} satisfies RetrySettings.Fields
