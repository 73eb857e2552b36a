/**
 * The SDK for Kotlin's check whether an error is retryable.
 *
 * Second stage of the flow.
 */
import * as Duration from "effect/Duration"
import * as AwsClassifier from "./AwsClassifier.ts"

/**
 * Whether the SDK for Kotlin retries an error: by its code, its status, its flags or a failed connection. A caller that
 * has caught an error can use it to find out whether the operation could have been retried.
 *
 * In Kotlin `sdkErrorMetadata.isRetryable` reads only the flag; that is `AwsError.read(error).isRetryable`.
 * Never throws.
 *
 * @category guards
 */
export const isRetryable = (error: unknown): boolean => AwsClassifier.kotlin(error, anyMoment)._tag === "Retryable"

/** Kotlin's table does not read the clock. */
const anyMoment = { nowMillis: NaN, attempt: 1, elapsed: Duration.zero }
