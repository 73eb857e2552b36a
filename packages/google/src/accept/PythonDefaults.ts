/**
 * The defaults of Python's `google.api_core.retry.Retry`.
 *
 * Source: https://github.com/googleapis/python-api-core, bfc6651, google/api_core/retry/retry_base.py, `_DEFAULT_*`.
 */

/** The longest delay before the first retry. */
export const initial = "1 second"

/** The longest delay before any retry. */
export const maximum = "60 seconds"

/** The factor by which delays grow. */
export const multiplier = 2

/** How long an operation is retried. */
export const timeout = "2 minutes"
