/**
 * The defaults of Python's `google.api_core.retry.Retry`.
 *
 * Source: https://github.com/googleapis/python-api-core, bfc6651, google/api_core/retry/retry_base.py, `_DEFAULT_*`.
 */

/** The greatest delay of the first retry. */
export const initial = "1 second"

/** The greatest delay of all. */
export const maximum = "60 seconds"

/** By which delays grow. */
export const multiplier = 2

/** How long an operation is retried. */
export const timeout = "2 minutes"
