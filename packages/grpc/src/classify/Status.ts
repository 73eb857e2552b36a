/**
 * Reads a failed call: its status code, and what the server asks for in its trailers.
 *
 * Errors are read by shape, so no client library is imported: those of `@grpc/grpc-js`, and your own tagged errors with
 * a `code` and perhaps `metadata`. Errors come from outside, so reading them never throws and takes bounded time.
 * `GrpcClassifier` says which codes are retryable.
 *
 * @example
 * ```ts
 * import { Status } from "@effect-retry/grpc"
 * import * as assert from "node:assert"
 *
 * const metadata = new Map([["grpc-retry-pushback-ms", "250"]])
 * assert.deepStrictEqual(Status.read({ code: 14, metadata }), { code: "UNAVAILABLE", pushback: 250 })
 * assert.deepStrictEqual(Status.read(new Error("no call")), { code: undefined, pushback: undefined })
 * ```
 */
import type { Observe } from "@effect-retry/core"
import * as Property from "@effect-retry/core/unstable/Property"
import * as StatusCode from "../accept/StatusCode.ts"

/**
 * How long the server asks the client to wait, in milliseconds, or `"never"` if it asks the client not to retry.
 *
 * @category models
 */
export type Pushback = number | "never"

/**
 * What an error says about its call.
 *
 * @category models
 */
export interface Status {
  readonly code: StatusCode.StatusCode | undefined
  /** The trailer `grpc-retry-pushback-ms`. */
  readonly pushback: Pushback | undefined
}

/**
 * Reads one error, without its causes. A value that is no object has neither code nor pushback.
 *
 * The code is a number or a name in `code`, or a name in `status`. The trailers are in `metadata`: a `Metadata` of
 * grpc-js, a `Headers`, a `Map` or a record.
 *
 * @category constructors
 */
export const read = (error: unknown): Status => ({ code: codeOf(error), pushback: pushbackOf(trailer(error, name)) })

/**
 * Reads an error and its causes, the outermost first, ten deep.
 *
 * @category constructors
 */
export const chain = (error: unknown): ReadonlyArray<Status> => Property.causes(error).map(read)

/**
 * Takes each field from the first status that has it, so an error that wraps a gRPC error hides neither its code nor its
 * pushback.
 *
 * @category combinators
 */
export const first = (all: ReadonlyArray<Status>): Status => ({
  code: all.find(({ code }) => code !== undefined)?.code,
  pushback: all.find(({ pushback }) => pushback !== undefined)?.pushback
})

/**
 * What log lines, spans and metrics show of a failed call: the name of its status code.
 *
 * `observe: [Observe.logs(), Observe.spanEvents].map(Observe.describing(Status.details))`; `GrpcRetry` does this by itself.
 *
 * Source of the attribute: https://opentelemetry.io/docs/specs/semconv/rpc/grpc/, read 2026-11-24.
 *
 * @category conversions
 */
export const details = (event: Observe.RetryEvent): Partial<Observe.Details> => {
  if (!("error" in event)) return {}
  const { code } = first(chain(event.error.original))
  if (code === undefined) return {}
  return { outcome: code, attributes: { "error.type": code, "rpc.response.status_code": code } }
}

/**
 * The values that an error has in its trailers under a name; binary ones are bytes.
 *
 * @category destructors
 */
export const trailer = (error: unknown, name: string): ReadonlyArray<unknown> => {
  const metadata = Property.property(error, "metadata")
  return Property.listed(Property.called(metadata, "get", name) ?? Property.property(metadata, name))
}

const name = "grpc-retry-pushback-ms"

const greatestInt32 = 2 ** 31 - 1

/**
 * The pushback: a whole number from 0, of 32 bits and without spaces around it; anything else forbids a retry.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback".
 */
const pushbackOf = ([value, ...others]: ReadonlyArray<unknown>): Pushback | undefined => {
  if (value === undefined) return undefined
  const isOne = typeof value === "string" && /^(?:0|[1-9]\d{0,9})$/.test(value) && others.length === 0
  return isOne && Number(value) <= greatestInt32 ? Number(value) : "never"
}

const codeOf = (error: unknown): StatusCode.StatusCode | undefined => {
  const number = Property.property(error, "code")
  return (
    (typeof number === "number" ? StatusCode.fromNumber(number) : undefined) ??
    named(Property.text(error, "code")) ??
    named(Property.text(error, "status"))
  )
}

const named = (name: string | undefined): StatusCode.StatusCode | undefined =>
  name === undefined ? undefined : StatusCode.fromName(name)
