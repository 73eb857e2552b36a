/**
 * What the clients of Cloud Storage consider retryable, as changes of `GoogleClassifier.httpTables`.
 *
 * They read neither `Retry-After` nor `google.rpc.RetryInfo`; connection errors are retryable in all of them.
 */
import type { Classifier } from "@effect-retry/core"
import * as GoogleClassifier from "./GoogleClassifier.ts"

/** A classifier that retries only these statuses of `GoogleClassifier.httpTables`, and these reasons. */
export const only = (
  statuses: ReadonlyArray<number>,
  reasons: GoogleClassifier.Tables["reasons"] = {}
): Classifier.Classifier =>
  GoogleClassifier.fromTables({
    ...GoogleClassifier.httpTables,
    statuses: Object.fromEntries(
      // The row of 401 is kept: it only says that the request was not carried out.
      [401, ...statuses].map((status) => [status, GoogleClassifier.httpTables.statuses[status]])
    ),
    reasons,
    hints: [],
    retryInfo: "ignore"
  })

/**
 * The statuses that most clients retry.
 *
 * Sources: https://github.com/googleapis/java-storage, 679cddd; https://github.com/googleapis/python-storage, ab4997c,
 * google/cloud/storage/retry.py, `_RETRYABLE_STATUS_CODES`; https://github.com/googleapis/nodejs-storage, 7.22.0,
 * src/storage.ts, `RETRYABLE_ERR_FN_DEFAULT`; https://github.com/googleapis/google-cloud-dotnet, RetryHandler.cs;
 * of C++ https://cloud.google.com/storage/docs/retry-strategy, read 2026-11-22.
 */
export const common: ReadonlyArray<number> = [408, 429, 500, 502, 503, 504]
