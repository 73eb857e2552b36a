/**
 * The value of `amz-sdk-request`, which describes an attempt.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/**
 * When the caller stops waiting for an answer.
 *
 * @category models
 */
export interface Ttl {
  /** The wall clock of the caller, in milliseconds since 1970. */
  readonly nowMillis: number
  /** How long the caller waits for an answer. */
  readonly readTimeout: Duration.DurationInput
  /** How many milliseconds the server's clock is ahead of the caller's. @default 0 */
  readonly skewMillis?: number | undefined
}

/**
 * The fields of the header.
 *
 * @category models
 */
export interface Fields {
  /** From 1. */
  readonly attempt: number
  /** The largest number of attempts, the first one included. @default absent */
  readonly max?: number | undefined
  /** @default absent */
  readonly ttl?: Ttl | undefined
}

const owner = "AwsHeaders.request"

const lastYear = 9999

/**
 * The time, by the server's clock, after which an answer is too late, as `YYYYMMDDTHHMMSSZ`.
 *
 * Formula: `nowMillis + readTimeout + skewMillis`, in UTC, rounded down to whole seconds. `None` if the year would not
 * have four digits, because clocks can be set to anything.
 * Source: https://github.com/boto/botocore 1.43.107, endpoint.py, `_calculate_ttl`, and tests/functional/test_retry.py.
 *
 * @category constructors
 */
export const ttl = ({ nowMillis, readTimeout, skewMillis = 0 }: Ttl): Option.Option<string> => {
  const timeoutMillis = Argument.millis("AwsHeaders.ttl", "readTimeout", readTimeout, { min: 0 })
  return DateTime.make(nowMillis + timeoutMillis + skewMillis).pipe(
    Option.filter((moment) => {
      const year = DateTime.getPartUtc(moment, "year")
      return year >= 0 && year <= lastYear
    }),
    Option.map((moment) => `${DateTime.formatIso(moment).slice(0, 19).replaceAll(/[-:]/g, "")}Z`)
  )
}

/**
 * The value of `amz-sdk-request`: `attempt=N; max=M`, with `ttl=…` before it if given.
 *
 * The SDKs of 2.0 in Python leave out `max` on the first attempt, and `ttl` until a server's clock is known.
 * Source: `@smithy/core` 3.41.0, submodules/retry/middleware-retry/retryMiddleware · botocore 1.43.107, handlers.py,
 * `add_retry_headers`.
 *
 * @category constructors
 */
export const request = (fields: Fields): string => {
  const attempt = Argument.number(owner, "attempt", fields.attempt, { min: 1, integer: true })
  const max = fields.max === undefined ? [] : [`max=${checkMax(owner, "max", fields.max)}`]
  const until = fields.ttl === undefined ? [] : Option.toArray(Option.map(ttl(fields.ttl), (value) => `ttl=${value}`))
  return [...until, `attempt=${attempt}`, ...max].join("; ")
}

/** Checks a number of attempts. Throws an `InvalidArgument` unless it is a whole number from 1. */
export const checkMax = (owner: string, field: string, value: number): number =>
  Argument.number(owner, field, value, { min: 1, integer: true })
