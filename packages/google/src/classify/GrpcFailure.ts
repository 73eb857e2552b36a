/**
 * What a failed call says about itself: its status code, and what the server asks for in its trailers.
 */
import { Headers } from "@effect/platform"
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
 * Reads an error, or the first of its causes that is one of gRPC.
 *
 * @category conversions
 */
export const read = (error: unknown): Failure => {
  const said = GoogleStatus.chain(error).find(({ code, pushback }) => code !== undefined || pushback.length > 0)
  return { code: said?.code, pushback: said && pushbackOf(said.pushback), retryInfoMillis: said?.retryInfoMillis }
}

/** Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback". */
const pushbackOf = ([value, ...others]: ReadonlyArray<unknown>): Pushback | undefined => {
  if (value === undefined) return undefined
  if (typeof value !== "string" || others.length > 0) return "never"
  const { name, read } = HintHeader.grpcRetryPushback
  return read(Headers.fromInput({ [name]: value }), NaN) ?? "never"
}

const pushedBack = "grpc-retry-pushback-ms forbids a retry"

/**
 * The verdict on a failure with which the server asks not to send again.
 *
 * @category constructors
 */
export const forbidden = (code: StatusCode.StatusCode | undefined): Verdict.Verdict =>
  Verdict.terminal(pushedBack, { kind: code && kinds[code] })

/**
 * Whether a verdict is one of `forbidden`.
 *
 * @category guards
 */
export const isForbidden = (verdict: Verdict.Verdict): boolean =>
  verdict._tag === "Terminal" && verdict.why === pushedBack

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
