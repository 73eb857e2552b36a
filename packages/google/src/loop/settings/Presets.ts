/**
 * The default policies of Google's client libraries, as values to change by spread.
 *
 * A preset says how often and how long to retry. The caller says what is retryable, for example with a
 * `GoogleClassifier`. Each preset says what happens to a wait that would pass the deadline, and how it departs from its
 * client. Hints of the server are ignored if the client ignores them; set `hint` to follow them. `maxAttempts` counts
 * the first attempt, even if the client's own setting counts retries.
 *
 * @example
 * ```ts
 * import { Presets } from "@effect-retry/google"
 * import { Classifier, Deadline, Policy } from "@effect-retry/core"
 * import * as assert from "node:assert"
 *
 * const policy = Policy.make({
 *   ...Presets.nodeStorage,
 *   classifier: Classifier.always,
 *   deadline: Deadline.refuse("1 minute")
 * })
 *
 * // 1 attempt and 3 retries.
 * assert.strictEqual(policy.maxAttempts, 4)
 * ```
 */
import { Backoff, Classifier, Deadline, Hint, Jitter } from "@effect-retry/core"
import type { AttemptTimeout, Policy } from "@effect-retry/core"
import * as Struct from "effect/Struct"
import * as JavaSettings from "../../accept/JavaSettings.ts"
import * as Defaults from "../../accept/PythonDefaults.ts"
import * as GoogleBackoff from "../../decide/GoogleBackoff.ts"
import { until } from "./PythonDeadline.ts"
import { toPolicy } from "./RetrySettingsPolicy.ts"

const exponential = (
  base: `${number} ${"millis" | "seconds"}`,
  factor: number,
  cap: `${number} ${"seconds" | "minutes"}`
) => Backoff.capped(Backoff.exponential({ base, factor }), cap)

const jittered = (...[base, factor, cap]: Parameters<typeof exponential>) =>
  Backoff.jittered(exponential(base, factor, cap), Jitter.full)

/**
 * A deadline with a last attempt as late as possible: those clients shorten the last wait to end exactly at the
 * deadline, core a millisecond before it.
 */
const truncated = (within: `${number} ${"seconds" | "minutes"}`): Deadline.Deadline =>
  Deadline.truncate(within, { reserve: "1 milli" })

/**
 * Java's clients over HTTP, Cloud Storage's among them: 6 attempts, exponential from 1 second by 2 up to 32 seconds, full
 * jitter, 50 seconds for the operation and for each attempt. A wait that would pass the deadline is refused.
 *
 * Source: `JavaSettings.http`, which `RetrySettings` can change.
 *
 * @category constructors
 */
export const javaHttp: Policy.Preset<AttemptTimeout.AttemptTimedOut> = /*#__PURE__*/ Struct.omit(
  /*#__PURE__*/ toPolicy(JavaSettings.http, { classifier: Classifier.never }),
  "classifier"
)

/**
 * Java's polling of long-running operations: exponential from 5 seconds by 1.5 up to 45 seconds, full jitter, for 5 minutes.
 * A wait that would pass the deadline is refused.
 *
 * Source: `JavaSettings.polling`, which `RetrySettings` can change.
 *
 * @category constructors
 */
export const javaPolling: Policy.Preset = /*#__PURE__*/ Struct.omit(
  /*#__PURE__*/ toPolicy(JavaSettings.polling, { classifier: Classifier.never }),
  "classifier",
  "attemptTimeout"
)

/**
 * Resumable uploads and streams of Java's Cloud Storage: as `javaHttp`, with jitter on top that compounds, no timeout
 * for attempts, and a last wait that is shortened to the deadline.
 *
 * Source: https://github.com/googleapis/java-storage, 679cddd, Backoff.java and RetryContext.java.
 *
 * @category constructors
 */
export const javaResumable: Policy.Preset = {
  maxAttempts: 6,
  backoff: /*#__PURE__*/ GoogleBackoff.javaStorage(),
  hint: Hint.ignore,
  deadline: /*#__PURE__*/ truncated("50 seconds")
}

