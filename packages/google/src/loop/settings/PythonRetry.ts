/**
 * Python's `google.api_core.retry.Retry` and the retries of its Cloud Storage client, in Python's own words.
 *
 * A `PythonRetry` is a record; change it by spread instead of with Python's `with_timeout`, `with_delay` and
 * `with_predicate`. `toPreset` turns it into a policy for `StorageRetry.withRetry`. Python's `retry=None` is `none`. An
 * operation fails with its last error, and not with a `RetryError` as in Python. A request that was not sent, or not
 * processed, is sent again whatever the condition.
 *
 * @example
 * ```ts
 * import { PythonRetry, StorageRetry } from "@effect-retry/google"
 * import { HttpClient, HttpClientResponse } from "@effect/platform"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * let sent = 0
 * const unavailable = HttpClient.make((request) => {
 *   sent += 1
 *   return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: 503 })))
 * })
 * const modified = { ...PythonRetry.ifGenerationSpecified, timeout: "30 seconds" } as const
 * const storage = StorageRetry.withRetry(unavailable, PythonRetry.toPreset(modified))
 *
 * // Without a generation it is sent once.
 * const deleted = storage.del("https://storage.googleapis.com/storage/v1/b/photos/o/cat")
 *
 * Effect.runPromise(deleted).then(() => assert.strictEqual(sent, 1))
 * ```
 */
import type { Classifier } from "@effect-retry/core"
import { Hint, Policy } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Defaults from "../../accept/PythonDefaults.ts"
import * as LibraryTables from "../../classify/LibraryTables.ts"
import * as StorageOperation from "../../classify/StorageOperation.ts"
import * as GoogleBackoff from "../../decide/GoogleBackoff.ts"
import * as StorageIdempotency from "../../decide/StorageIdempotency.ts"
import { until } from "./PythonDeadline.ts"
import type { StoragePreset } from "./StoragePreset.ts"

/**
 * A `Retry`, together with the condition of a `ConditionalRetryPolicy`.
 *
 * @category models
 */
export interface PythonRetry {
  /** Which responses and errors are retryable. */
  readonly predicate: Classifier.Classifier
  /** Which requests are retried at all. */
  readonly condition: StorageIdempotency.StorageIdempotency
  /** The longest delay before the first retry. */
  readonly initial: Duration.DurationInput
  /** The longest delay before any retry. */
  readonly maximum: Duration.DurationInput
  /** At least 0. */
  readonly multiplier: number
  /** How long to retry: zero allows only retries without a wait, and an infinite time is Python's `None`. */
  readonly timeout: Duration.DurationInput
}

/**
 * Python's `if_transient_error`, the default predicate of a `Retry`: 429, 500, 503 and connection errors.
 *
 * Source: https://github.com/googleapis/python-api-core, bfc6651, google/api_core/retry/retry_base.py.
 *
 * @category constructors
 */
export const ifTransientError: Classifier.Classifier = /*#__PURE__*/ LibraryTables.only([429, 500, 503])

/**
 * The predicate of Cloud Storage's client: 408, 429, 500, 502, 503, 504 and connection errors.
 *
 * Source: https://github.com/googleapis/python-storage, ab4997c, google/cloud/storage/retry.py, `_should_retry`.
 *
 * @category constructors
 */
export const shouldRetry: Classifier.Classifier = /*#__PURE__*/ LibraryTables.only(LibraryTables.common)

/**
 * `DEFAULT_RETRY`: every request, exponential from 1 second by 2 up to 60 seconds, full jitter, for 2 minutes.
 *
 * Source: https://github.com/googleapis/python-storage, ab4997c, google/cloud/storage/retry.py.
 *
 * @category constructors
 */
export const standard: PythonRetry = {
  predicate: shouldRetry,
  condition: StorageIdempotency.always,
  initial: Defaults.initial,
  maximum: Defaults.maximum,
  multiplier: Defaults.multiplier,
  timeout: Defaults.timeout
}

const onlyWith = (
  ...preconditions: ReadonlyArray<StorageOperation.Precondition>
): StorageIdempotency.StorageIdempotency =>
  StorageIdempotency.make({
    strategy: "conditional",
    operations: Object.fromEntries(
      StorageOperation.names.map((name) => [name, preconditions])
    ) as StorageIdempotency.Rules["operations"]
  })

