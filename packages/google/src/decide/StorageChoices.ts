/**
 * What the client libraries of Cloud Storage repeat, where they are stricter or looser than the documented table.
 *
 * Second stage of the flow. Each value is a policy's `idempotency`: `StorageRetry.withRetry({ idempotency:
 * StorageChoices.python })`. What a library does not say, and operations that it does not have, are as in
 * `StorageIdempotency.standard`.
 *
 * @example
 * ```ts
 * import { StorageChoices, StorageIdempotency } from "@effect-retry/google"
 * import * as assert from "node:assert"
 *
 * const call = { operation: "buckets.delete" } as const
 * const decisions = [StorageChoices.go, StorageChoices.node].map((choice) =>
 *   StorageIdempotency.format(StorageIdempotency.decide(choice, call))
 * )
 * assert.deepStrictEqual(decisions, [
 *   "retried: buckets.delete may always be repeated",
 *   "not retried: buckets.delete without ifMetagenerationMatch"
 * ])
 * ```
 */
import { make, type Rules, standard, type StorageIdempotency } from "./StorageIdempotency.ts"

const choice = (operations: Partial<Rules["operations"]>): StorageIdempotency =>
  make({ strategy: "conditional", operations: { ...standard.rules.operations, ...operations } })

/** The header `If-Match` is not known there. */
const withoutHeader = {
  "buckets.update": ["ifMetagenerationMatch"],
  "buckets.patch": ["ifMetagenerationMatch"],
  "buckets.setIamPolicy": ["etag"],
  "hmacKey.update": ["etag"],
  "objects.update": ["ifMetagenerationMatch"],
  "objects.patch": ["ifMetagenerationMatch"]
} as const satisfies Partial<Rules["operations"]>

/**
 * The client for Java: an `etag` counts only in an IAM policy, so that updates of HMAC keys are never repeated; the deletion of
 * a given generation is not repeated without `ifGenerationMatch`.
 *
 * Source: googleapis/java-storage 679cddd, HttpRetryAlgorithmManager.java.
 *
 * @category constructors
 */
export const java: StorageIdempotency = /*#__PURE__*/ choice({
  ...withoutHeader,
  "hmacKey.update": "never",
  "objects.delete": ["ifGenerationMatch"]
})

const generation = ["ifGenerationMatch", "generation"] as const

const python2Rules = {
  ...withoutHeader,
  "objects.insert": generation,
  "objects.delete": generation,
  "objects.compose": generation,
  "objects.copy": generation,
  "objects.rewrite": generation,
  "objects.move": generation,
  "objects.restore": generation,
  "resumable.session.create": generation
} as const satisfies Partial<Rules["operations"]>

/**
 * The client for Python before 3.0: `generation` counts wherever `ifGenerationMatch` does, and an `etag` only in the body.
 *
 * Source: googleapis/python-storage ab4997c, retry.py, `ConditionalRetryPolicy`, and its CHANGELOG.md, "3.0.0".
 *
 * @category constructors
 */
export const python2: StorageIdempotency = /*#__PURE__*/ choice(python2Rules)

/**
 * The client for Python since 3.0: uploads, deletions of objects and patches of their metadata are repeated without any
 * precondition. Each repetition of an upload can make another generation.
 *
 * Source: googleapis/python-storage ab4997c, blob.py, `upload_from_file` and `delete`, and _helpers.py, `patch`.
 *
 * @category constructors
 */
export const python: StorageIdempotency = /*#__PURE__*/ choice({
  ...python2Rules,
  "objects.insert": "always",
  "objects.delete": "always",
  "objects.patch": "always",
  "resumable.session.create": "always"
})

/**
 * The client for Node: the deletion of a bucket needs `ifMetagenerationMatch`, that of an object `ifGenerationMatch`; updates of
 * HMAC keys are repeated under `StorageIdempotency.always` alone.
 *
 * Source: `@google-cloud/storage` 7.22.0, bucket.js and file.js, `disableAutoRetryConditionallyIdempotent_`, hmacKey.js and
 * iam.js, read 2026-11-22.
 *
 * @category constructors
 */
export const node: StorageIdempotency = /*#__PURE__*/ choice({
  ...withoutHeader,
  "buckets.delete": ["ifMetagenerationMatch"],
  "hmacKey.update": "never",
  "objects.delete": ["ifGenerationMatch"]
})

/**
 * The client for Go under `RetryIdempotent`: an `etag` counts in an IAM policy and in an update of an HMAC key, and not as a
 * header.
 *
 * Source: googleapis/google-cloud-go, storage/bucket.go, storage.go, iam.go and hmac.go, `isIdempotent`, read 2026-11-22.
 *
 * @category constructors
 */
export const go: StorageIdempotency = /*#__PURE__*/ choice(withoutHeader)

const ofHeader = ["If-Match"] as const

/**
 * The client for C++ under its strict policy of 2018: deletions of buckets and notifications need a precondition; with
 * `If-Match`, notifications are created and entries of ACLs written again.
 *
 * Source: googleapis/google-cloud-cpp 0377558, google/cloud/storage/idempotency_policy.cc, `StrictIdempotencyPolicy`.
 *
 * @category constructors
 */
export const cpp: StorageIdempotency = /*#__PURE__*/ choice({
  "buckets.delete": ["ifMetagenerationMatch", "If-Match"],
  "buckets.setIamPolicy": ofHeader,
  "objects.delete": ["ifGenerationMatch"],
  "notifications.insert": ofHeader,
  "notifications.delete": ofHeader,
  .../*#__PURE__*/ entriesByHeader("bucket_acl"),
  .../*#__PURE__*/ entriesByHeader("default_object_acl"),
  .../*#__PURE__*/ entriesByHeader("object_acl")
})

function entriesByHeader(name: "bucket_acl" | "default_object_acl" | "object_acl"): Partial<Rules["operations"]> {
  return {
    [`${name}.insert`]: ofHeader,
    [`${name}.update`]: ofHeader,
    [`${name}.patch`]: ofHeader,
    [`${name}.delete`]: ofHeader
  }
}
