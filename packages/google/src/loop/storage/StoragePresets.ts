/**
 * The policies of Google's client libraries for Cloud Storage, by language: how often and how long, after which
 * failures, and which operations; for `StorageRetry.withRetry`.
 *
 * The numbers are those of `Presets`, the operations those of `StorageChoices`. All of them retry connection errors,
 * and none follows the server's hints; set `hint` and `classifier` to follow them. Further errors that a library
 * retries in its own language have no counterpart here.
 *
 * @example
 * ```ts
 * import { StorageChoices, StoragePresets, StorageRetry } from "@effect-retry/google"
 * import { HttpClient, HttpClientResponse } from "@effect/platform"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * let sent = 0
 * const notImplemented = HttpClient.make((request) => {
 *   sent += 1
 *   return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: 501 })))
 * })
 * // The client for Node with RetryAlways.
 * const policy = { ...StoragePresets.node, idempotency: StorageChoices.nodeAlways }
 * const read = StorageRetry.withRetry(notImplemented, policy).get("https://storage.googleapis.com/storage/v1/b/photos")
 *
 * // Only the client for Go retries a 501.
 * Effect.runPromise(read).then(() => assert.strictEqual(sent, 1))
 * ```
 */
import type { AttemptTimeout } from "@effect-retry/core"
import * as LibraryTables from "../../classify/LibraryTables.ts"
import * as StorageChoices from "../../decide/StorageChoices.ts"
import * as StorageIdempotency from "../../decide/StorageIdempotency.ts"
import * as Presets from "../settings/Presets.ts"
import * as PythonRetry from "../settings/PythonRetry.ts"
import type { StoragePreset } from "../settings/StoragePreset.ts"

export type { StoragePreset } from "../settings/StoragePreset.ts"

/**
 * The client for Java: `Presets.javaHttp` and `StorageChoices.java`, after 408, 429, 500, 502, 503, 504 and the reasons
 * `internalError` and `connectionClosedPrematurely`.
 *
 * Source: https://github.com/googleapis/java-storage, 679cddd, DefaultStorageRetryStrategy.java and StorageException.java.
 *
 * @category constructors
 */
export const java: StoragePreset<AttemptTimeout.AttemptTimedOut> = {
  ...Presets.javaHttp,
  classifier: /*#__PURE__*/ LibraryTables.only(LibraryTables.common, {
    internalError: "Server",
    connectionClosedPrematurely: "Transient"
  }),
  idempotency: StorageChoices.java
}

/**
 * The client for Python since 3.0: `Presets.python` and `StorageChoices.python`, after `PythonRetry.shouldRetry`.
 *
 * Source: https://github.com/googleapis/python-storage, ab4997c, google/cloud/storage/retry.py.
 *
 * @category constructors
 */
export const python: StoragePreset = {
  ...Presets.python,
  classifier: PythonRetry.shouldRetry,
  idempotency: StorageChoices.python
}

/**
 * The client for Go: `Presets.go`, which never ends, and `StorageChoices.go`, after 408, 429 and every 5xx.
 *
 * Source: https://github.com/googleapis/google-cloud-go, storage/invoke.go, `ShouldRetry`, read 2026-11-22.
 *
 * @category constructors
 */
export const go: StoragePreset = {
  ...Presets.go,
  classifier: /*#__PURE__*/ LibraryTables.only([
    408,
    429,
    .../*#__PURE__*/ Array.from({ length: 100 }, (_, index) => 500 + index)
  ]),
  idempotency: StorageChoices.go
}

/**
 * The client for Node: `Presets.nodeStorage` and `StorageChoices.node`, after 408, 429, 500, 502, 503 and 504.
 *
 * Source: https://github.com/googleapis/nodejs-storage, 7.22.0, src/storage.ts, `RETRYABLE_ERR_FN_DEFAULT`.
 *
 * @category constructors
 */
export const node: StoragePreset = {
  ...Presets.nodeStorage,
  classifier: /*#__PURE__*/ LibraryTables.only(LibraryTables.common),
  idempotency: StorageChoices.node
}

/**
 * The client for C++: `Presets.cppStorage` and `StorageIdempotency.always`, after 408, 429, 500, 502, 503 and 504.
 *
 * Repeats every operation, as that client does by default, so a write is carried out twice if its answer was lost. Its
 * strict policy is `{ ...StoragePresets.cpp, idempotency: StorageChoices.cpp }`. Sources:
 * https://cloud.google.com/storage/docs/retry-strategy, "C++", and
 * https://cloud.google.com/cpp/docs/reference/storage/2.30.0/storage-retry-examples, read 2026-11-22.
 *
 * @category constructors
 */
export const cpp: StoragePreset = {
  ...Presets.cppStorage,
  classifier: /*#__PURE__*/ LibraryTables.only(LibraryTables.common),
  idempotency: StorageIdempotency.always
}

/**
 * The client for .NET: `Presets.dotnetStorage` and `StorageIdempotency.standard`, after 408, 429, 500, 502, 503 and 504.
 *
 * Source: https://github.com/googleapis/google-cloud-dotnet, RetryHandler.cs, read 2026-11-22.
 *
 * @category constructors
 */
export const dotnet: StoragePreset = {
  ...Presets.dotnetStorage,
  classifier: /*#__PURE__*/ LibraryTables.only(LibraryTables.common),
  idempotency: StorageIdempotency.standard
}
