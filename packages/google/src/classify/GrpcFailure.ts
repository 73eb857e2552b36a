/**
 * What a failed call says about itself: its status code, and what the server asks for in its trailers.
 */
import * as Headers from "@effect/platform/Headers"
import * as Predicate from "effect/Predicate"
import { Verdict } from "@effect-retry/core"
import { HintHeader } from "@effect-retry/http"
import type * as StatusCode from "../accept/StatusCode.ts"
import * as GoogleStatus from "./GoogleStatus.ts"

/**
 * How long the server asks to wait, in milliseconds, or `"never"` where it asks not to send again.
 *
 * @category models
 */
export type Pushback = number | "never"

/**
 * A failure, read.
 *
 * @category models
 */
export interface Failure {
  readonly code: StatusCode.StatusCode | undefined
  readonly pushback: Pushback | undefined
  readonly retryInfoMillis: number | undefined
}

/**
 * Reads an error and its causes: each field is that of the first one that has it, so an error that wraps one of gRPC
 * hides neither its code nor what the server asks for.
 *
 * @category conversions
 */
export const read = (error: unknown): Failure => {
  const said = GoogleStatus.chain(error)
  return {
    code: said.find(({ code }) => code !== undefined)?.code,
    pushback: pushbackOf(said.find(({ pushback }) => pushback.length > 0)?.pushback ?? []),
    retryInfoMillis: said.find(({ retryInfoMillis }) => retryInfoMillis !== undefined)?.retryInfoMillis
  }
}

/**
 * One whole number from 0, of 32 bits and without spaces around it; anything else forbids a retry.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback".
 */
const pushbackOf = ([value, ...others]: ReadonlyArray<unknown>): Pushback | undefined => {
  if (value === undefined) return undefined
  if (typeof value !== "string" || value !== value.trim() || others.length > 0) return "never"
  const { name, read } = HintHeader.grpcRetryPushback
  return read(Headers.fromInput({ [name]: value }), NaN) ?? "never"
}

/** By which a verdict says so itself: a text of another classifier may be the same, and this one may change. */
const forbids: unique symbol = /*#__PURE__*/ Symbol.for("@effect-retry/google/GrpcFailure/forbids")

interface Forbidden extends Verdict.Terminal {
  readonly [forbids]: true
}

/**
 * The verdict on a failure with which the server asks not to send again.
 *
 * @category constructors
 */
export const forbidden = (code: StatusCode.StatusCode | undefined): Forbidden => ({
  ...Verdict.terminal("grpc-retry-pushback-ms forbids a retry", { kind: code && kinds[code] }),
  [forbids]: true
})

/**
 * Whether a verdict is one of `forbidden`, whatever classifier or combinator handed it on.
 *
 * @category guards
 */
export const isForbidden = (verdict: Verdict.Verdict): boolean => Predicate.hasProperty(verdict, forbids)

/**
 * What buckets and rate limiters are told; nothing of codes that say that the call itself is at fault.
 *
 * @category models
 */
export const kinds: { readonly [Code in StatusCode.StatusCode]?: Verdict.Kind } = {
  UNKNOWN: "Server",
  DEADLINE_EXCEEDED: "Timeout",
  RESOURCE_EXHAUSTED: "Throttling",
  ABORTED: "Client",
  INTERNAL: "Server",
  UNAVAILABLE: "Transient",
  DATA_LOSS: "Server"
}
