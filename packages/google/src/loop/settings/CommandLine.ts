/**
 * The policies of Google's command-line tools `gcloud storage` and gsutil, with gsutil's settings read from a `.boto` file.
 *
 * According to gsutil's documentation, waits are drawn below 1, 2, 4 ... up to 60 seconds. Its code has two other
 * strategies with a maximum of 32 seconds: one for transfers, one for single requests. All three use `num_retries` and
 * `max_retry_delay`. In gsutil, progress of a transfer resets the count of retries; here it does not. The shim that
 * runs gsutil's commands in gcloud uses `max_retry_delay` as gcloud's `base_retry_delay`; this module does not.
 *
 * @example
 * ```ts
 * import { CommandLine } from "@effect-retry/google"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const program = Effect.gen(function* () {
 *   const settings = yield* CommandLine.fromBoto("[Boto]\nnum_retries = 10\n")
 *   return CommandLine.gsutilTransfers(settings)
 * })
 *
 * Effect.runPromise(program).then(({ maxAttempts }) => assert.strictEqual(maxAttempts, 11))
 * ```
 */
import { Backoff, Hint, Jitter } from "@effect-retry/core"
import type { Policy } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type * as ConfigError from "effect/ConfigError"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as GoogleBackoff from "../../decide/GoogleBackoff.ts"
import type { Boto } from "./Boto.ts"
import * as BotoFile from "./Boto.ts"

export type { Boto } from "./Boto.ts"

/**
 * The policy of `gcloud storage`: 33 attempts, waits of 1, 2, 4 ... up to 32 seconds, each with up to one second added.
 *
 * `base_retry_delay`, `exponential_sleep_multiplier` and `max_retry_delay` are options of
 * `GoogleBackoff.truncatedExponential`, `max_retries` counts retries. The documentation says 32 by default, Google
 * Cloud SDK 578.0.0 has 23: `{ ...CommandLine.gcloud, maxAttempts: 24 }`. Source:
 * https://cloud.google.com/storage/docs/retry-strategy, "Command line", read 2026-11-22; Google Cloud SDK 578.0.0,
 * lib/googlecloudsdk/core/properties.py and core/util/retry.py.
 *
 * @category constructors
 */
export const gcloud: Policy.Preset = {
  maxAttempts: 33,
  backoff: /*#__PURE__*/ GoogleBackoff.truncatedExponential({ maximumBackoff: "32 seconds" }),
  hint: Hint.ignore
}

/**
 * The policy of apitools: 7 attempts, waits of 2, 4, 8 ... up to 60 seconds, each up to a quarter more or less, or as
 * long as `Retry-After` says.
 *
 * Its `retries` counts attempts. Departure: a `Retry-After` above 1 minute ends the operation; apitools waits for it.
 * Source: https://github.com/google/apitools, f86cb9d, apitools/base/py/http_wrapper.py, `MakeRequest`.
 *
 * @category constructors
 */
export const apitools: Policy.Preset = {
  maxAttempts: 7,
  backoff: /*#__PURE__*/ GoogleBackoff.apitools(),
  hint: /*#__PURE__*/ Hint.override({ atMost: "1 minute", otherwise: "giveUp" })
}

/** Retries and the maximum in milliseconds, checked. */
interface Checked {
  readonly retries: number
  readonly maximum: number
}

/**
 * Source of the retries: https://github.com/GoogleCloudPlatform/gsutil, cdd4555, gslib/utils/boto_util.py, `GetNumRetries`,
 * and the documentation of `gsutil`.
 */
const retries = 23

const checked = (owner: string, settings: Boto, maximum: Duration.DurationInput): Checked => {
  if (!Predicate.isRecord(settings)) return Argument.refuse(owner, "settings", "a record of settings", settings)
  const { max_retry_delay = maximum, num_retries = retries }: Boto = settings
  return {
    retries: Argument.number(owner, "num_retries", num_retries, { min: 0, integer: true }),
    maximum: Argument.millis(owner, "max_retry_delay", max_retry_delay, { min: 1000 })
  }
}

