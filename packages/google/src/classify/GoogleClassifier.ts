/**
 * Classifies failures of a Google API: by status and error body over HTTP, by code over gRPC.
 *
 * Whether the request may be repeated is decided by `StorageIdempotency`, or by the caller who names the retryable
 * codes of a method.
 *
 * @example
 * ```ts
 * import { GoogleClassifier } from "@effect-retry/google"
 * import { Backoff, Retry } from "@effect-retry/core"
 * import { Data, Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * class Failed extends Data.TaggedError("Failed")<{ code: string }> {}
 *
 * const failures = [new Failed({ code: "UNAVAILABLE" }), new Failed({ code: "ABORTED" })]
 * const commit = Effect.suspend(() => Effect.fail(failures.shift() ?? new Failed({ code: "OK" })))
 * const policy = { classifier: GoogleClassifier.aip194, maxAttempts: 5, backoff: Backoff.constant({ delay: "1 milli" }) }
 *
 * Effect.runPromise(Effect.flip(Retry.retry(commit, policy))).then(({ code }) => assert.strictEqual(code, "ABORTED"))
 * ```
 */
import { type Classifier, Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { Status } from "@effect-retry/grpc"
import type { GrpcClassifier } from "@effect-retry/grpc"
import type { ServerDelay } from "@effect-retry/grpc/unstable/StatusVerdict"
import * as StatusVerdict from "@effect-retry/grpc/unstable/StatusVerdict"
import { HintHeader, HttpClassifier } from "@effect-retry/http"
import * as Predicate from "effect/Predicate"
import * as Owner from "../accept/Owner.ts"
import * as GoogleStatus from "./GoogleStatus.ts"

export type { ServerDelay } from "@effect-retry/grpc/unstable/StatusVerdict"

/**
 * The tables of a classifier for HTTP.
 *
 * @category models
 */
export interface Tables extends HttpClassifier.Tables {
  /** Reasons in a JSON error body that are retryable whatever the status. */
  readonly reasons: { readonly [reason: string]: Verdict.Kind | undefined }
  /** `"retry"` is what the Java client of Bigtable does. */
  readonly retryInfo: ServerDelay
}

/**
 * The tables of `http`: 408, 429, every 5xx, and connection errors; the reasons `rateLimitExceeded` and
 * `userRateLimitExceeded`, which turn a 403 into a rate limit; `Retry-After`, and `google.rpc.RetryInfo` before it.
 *
 * Sources: https://cloud.google.com/storage/docs/retry-strategy, "Response"; of the reasons
 * https://developers.google.com/workspace/drive/api/guides/handle-errors, "403: User rate limit exceeded", and
 * https://cloud.google.com/storage/docs/json_api/v1/status-codes, "429—Too Many Requests".
 *
 * @category constructors
 */
export const httpTables: Tables = {
  ...HttpClassifier.standardTables,
  statuses: {
    .../*#__PURE__*/ Object.fromEntries(
      /*#__PURE__*/ Array.from({ length: 100 }, (_, index) => [500 + index, { kind: "Server" }] as const)
    ),
    401: HttpClassifier.standardTables.statuses[401],
    408: { kind: "Timeout" },
    429: { kind: "Throttling" },
    503: { kind: "Server", hinted: "Throttling" },
    504: { kind: "Timeout" }
  },
  hints: [HintHeader.retryAfter],
  directives: [],
  reasons: { rateLimitExceeded: "Throttling", userRateLimitExceeded: "Throttling" },
  retryInfo: "hint"
}

/**
 * Judges HTTP responses and errors by tables, which are read once: change `httpTables` by spread.
 *
 * The error body is read if the response carries it, as it does with `StorageRetry.withRetry`. Errors of other clients
 * are judged by their codes, their status and their `errors`, and by those of their causes; there is no opinion on
 * errors without any. Throws an `InvalidArgument` if a table has a value that its type cannot exclude.
 *
 * @category constructors
 */
export const fromTables = (tables: Tables): Classifier.Classifier => {
  const owner = "GoogleClassifier.fromTables"
  const byTables = Owner.calling(owner, () => HttpClassifier.make(tables))
  if (!Predicate.isRecord(tables.reasons)) Argument.refuse(owner, "reasons", "a table", tables.reasons)
  for (const [reason, kind] of Object.entries(tables.reasons)) {
    if (kind !== undefined) Argument.oneOf(owner, `reasons[${reason}]`, kind, Verdict.kinds)
  }
  Argument.oneOf(owner, "retryInfo", tables.retryInfo, StatusVerdict.serverDelays)
  const own: Own = { byTables, reasons: { ...tables.reasons }, retryInfo: tables.retryInfo }
  return (outcome, moment) => judgeHttp(own, outcome, moment)
}

/**
 * Cloud Storage and other JSON APIs: `httpTables`.
 *
 * @category constructors
 */
export const http: Classifier.Classifier = /*#__PURE__*/ fromTables(httpTables)

interface Own extends Pick<Tables, "reasons" | "retryInfo"> {
  readonly byTables: HttpClassifier.HttpClassifier
}

const judgeHttp = (own: Own, outcome: unknown, moment: Classifier.Moment): Verdict.Verdict => {
  const { byTables, reasons, retryInfo } = own
  if (HttpClassifier.isResponse(outcome) && HttpClassifier.isFine(byTables, outcome)) return Verdict.noOpinion
  const said = GoogleStatus.chain(outcome)
  const status = said.find(({ status }) => status !== undefined)?.status
  const judged = orByStatus(own, byTables(outcome, moment), outcome, status)
  const reason = said.flatMap(({ reasons }) => reasons).find((reason) => Object.hasOwn(reasons, reason))
  const kind = reason === undefined ? undefined : reasons[reason]
  const verdict =
    judged._tag === "Retryable" || kind === undefined
      ? judged
      : Verdict.withHint(Verdict.retryable(kind), retryAfter(own, outcome, moment))
  const delay = said.find(({ retryInfoMillis }) => retryInfoMillis !== undefined)?.retryInfoMillis
  return StatusVerdict.delayed(verdict, retryInfo, delay, kindOfStatus(status))
}

/** Judges an error of another client, which the tables do not know, by its status. */
const orByStatus = (
  { byTables }: Own,
  verdict: Verdict.Verdict,
  outcome: unknown,
  status: number | undefined
): Verdict.Verdict => {
  if (verdict._tag !== "NoOpinion" || status === undefined || HttpClassifier.isResponse(outcome)) return verdict
  const kind = byTables.tables.statuses[status]?.kind
  return kind === undefined ? Verdict.terminal(`status ${status}`) : Verdict.retryable(kind)
}

const retryAfter = ({ byTables }: Own, outcome: unknown, { nowMillis }: Classifier.Moment): number | undefined => {
  const headers = HttpClassifier.responseOf(outcome)?.headers
  return headers && HintHeader.read(byTables.tables.hints, headers, nowMillis)?.millis
}

const kindOfStatus = (status = 0): Verdict.Kind => (status === 429 ? "Throttling" : status < 500 ? "Client" : "Server")

/**
 * The options of a classifier for gRPC.
 *
 * @category models
 */
export interface Grpc extends GrpcClassifier.Options {
  /** `google.rpc.RetryInfo` in the trailers. `"retry"` is what the Java client of Bigtable does. @default "hint" */
  readonly retryInfo?: ServerDelay | undefined
}

/**
 * Judges errors as `GrpcClassifier.make` does, and reads `RetryInfo`, from trailers or from the body of a JSON API. A
 * pushback takes precedence over it.
 *
 * Source of the rules for `RetryInfo`: googleapis/java-bigtable 949c696, `RetryInfoRetryAlgorithm`.
 *
 * @category constructors
 */
export const grpc = (options: Grpc): Classifier.Classifier => {
  const owner = "GoogleClassifier.grpc"
  const rules = StatusVerdict.rules(owner, options)
  const { retryInfo = "hint" } = options
  Argument.oneOf(owner, "retryInfo", retryInfo, StatusVerdict.serverDelays)
  return (error: unknown) => {
    const said = GoogleStatus.chain(error)
    const status = Status.first(said)
    const verdict = StatusVerdict.judge(rules, status)
    if (status.code === undefined || StatusVerdict.isForbidden(verdict)) return verdict
    const info = said.find(({ retryInfoMillis }) => retryInfoMillis !== undefined)?.retryInfoMillis
    const pushback = rules.pushback === "ignore" || status.pushback === "never" ? undefined : status.pushback
    const hint = info === undefined ? undefined : (pushback ?? info)
    return StatusVerdict.delayed(verdict, retryInfo, hint, StatusVerdict.kindOf(status.code))
  }
}

/**
 * The default of the API design guide: UNAVAILABLE, and nothing else.
 *
 * Source: https://google.aip.dev/194.
 *
 * @category constructors
 */
export const aip194: Classifier.Classifier = /*#__PURE__*/ grpc({ codes: ["UNAVAILABLE"] })