/**
 * `DEFAULT_RETRY_IF_GENERATION_SPECIFIED`: `standard` for requests with `generation` or `ifGenerationMatch` in their query.
 *
 * Source: https://github.com/googleapis/python-storage, ab4997c, google/cloud/storage/retry.py, `is_generation_specified`.
 *
 * @category constructors
 */
export const ifGenerationSpecified: PythonRetry = {
  ...standard,
  condition: /*#__PURE__*/ onlyWith("ifGenerationMatch", "generation")
}

/**
 * `DEFAULT_RETRY_IF_METAGENERATION_SPECIFIED`: `standard` for requests with `ifMetagenerationMatch` in their query.
 *
 * Source: https://github.com/googleapis/python-storage, ab4997c, google/cloud/storage/retry.py,
 * `is_metageneration_specified`.
 *
 * @category constructors
 */
export const ifMetagenerationSpecified: PythonRetry = {
  ...standard,
  condition: /*#__PURE__*/ onlyWith("ifMetagenerationMatch")
}

/**
 * `DEFAULT_RETRY_IF_ETAG_IN_JSON`: `standard` for requests with the key `etag` in their JSON body.
 *
 * Departure: an `etag` without a value counts in Python but not here.
 * Source: https://github.com/googleapis/python-storage, ab4997c, google/cloud/storage/retry.py, `is_etag_in_data`.
 *
 * @category constructors
 */
export const ifEtagInJson: PythonRetry = { ...standard, condition: /*#__PURE__*/ onlyWith("etag") }

/**
 * `retry=None`: one attempt.
 *
 * @category constructors
 */
export const none: StoragePreset = {
  classifier: shouldRetry,
  idempotency: StorageIdempotency.never,
  ...Policy.once,
  hint: Hint.ignore
}

/**
 * Checks a retry for payloads, the uploads and downloads of objects. Throws an `InvalidArgument` if its predicate is not
 * `shouldRetry`.
 *
 * Before version 3.0, the client for Python uses delays and timeout for payloads, but silently keeps its own predicate.
 * Source: https://github.com/googleapis/python-storage, f3517bfc^, google/cloud/storage/_helpers.py,
 * `_api_core_retry_to_resumable_media_retry`.
 *
 * @category guards
 */
export const forPayload = (self: PythonRetry): PythonRetry =>
  checked("PythonRetry.forPayload", self).predicate === shouldRetry
    ? self
    : Argument.refuse("PythonRetry.forPayload", "predicate", "shouldRetry, the only one for payloads", "another one")

/**
 * Turns a retry into a policy. A wait that would pass the timeout is refused; one that ends on it is not.
 *
 * @category conversions
 */
export const toPreset = (self: PythonRetry): StoragePreset => {
  const { condition, initial, maximum, multiplier, predicate, timeout } = checked("PythonRetry.toPreset", self)
  return {
    classifier: predicate,
    idempotency: condition,
    maxAttempts: Infinity,
    backoff: GoogleBackoff.python({ initial, maximum, multiplier }),
    hint: Hint.ignore,
    ...(isInfinite(timeout) ? {} : { deadline: until(timeout) })
  }
}

const isInfinite = (timeout: Duration.DurationInput): boolean =>
  Option.exists(Argument.decode(timeout), (duration) => !Duration.isFinite(duration))

const nonNegative = { min: 0 } satisfies Argument.Range

const isRules = (condition: StorageIdempotency.StorageIdempotency): boolean =>
  Predicate.isRecord(condition) && Predicate.isFunction(condition.rule) && Predicate.isRecord(condition.rules)

const checked = (owner: string, retry: PythonRetry): PythonRetry => {
  if (!Predicate.isRecord(retry)) return Argument.refuse(owner, "self", "a record like PythonRetry.standard", retry)
  if (!Predicate.isFunction(retry.predicate)) Argument.refuse(owner, "predicate", "a classifier", retry.predicate)
  if (!isRules(retry.condition)) {
    Argument.refuse(owner, "condition", "rules of StorageIdempotency", retry.condition)
  }
  Argument.millis(owner, "initial", retry.initial, nonNegative)
  Argument.millis(owner, "maximum", retry.maximum, nonNegative)
  Argument.number(owner, "multiplier", retry.multiplier, nonNegative)
  if (!isInfinite(retry.timeout)) Argument.millis(owner, "timeout", retry.timeout, nonNegative)
  return retry
}
