/**
 * Verdicts on failed calls, for retries and for hedges.
 */
import { Verdict } from "@effect-retry/core"
import type { Classifier } from "@effect-retry/core"
import * as Duration from "effect/Duration"
import type { StatusCode } from "../accept/StatusCode.ts"
import * as GrpcClassifier from "./GrpcClassifier.ts"
import * as Status from "./Status.ts"
import * as StatusVerdict from "./StatusVerdict.ts"

/**
 * How far a call got before it failed.
 *
 * - `NotSent`: it never left the client.
 * - `Refused`: it reached the server's library, but not the application (`REFUSED_STREAM`, `GOAWAY`).
 * - `Dropped`: the load balancer dropped it.
 * - `Processed`: the application may have seen it.
 * - `Committed`: its response had begun, or the request was too large to keep for another attempt.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Transparent Retries" and "When Retries are
 * Valid".
 *
 * @category models
 */
export type Progress = "NotSent" | "Refused" | "Dropped" | "Processed" | "Committed"

/**
 * Reads from an error how far a call got.
 *
 * @category models
 */
export interface ProgressOf {
  (error: unknown): Progress
}

/**
 * Whether a failure takes a token from the throttle: one with a retryable code, or with a pushback that forbids a retry.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Throttling Retry Attempts and Hedged RPCs".
 */
export const counts = (verdict: Verdict.Verdict): boolean =>
  verdict._tag === "Retryable" || StatusVerdict.isForbidden(verdict)

/**
 * Judges the failures of calls that are retried after these codes. A pushback becomes the hint of the verdict; one that
 * forbids a retry makes it terminal.
 */
export const forRetries = (codes: ReadonlyArray<StatusCode>, progressOf: ProgressOf): Classifier.Classifier => {
  const byCode = GrpcClassifier.make({ codes })
  return (error, moment) => final[progressOf(error)] ?? byCode(error, moment)
}

/**
 * Judges the failures of calls whose method has no retry policy. The reason says so: the service may be misspelt in the
 * config.
 */
export const withoutPolicy = (progressOf: ProgressOf): Classifier.Classifier => {
  const judge = forRetries([], progressOf)
  return (error, moment) => {
    const verdict = judge(error, moment)
    const { code } = Status.first(Status.chain(error))
    return verdict._tag === "Terminal" && verdict.why === code
      ? { ...verdict, why: `${code}, and the method has no retry policy` }
      : verdict
  }
}

/**
 * Judges the failures of hedges: retryable means not fatal, and a pushback that forbids further hedges becomes an
 * infinite hint.
 */
export const forHedges = (codes: ReadonlyArray<StatusCode>, progressOf: ProgressOf): Classifier.Classifier => {
  const judge = forRetries(codes, progressOf)
  return (error, moment) => {
    const verdict = judge(error, moment)
    if (!StatusVerdict.isForbidden(verdict)) return verdict
    const { code } = Status.first(Status.chain(error))
    if (code === undefined || !codes.includes(code)) return verdict
    return Verdict.retryable(StatusVerdict.kindOf(code), { hint: Duration.infinity })
  }
}

const final: { readonly [P in Progress]?: Verdict.Verdict } = {
  NotSent: /*#__PURE__*/ Verdict.terminal("the call did not leave the client"),
  Dropped: /*#__PURE__*/ Verdict.terminal("the load balancer dropped the call"),
  Committed: /*#__PURE__*/ Verdict.terminal("the response had begun, or the request is no longer kept")
}
