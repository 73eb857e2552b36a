/**
 * What a failed call says about itself: its status code, and the server's pushback in its trailers.
 */
import { HintHeader } from "@effect-retry/http"
import { Headers } from "@effect/platform"
import type * as StatusCode from "../accept/StatusCode.ts"
import * as GoogleStatus from "../classify/GoogleStatus.ts"

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
}

/**
 * Reads an error, or the first of its causes that is one of gRPC.
 *
 * @category conversions
 */
export const read = (error: unknown): Failure => {
  const said = GoogleStatus.chain(error).find(({ code, pushback }) => code !== undefined || pushback.length > 0)
  return { code: said?.code, pushback: said && pushbackOf(said.pushback) }
}

/** Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback". */
const pushbackOf = ([value, ...others]: ReadonlyArray<unknown>): Pushback | undefined => {
  if (value === undefined) return undefined
  if (typeof value !== "string" || others.length > 0) return "never"
  const { name, read } = HintHeader.grpcRetryPushback
  return read(Headers.fromInput({ [name]: value }), NaN) ?? "never"
}
