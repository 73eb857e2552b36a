/**
 * The value of `amz-sdk-request`: what an attempt says about itself.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/**
 * From when on the caller does not wait for an answer any longer.
 *
 * @category models
 */
export interface Ttl {
  /** The wall clock of the caller, in milliseconds since 1970. */
  readonly nowMillis: number
  /** How long the caller waits for an answer. */
  readonly readTimeout: Duration.DurationInput
  /** The server's clock less the caller's, in milliseconds. @default 0 */
  readonly skewMillis?: number | undefined
}

/**
 * What the header says.
 *
 * @category models
 */
export interface Fields {
  /** From 1. */
  readonly attempt: number
  /** The most attempts there can be, the first one included. @default absent */
  readonly max?: number | undefined
  /** @default absent */
  readonly ttl?: Ttl | undefined
}

const owner = "AwsHeaders.request"

const lastYear = 9999

/**
 * The moment at which an answer comes too late, by the server's clock, as `YYYYMMDDTHHMMSSZ`.
 *
 * Formula: `nowMillis + readTimeout + skewMillis`, in UTC, down to whole seconds.
 * None where the year would not have four digits: clocks are set from outside.
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
 * The value of `amz-sdk-request`: `attempt=N; max=M`, with `ttl=…` before it where it is asked for.
 *
 * The SDKs of 2.0 in Python leave out `max` on the first attempt, and `ttl` before a server's clock is known.
 * Source: `@smithy/core` 3.41.0, submodules/retry/middleware-retry/retryMiddleware · botocore 1.43.107, handlers.py, `add_retry_headers`.
 *
 * @category constructors
 */
export const request = (fields: Fields): string => {
  const attempt = Argument.number(owner, "attempt", fields.attempt, { min: 1, integer: true })
  const max = fields.max === undefined ? [] : [`max=${checkMax(owner, "max", fields.max)}`]
  const until = fields.ttl === undefined ? [] : Option.toArray(Option.map(ttl(fields.ttl), (value) => `ttl=${value}`))
  return [...until, `attempt=${attempt}`, ...max].join("; ")
}

/** A number of attempts as given. Throws an `InvalidArgument` where it is not a whole number from 1 on. */
export const checkMax = (owner: string, field: string, value: number): number =>
  Argument.number(owner, field, value, { min: 1, integer: true })