/**
 * Python's `DEFAULT_RETRY`: exponential from 1 second by 2 up to 60 seconds, full jitter, for 2 minutes, whatever the
 * number of attempts. A wait that would pass the deadline is refused; one that ends on it is not.
 *
 * `PythonRetry` has its changed copies and its conditional forms.
 * Source: https://github.com/googleapis/python-api-core, bfc6651, google/api_core/retry/retry_base.py.
 *
 * @category constructors
 */
export const python: Policy.Preset = {
  maxAttempts: Infinity,
  backoff: /*#__PURE__*/ GoogleBackoff.python(),
  hint: Hint.ignore,
  deadline: /*#__PURE__*/ until(Defaults.timeout)
}

/**
 * Python's polling of long-running operations: exponential from 1 second by 1.5 up to 20 seconds, full jitter, for 15
 * minutes. A wait that would pass the deadline is refused; one that ends on it is not.
 *
 * Source: https://github.com/googleapis/python-api-core, bfc6651, google/api_core/future/polling.py, `DEFAULT_POLLING`.
 *
 * @category constructors
 */
export const pythonPolling: Policy.Preset = {
  maxAttempts: Infinity,
  backoff: /*#__PURE__*/ GoogleBackoff.python({ maximum: "20 seconds", multiplier: 1.5 }),
  hint: Hint.ignore,
  deadline: /*#__PURE__*/ until("15 minutes")
}

/**
 * Go, Cloud Storage's client among them: exponential from 1 second by 2 up to 30 seconds, full jitter, without a limit.
 *
 * In Go the caller's context ends it. Here, add a deadline: `Deadline.cut` does the same.
 * Source: https://github.com/googleapis/gax-go, 5a1e0eb, v2/call_option.go, `Backoff`.
 *
 * @category constructors
 */
export const go: Policy.Preset = {
  maxAttempts: Infinity,
  backoff: /*#__PURE__*/ jittered("1 seconds", 2, "30 seconds"),
  hint: Hint.ignore
}

/**
 * Each chunk of Go's resumable upload: as `go`, from 100 milliseconds, for 32 seconds.
 *
 * Departure: a wait that would pass the deadline is refused. Go waits until the deadline, and then returns the last error.
 * Source: https://github.com/googleapis/google-api-go-client, internal/gensupport/retry.go, `retryDeadline` and `backoff`,
 * read 2026-11-22.
 *
 * @category constructors
 */
export const goResumable: Policy.Preset = {
  maxAttempts: Infinity,
  backoff: /*#__PURE__*/ jittered("100 millis", 2, "30 seconds"),
  hint: Hint.ignore,
  deadline: /*#__PURE__*/ Deadline.refuse("32 seconds")
}

/**
 * `@google-cloud/storage` with `autoRetry`: 4 attempts in 10 minutes, the waits 2 to 3, 4 to 5 and 8 to 9 seconds, at
 * most 64. A wait that would pass the deadline is shortened to it.
 *
 * Departure: when no time is left, retry-request never answers; here the operation ends.
 * Source: https://github.com/googleapis/nodejs-storage, 7.22.0, src/storage.ts, and
 * https://github.com/googleapis/retry-request, 7.0.2, index.js.
 *
 * @category constructors
 */
export const nodeStorage: Policy.Preset = {
  maxAttempts: 4,
  backoff: /*#__PURE__*/ GoogleBackoff.retryRequest(),
  hint: Hint.ignore,
  deadline: /*#__PURE__*/ truncated("10 minutes")
}

/**
 * The package retry-request by itself: as `nodeStorage`, with 3 attempts.
 *
 * Source: https://github.com/googleapis/retry-request, 7.0.2, index.js, `DEFAULTS`.
 *
 * @category constructors
 */
export const retryRequest: Policy.Preset = { ...nodeStorage, maxAttempts: 3 }

