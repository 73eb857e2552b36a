/**
 * Verdicts on failed calls, for retries and for hedges.
 */
import { Verdict } from "@effect-retry/core"
import type { Classifier } from "@effect-retry/core"
import { Duration } from "effect"
import type { StatusCode } from "../accept/StatusCode.ts"
import type { Pushback } from "./GrpcFailure.ts"
import { read } from "./GrpcFailure.ts"

/**
 * How far a call came before it failed.
 *
 * - `NotSent`: it never left the client.
 * - `Refused`: it reached the library of the server, and not the application (`REFUSED_STREAM`, `GOAWAY`).
 * - `Dropped`: the load balancer dropped it.
 * - `Processed`: the application may have seen it.
 * - `Committed`: its response had begun, or the request was too large to be kept for another attempt.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Transparent Retries" and "When Retries are
 * Valid".
 *
 * @category models
 */
export type Progress = "NotSent" | "Refused" | "Dropped" | "Processed" | "Committed"

/**
 * Tells from an error how far a call came.
 *
 * @category models
 */
export interface ProgressOf {
  (error: unknown): Progress
}

const pushedBack = "the server asked not to retry"

/**
 * Whether a failure takes a token from the throttle: one with a code that is repeated, or with a pushback that forbids it.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Throttling Retry Attempts and Hedged RPCs".
 *
 * @category guards
 */
export const counts = (verdict: Verdict.Verdict): boolean =>
  verdict._tag === "Retryable" || (verdict._tag === "Terminal" && verdict.why === pushedBack)

/**
 * Judges the failures of calls that are retried with these codes. A pushback is the hint of the verdict; one that forbids
 * a retry makes it terminal.
 *
 * @category constructors
 */
export const forRetries = (codes: ReadonlyArray<StatusCode>, progressOf: ProgressOf): Classifier.Classifier =>
  judging(codes, progressOf, (kind, pushback) =>
    pushback === "never" ? doNotRetry : Verdict.retryable(kind, { hint: pushback })
  )

/**
 * Judges the failures of hedges: retryable means not fatal, and a pushback that forbids further hedges is an endless hint.
 *
 * @category constructors
 */
export const forHedges = (codes: ReadonlyArray<StatusCode>, progressOf: ProgressOf): Classifier.Classifier =>
  judging(codes, progressOf, (kind, pushback) =>
    Verdict.retryable(kind, { hint: pushback === "never" ? Duration.infinity : pushback })
  )

const judging = (
  codes: ReadonlyArray<StatusCode>,
  progressOf: ProgressOf,
  repeated: (kind: Verdict.Kind, pushback: Pushback | undefined) => Verdict.Verdict
): Classifier.Classifier => {
  const listed = new Set(codes)
  return (error) => {
    const ended = final[progressOf(error)]
    if (ended !== undefined) return ended
    const { code, pushback } = read(error)
    if (code !== undefined && listed.has(code)) return repeated(kinds[code] ?? "Transient", pushback)
    if (pushback === "never") return doNotRetry
    return code === undefined ? Verdict.noOpinion : Verdict.terminal(`the status ${code} is not retried`)
  }
}

const doNotRetry = /*#__PURE__*/ Verdict.terminal(pushedBack)

const final: { readonly [P in Progress]?: Verdict.Verdict } = {
  NotSent: /*#__PURE__*/ Verdict.terminal("the call did not leave the client"),
  Dropped: /*#__PURE__*/ Verdict.terminal("the load balancer dropped the call"),
  Committed: /*#__PURE__*/ Verdict.terminal("the response had begun, or the request is no longer kept")
}

/** What is left out is a passing fault. */
const kinds: { readonly [C in StatusCode]?: Verdict.Kind } = {
  UNKNOWN: "Server",
  INVALID_ARGUMENT: "Client",
  DEADLINE_EXCEEDED: "Timeout",
  NOT_FOUND: "Client",
  ALREADY_EXISTS: "Client",
  PERMISSION_DENIED: "Client",
  RESOURCE_EXHAUSTED: "Throttling",
  FAILED_PRECONDITION: "Client",
  OUT_OF_RANGE: "Client",
  UNIMPLEMENTED: "Client",
  INTERNAL: "Server",
  DATA_LOSS: "Server",
  UNAUTHENTICATED: "Client"
}