/**
 * gsutil's policy according to its documentation: 23 retries, exponential from 1 second up to 60, full jitter.
 *
 * The bounds of the waits add up to 1083 seconds, where the documentation says about 10 minutes; with `max_retry_delay:
 * "32 seconds"`, the default of the code, they are 607.
 * Source: https://cloud.google.com/storage/docs/gsutil/addlhelp/RetryHandlingStrategy, read 2026-11-22.
 *
 * @category constructors
 */
export const gsutil = (settings: Boto = {}): Policy.Preset => {
  const { maximum, retries } = checked("CommandLine.gsutil", settings, "60 seconds")
  return {
    maxAttempts: retries + 1,
    backoff: Backoff.jittered(Backoff.capped(Backoff.exponential({ base: "1 second" }), maximum), Jitter.full),
    hint: Hint.ignore
  }
}

/**
 * gsutil's policy for transfers according to its code: 23 retries, `GoogleBackoff.gsutil` up to 32 seconds.
 *
 * Source: https://github.com/GoogleCloudPlatform/gsutil, cdd4555, gslib/boto_resumable_upload.py and
 * gslib/utils/boto_util.py, `GetMaxRetryDelay`.
 *
 * @category constructors
 */
export const gsutilTransfers = (settings: Boto = {}): Policy.Preset => {
  const { maximum, retries } = checked("CommandLine.gsutilTransfers", settings, "32 seconds")
  return {
    maxAttempts: retries + 1,
    backoff: GoogleBackoff.gsutil({ maxRetryDelay: maximum }),
    hint: Hint.ignore
  }
}

/**
 * gsutil's policy for single requests according to its code: `apitools` with 23 attempts, because `num_retries` counts
 * attempts there, and waits of up to 32 seconds.
 *
 * Source: https://github.com/GoogleCloudPlatform/gsutil, cdd4555, gslib/gcs_json_api.py, and
 * https://github.com/google/apitools, f86cb9d, apitools/base/py/http_wrapper.py, `MakeRequest`.
 *
 * @category constructors
 */
export const gsutilRequests = (settings: Boto = {}): Policy.Preset => {
  const { maximum, retries } = checked("CommandLine.gsutilRequests", settings, "32 seconds")
  const backoff = GoogleBackoff.apitools({ maxRetryWait: maximum })
  return { ...apitools, maxAttempts: Math.max(1, retries), backoff }
}

/**
 * Reads the settings from a text in `.boto` format; settings that are absent from the text are left out.
 *
 * Reads `num_retries` and `max_retry_delay`, in seconds, from the section `Boto`. Fails with a `ConfigError` that names
 * section, key and allowed range of every bad value, but not the value itself. A comment after a value is removed.
 * Source: https://github.com/boto/boto, 70c65b4f, boto/pyami/config.py.
 *
 * @category constructors
 */
export const fromBoto = (text: string): Effect.Effect<Boto, ConfigError.ConfigError> =>
  BotoFile.parse(
    "CommandLine.fromBoto",
    ".boto",
    Predicate.isString(text) ? text : Argument.refuse("CommandLine.fromBoto", "text", "a text", text)
  )

/**
 * Reads the settings from the files that gsutil reads: the one in `BOTO_CONFIG`, or else those in `BOTO_PATH`, or else
 * `/etc/boto.cfg` and `~/.boto`. A later file takes precedence.
 *
 * Fails as `fromBoto` does, and if a file exists but cannot be read. The environment is read through the `ConfigProvider`.
 * Source: https://github.com/boto/boto, 70c65b4f, boto/pyami/config.py, `BotoConfigLocations`.
 *
 * @category constructors
 */
export const botoFiles: Effect.Effect<Boto, ConfigError.ConfigError, FileSystem.FileSystem | Path.Path> =
  /*#__PURE__*/ BotoFile.read("CommandLine.botoFiles")
