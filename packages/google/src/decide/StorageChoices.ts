/**
 * Which operations the client libraries of Cloud Storage repeat, if they are stricter or looser than the documented table.
 *
 * Each value is a policy's `idempotency`: `StorageRetry.withRetry({ idempotency:
 * StorageChoices.python })`. Anything that a library does not specify, and operations that it does not have, are as in
 * `StorageIdempotency.standard`.
 *
 * @example
 * ```ts
 * import { StorageChoices, StorageIdempotency } from "@effect-retry/google"
 * import * as assert from "node:assert"
 *
 * const call = { operation: "buckets.delete" } as const
 * const decisions = [StorageChoices.go, StorageChoices.cpp].map((choice) =>
 *   StorageIdempotency.format(StorageIdempotency.decide(choice, call))
 * )
 * assert.deepStrictEqual(decisions, [
 *   "retried: buckets.delete may always be repeated",
 *   "not retried: buckets.delete without ifMetagenerationMatch or If-Match"
 * ])
 * ```
 */
import * as StorageOperation from "../classify/StorageOperation.ts"
import { make, type Rules, standard, type StorageIdempotency } from "./StorageIdempotency.ts"

const choice = (operations: Partial<Rules["operations"]>): StorageIdempotency =>
  make({ strategy: "conditional", operations: { ...standard.rules.operations, ...operations } })

/** The client does not know the header `If-Match`. */
const withoutHeader = {
  "buckets.update": ["ifMetagenerationMatch"],
  "buckets.patch": ["ifMetagenerationMatch"],
  "buckets.setIamPolicy": ["etag"],
  "hmacKey.update": ["etag"],
  "objects.update": ["ifMetagenerationMatch"],
  "objects.patch": ["ifMetagenerationMatch"]
} as const satisfies Partial<Rules["operations"]>

/**
 * The client for Java: an `etag` counts only in an IAM policy, so updates of HMAC keys are never repeated; the deletion
 * of a given generation is not repeated without `ifGenerationMatch`.
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
 * The client for Python before 3.0: `generation` counts like `ifGenerationMatch`, and an `etag` only in the body.
 *
 * Source: googleapis/python-storage ab4997c, retry.py, `ConditionalRetryPolicy`, and its CHANGELOG.md, "3.0.0".
 *
 * @category constructors
 */
export const python2: StorageIdempotency = /*#__PURE__*/ choice(python2Rules)

/**
 * The client for Python since 3.0: uploads, deletions of objects and patches of their metadata are repeated without any
 * precondition. Each repetition of an upload may create another generation.
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

const anEtag = ["etag"] as const

/** The client sends these requests without retries, whatever the strategy. */
const neverOfNode = {
  "buckets.setIamPolicy": anEtag,
  "bucket_acl.insert": "never",
  "default_object_acl.insert": "never",
  "object_acl.insert": "never",
  "notifications.insert": "never",
  "hmacKey.create": "never"
} as const satisfies Partial<Rules["operations"]>

const metageneration = ["ifMetagenerationMatch"] as const

const nodeRules = {
  ...neverOfNode,
  .../*#__PURE__*/ changedEntries("bucket_acl"),
  .../*#__PURE__*/ changedEntries("default_object_acl"),
  .../*#__PURE__*/ changedEntries("object_acl"),
  "buckets.patch": metageneration,
  "hmacKey.update": "never",
  "objects.patch": metageneration,
  "objects.delete": ["ifGenerationMatch"]
} as const satisfies Partial<Rules["operations"]>

function changedEntries(name: AccessControls): Partial<Rules["operations"]> {
  return { [`${name}.update`]: "always", [`${name}.delete`]: "always" }
}

/**
 * The client for Node under `RetryConditional`, its default: writes and deletions of ACL entries are always repeated,
 * updates of HMAC keys never, and the deletion of an object needs `ifGenerationMatch`.
 *
 * Objects are inserted as by its `save`; a stream of `createWriteStream` is sent only once unless it is resumable.
 * Requests to a session are as in `StorageIdempotency.standard`; the client uses the precondition of the session's
 * start, which such requests do not carry.
 *
 * Source: `@google-cloud/storage` 7.22.0, which the tests run.
 *
 * @category constructors
 */
export const node: StorageIdempotency = /*#__PURE__*/ choice(nodeRules)

/**
 * The client for Node under `RetryAlways`, which does not repeat everything: the creation of ACL entries, notifications
 * and HMAC keys is sent once, and the write of an IAM policy is repeated only with an `etag`. Operations that the
 * client does not have are repeated.
 *
 * Source: as of `node`.
 *
 * @category constructors
 */
export const nodeAlways: StorageIdempotency = /*#__PURE__*/ choice({
  .../*#__PURE__*/ each(StorageOperation.names, "always"),
  ...neverOfNode
})

/**
 * The client for Node under `RetryNever`, which still repeats operations that need no precondition under
 * `RetryConditional`, and the write of an IAM policy with an `etag`. `StorageIdempotency.never` repeats nothing.
 *
 * Source: as of `node`.
 *
 * @category constructors
 */
export const nodeNever: StorageIdempotency = /*#__PURE__*/ choice({
  ...nodeRules,
  .../*#__PURE__*/ each(
    [
      "buckets.update",
      "buckets.patch",
      "objects.insert",
      "objects.update",
      "objects.patch",
      "objects.delete",
      "objects.compose",
      "objects.copy",
      "objects.rewrite",
      "objects.move",
      "resumable.session.create"
    ],
    "never"
  )
})

function each(
  names: ReadonlyArray<StorageOperation.StorageOperation>,
  repetition: StorageOperation.Repetition
): Partial<Rules["operations"]> {
  return Object.fromEntries(names.map((name) => [name, repetition]))
}

/**
 * The client for Go under `RetryIdempotent`: an `etag` counts in an IAM policy and in an update of an HMAC key, but not
 * as a header.
 *
 * Source: googleapis/google-cloud-go, storage/bucket.go, storage.go, iam.go and hmac.go, `isIdempotent`, read 2026-11-22.
 *
 * @category constructors
 */
export const go: StorageIdempotency = /*#__PURE__*/ choice(withoutHeader)

const ofHeader = ["If-Match"] as const

/**
 * The client for C++ under its strict policy of 2018: deletions of buckets and notifications need a precondition; with
 * `If-Match`, the creation of notifications and writes of ACL entries are repeated.
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

type AccessControls = "bucket_acl" | "default_object_acl" | "object_acl"

function entriesByHeader(name: AccessControls): Partial<Rules["operations"]> {
  return {
    [`${name}.insert`]: ofHeader,
    [`${name}.update`]: ofHeader,
    [`${name}.patch`]: ofHeader,
    [`${name}.delete`]: ofHeader
  }
}
