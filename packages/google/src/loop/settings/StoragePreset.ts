/**
 * A preset that also says what is retryable, and which requests may be repeated.
 */
import type { Classifier, Policy } from "@effect-retry/core"
import type { StorageIdempotency } from "../../decide/StorageIdempotency.ts"

/**
 * A policy for `StorageRetry.withRetry`, to change by spread; `E2` is the error that it adds.
 *
 * @category models
 */
export interface StoragePreset<out E2 = never> extends Policy.Preset<E2> {
  readonly classifier: Classifier.Classifier
  readonly idempotency: StorageIdempotency
}
