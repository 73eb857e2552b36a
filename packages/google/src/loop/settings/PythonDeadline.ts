/**
 * The deadline of Python's retries, at which an attempt may still start.
 */
import { Deadline } from "@effect-retry/core"
import * as Duration from "effect/Duration"

/**
 * A deadline that a wait may end on, but not pass: a millisecond later than it says, and that millisecond is its reserve.
 *
 * Source: https://github.com/googleapis/python-api-core, bfc6651, google/api_core/retry/retry_base.py, which gives up where
 * now and the sleep together are greater than the deadline.
 */
export const until = (timeout: Duration.DurationInput): Deadline.Deadline =>
  Deadline.refuse(Duration.toMillis(timeout) + 1, { reserve: "1 milli" })
