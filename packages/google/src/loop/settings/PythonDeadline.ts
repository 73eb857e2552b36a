/**
 * The deadline of Python's retries; an attempt may still start exactly at it.
 */
import { Deadline } from "@effect-retry/core"
import * as Duration from "effect/Duration"

/**
 * A deadline at which a wait may end but not later: it is a millisecond longer than given, and that millisecond is its
 * reserve.
 *
 * Source: https://github.com/googleapis/python-api-core, bfc6651, google/api_core/retry/retry_base.py, which gives up
 * if now plus the sleep exceeds the deadline.
 */
export const until = (timeout: Duration.DurationInput): Deadline.Deadline =>
  Deadline.refuse(Duration.toMillis(timeout) + 1, { reserve: "1 milli" })
