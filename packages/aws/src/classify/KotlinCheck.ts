/**
 * The check of the SDK for Kotlin whether an error is retryable.
 *
 * First stage of the flow.
 */
import * as Duration from "effect/Duration"
import * as AwsClassifier from "./AwsClassifier.ts"

/**
 * Whether the SDK for Kotlin retries an error: by its code, its status, its flags or a failed connection. A caller that has
 * caught an error learns by it whether the operation could have been retried.
 *
 * In Kotlin `sdkErrorMetadata.isRetryable` reads the flag alone; that is `AwsError.read(error).isRetryable`.
 * Never throws.
 *
 * @category guards
 */
export const isRetryable = (error: unknown): boolean => AwsClassifier.kotlin(error, anyMoment)._tag === "Retryable"

/** The table of Kotlin reads no clock. */
const anyMoment = { nowMillis: NaN, attempt: 1, elapsed: Duration.zero }