/**
 * Resumable uploads of `@google-cloud/storage`: as `nodeStorage`, the waits 1 to 2, 2 to 3 and 4 to 5 seconds.
 *
 * Source: https://github.com/googleapis/nodejs-storage, 7.22.0, src/resumable-upload.ts, `getRetryDelay`.
 *
 * @category constructors
 */
export const nodeResumable: Policy.Preset = {
  maxAttempts: 4,
  backoff: /*#__PURE__*/ GoogleBackoff.nodeResumable(),
  hint: Hint.ignore,
  deadline: /*#__PURE__*/ truncated("10 minutes")
}

/**
 * gaxios: 4 attempts, the waits 100, 500 and 1500 milliseconds.
 *
 * Departure: after failures without a response, gaxios makes at most 3 attempts.
 * Source: https://github.com/googleapis/gaxios, 6.7.1, src/retry.ts.
 *
 * @category constructors
 */
export const gaxios: Policy.Preset = {
  maxAttempts: 4,
  backoff: /*#__PURE__*/ GoogleBackoff.gaxios(),
  hint: Hint.ignore
}

/**
 * gax for Node: exponential from 100 milliseconds by 1.3 up to 60 seconds, full jitter, without a limit.
 *
 * Its `maxRetries` is `maxAttempts`: it counts the first attempt. Its `totalTimeoutMillis` is `Deadline.refuse`, but gax
 * first waits as long as the delay, and then fails. gax takes only one of the two.
 * Source: https://github.com/googleapis/gax-nodejs, acfbe80, gax/src/gax.ts, `createDefaultBackoffSettings`, and
 * gax/src/normalCalls/retries.ts.
 *
 * @category constructors
 */
export const gaxNodejs: Policy.Preset = {
  maxAttempts: Infinity,
  backoff: /*#__PURE__*/ jittered("100 millis", 1.3, "60 seconds"),
  hint: Hint.ignore
}

/**
 * Cloud Storage for C++: a window that slides from 1 to 2 seconds by 2 up to 150 to 300 seconds, for 15 minutes.
 *
 * Departure: a wait that would pass the deadline is refused; the client for C++ waits first, and then fails.
 * Source: https://github.com/googleapis/google-cloud-cpp, google/cloud/storage/client_options.cc,
 * `STORAGE_CLIENT_DEFAULT_*`, and google/cloud/internal/backoff_policy.cc, read 2026-11-22.
 *
 * @category constructors
 */
export const cppStorage: Policy.Preset = {
  maxAttempts: Infinity,
  backoff: /*#__PURE__*/ GoogleBackoff.slidingWindow({ minimumDelay: "1 second", maximumDelay: "5 minutes" }),
  hint: Hint.ignore,
  deadline: /*#__PURE__*/ Deadline.refuse("15 minutes")
}

/**
 * Cloud Storage for .NET: 3 attempts, exponential from 1 second by 2 up to 32 seconds, without jitter.
 *
 * Source: https://github.com/googleapis/google-cloud-dotnet, 2af4cec, RetryTiming.cs, and
 * https://github.com/googleapis/google-api-dotnet-client, ConfigurableMessageHandler.cs, `NumTries`, read 2026-11-22.
 *
 * @category constructors
 */
export const dotnetStorage: Policy.Preset = {
  maxAttempts: 3,
  backoff: /*#__PURE__*/ exponential("1 seconds", 2, "32 seconds"),
  hint: Hint.ignore
}

/**
 * What the documentation of Cloud Storage recommends: 1, 2, 4 ... seconds up to 64, each with up to one second more, for
 * 10 minutes.
 *
 * Source: https://cloud.google.com/storage/docs/retry-strategy, "Exponential backoff algorithm", read 2026-11-22. The page
 * leaves the deadline to the client and names 600 seconds as an example.
 *
 * @category constructors
 */
export const recommended: Policy.Preset = {
  maxAttempts: Infinity,
  backoff: /*#__PURE__*/ GoogleBackoff.truncatedExponential(),
  hint: Hint.ignore,
  deadline: /*#__PURE__*/ Deadline.refuse("10 minutes")
}
