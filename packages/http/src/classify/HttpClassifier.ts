/**
 * Judges the outcome of an attempt over HTTP: a verdict, and whether the server may have processed the request.
 *
 * A classifier is made from tables: add or remove rows by spread. Whether a request may be sent again is decided elsewhere.
 *
 * @example
 * ```ts
 * import { HttpClassifier } from "@effect-retry/http"
 * import { HttpClientRequest, HttpClientResponse } from "@effect/platform"
 * import { Duration } from "effect"
 * import * as assert from "node:assert"
 *
 * const { standardTables } = HttpClassifier
 * const classifier = HttpClassifier.make({
 *   ...standardTables,
 *   statuses: { ...standardTables.statuses, 409: { kind: "Client" }, 500: undefined }
 * })
 *
 * const moment = { nowMillis: NaN, attempt: 1, elapsed: Duration.zero }
 * const request = HttpClientRequest.get("http://localhost/")
 * const verdictOn = (status: number) =>
 *   classifier(HttpClientResponse.fromWeb(request, new Response(null, { status })), moment)._tag
 *
 * assert.deepStrictEqual([409, 500, 503, 404].map(verdictOn), ["Retryable", "Terminal", "Retryable", "NoOpinion"])
 * ```
 */
import * as Headers from "@effect/platform/Headers"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Property from "@effect-retry/core/unstable/Property"
import * as Predicate from "effect/Predicate"
import { Verdict } from "@effect-retry/core"
import type { Classifier } from "@effect-retry/core"
import type { Case, Processing } from "./Case.ts"
import { checked, standardTables, type Tables } from "./ClassifierTables.ts"
import * as ClientLine from "./ClientLine.ts"
import * as Directive from "./Directive.ts"
import * as HintHeader from "./HintHeader.ts"
import * as Transport from "./Transport.ts"

export { standardTables, type Tables } from "./ClassifierTables.ts"
export type { Case, Processing }

/**
 * A classifier made from tables: it judges responses, and errors of every kind.
 *
 * Core's `Retry` takes it as it is. Only a client also judges whether the request may be sent again.
 *
 * @category models
 */
export interface HttpClassifier extends Classifier.Classifier {
  readonly tables: Tables
}

/**
 * The verdict on an outcome, and what is known about the request.
 *
 * @category models
 */
export interface Judgement {
  readonly verdict: Verdict.Verdict
  readonly processing: Processing
}

/** Marks classifiers made from tables. */
const made: unique symbol = /*#__PURE__*/ Symbol.for("@effect-retry/http/HttpClassifier")

/**
 * Makes a classifier from tables, which are read once.
 *
 * Throws an `InvalidArgument` if a table has a value that its type cannot exclude.
 *
 * @category constructors
 */
export const make = (tables: Tables): HttpClassifier => {
  const copy = checked("HttpClassifier.make", tables)
  const classifier: Classifier.Classifier = (outcome, { nowMillis }) => judgeBy(copy, outcome, nowMillis).verdict
  return Object.assign(classifier, { tables: copy, [made]: made })
}

/**
 * Retries what HTTP itself calls temporary, and every transport error that another attempt may cure.
 *
 * Retryable: 408, 421, 425, 429, 500, 502, 503 and 504, and 413 with a hint.
 *
 * @category constructors
 */
export const standard: HttpClassifier = /*#__PURE__*/ make(standardTables)

/**
 * Whether a classifier was made from tables.
 *
 * @category guards
 */
export const isHttpClassifier = (classifier: unknown): classifier is HttpClassifier =>
  Predicate.hasProperty(classifier, made)

/**
 * Whether an outcome is a response rather than an error.
 *
 * @category guards
 */
export const isResponse = (outcome: unknown): outcome is HttpClientResponse.HttpClientResponse =>
  Property.property(outcome, HttpClientResponse.TypeId) !== undefined

/**
 * The response to an attempt, even if it is inside an error; `undefined` if there is none.
 *
 * @category destructors
 */
export const responseOf = (outcome: unknown): HttpClientResponse.HttpClientResponse | undefined => {
  if (isResponse(outcome)) return outcome
  const response = ClientLine.isError(outcome) && Property.property(outcome, "response")
  return isResponse(response) ? response : undefined
}

/**
 * Whether a response needs no judgement: its status is below 400 and has no row. A classifier without tables must
 * always judge.
 *
 * @category guards
 */
export const isFine = (self: Classifier.Classifier<never>, response: { readonly status: number }): boolean =>
  isHttpClassifier(self) && response.status < 400 && self.tables.statuses[response.status] === undefined

/**
 * Judges a response, or any error.
 *
 * `nowMillis` is the time in milliseconds since 1970, `NaN` if it is unknown. Never throws because of an error from outside.
 *
 * @category destructors
 */
export const judge = (self: HttpClassifier, outcome: unknown, nowMillis: number): Judgement =>
  judgeBy(self.tables, outcome, nowMillis)

const judgeBy = (self: Tables, outcome: unknown, nowMillis: number): Judgement => {
  if (isResponse(outcome)) return judgeResponse(self, outcome, nowMillis)
  const reason = ClientLine.reasonOf(outcome)
  if (reason === undefined) return ClientLine.isError(outcome) ? unjudged : judgeForeign(self, outcome)
  return judgeError(self, outcome, reason, nowMillis)
}

const judgement = (verdict: Verdict.Verdict, processing: Processing = "Unknown"): Judgement => ({ verdict, processing })

const unjudged = judgement(Verdict.noOpinion)

const judgeResponse = (self: Tables, response: unknown, nowMillis: number): Judgement => {
  const status = Property.property(response, "status")
  if (typeof status !== "number" || !Number.isInteger(status)) return unjudged
  const row = self.statuses[status]
  if (status < 400 && row === undefined) return unjudged
  const found = Property.property(response, "headers")
  const headers = Headers.isHeaders(found) ? found : Headers.empty
  const directive = Directive.read(self.directives, headers)
  const hint = HintHeader.read(self.hints, headers, nowMillis)?.millis
  const known = (hint === undefined ? undefined : row?.hinted) ?? row?.kind
  if (directive?.retry === false) {
    return judgement(Verdict.terminal(directive.says, { kind: known, hint }))
  }
  const kind = known ?? (directive && wanted(status, row))
  if (kind !== undefined) return judgement(Verdict.retryable(kind, { hint }), row?.processing)
  return judgement(status < 500 ? Verdict.noOpinion : Verdict.terminal(`status ${status}`), row?.processing)
}

/** The kind of a failure that is retryable only because the server says so. */
const wanted = (status: number, row: Case | undefined): Verdict.Kind =>
  row?.hinted ?? (status < 500 ? "Client" : "Server")

const judgeError = (self: Tables, error: unknown, reason: ClientLine.Reason, nowMillis: number): Judgement => {
  // If the stream of a body fails, a part of it may already have been sent.
  const isStreamed = streamed(Property.property(error, "request"))
  switch (reason) {
    case "Transport": {
      const { processing, verdict } = judgeCauses(self, Property.property(error, "cause"), self.transport)
      return judgement(verdict, isStreamed ? "Unknown" : processing)
    }
    case "Encode":
      return judgement(Verdict.terminal("the body could not be encoded"), isStreamed ? "Unknown" : "NotSent")
    case "InvalidUrl":
      return judgement(Verdict.terminal("the URL is not valid"), "NotSent")
    default:
      return judgeResponseError(self, error, reason, nowMillis)
  }
}

const streamed = (request: unknown): boolean =>
  Property.property(Property.property(request, "body"), "_tag") === "Stream"

const judgeResponseError = (
  self: Tables,
  error: unknown,
  reason: "StatusCode" | "Decode" | "EmptyBody",
  nowMillis: number
): Judgement => {
  const response = Property.property(error, "response")
  const ofResponse = judgeResponse(self, response, nowMillis)
  switch (reason) {
    case "StatusCode":
      return ofResponse.verdict._tag === "NoOpinion"
        ? judgement(Verdict.terminal(`status ${String(Property.property(response, "status"))}`), ofResponse.processing)
        : ofResponse
    case "Decode":
    case "EmptyBody": {
      const { verdict } = judgeForeign(self, Property.property(error, "cause"))
      if (verdict._tag !== "NoOpinion") return judgement(verdict)
      if (ofResponse.verdict._tag !== "NoOpinion") return ofResponse
      return judgement(Verdict.terminal(reason === "Decode" ? undecodable : "the response has no body"))
    }
  }
}

const undecodable = "the response could not be decoded"

/** Judges an error of unknown origin: whether the request was sent is then unknown too. */
const judgeForeign = (self: Tables, error: unknown): Judgement =>
  judgement(judgeCauses(self, error, "NoOpinion").verdict)

const aborts = ["AbortError", "ABORT_ERR", "UND_ERR_ABORTED", "UND_ERR_ABORT"]

const reasonsOfAborts = ["TimeoutError", Transport.proxyRefused]

const judgeCauses = (self: Tables, error: unknown, otherwise: Case | "NoOpinion" | undefined): Judgement => {
  const judged = Transport.chains(error).map((chain) => judgeChain(self, chain, otherwise))
  // The errors of an aggregate belong to attempts at the same thing: unless they all say that nothing was sent, it is
  // unknown.
  const [processing, ...others] = new Set(judged.map((one) => one.processing))
  const first = judged.find(({ verdict }) => verdict === aborted) ?? judged.find(isOpinion) ?? unjudged
  return judgement(first.verdict, others.length === 0 ? processing : "Unknown")
}

const isOpinion = ({ verdict }: Judgement): boolean => verdict._tag !== "NoOpinion"

const aborted = Verdict.terminal("aborted")

const judgeChain = (
  { codes }: Tables,
  chain: Transport.Chain,
  otherwise: Case | "NoOpinion" | undefined
): Judgement => {
  const all = chain.flatMap((fault) => fault.codes)
  // An abort caused by a timeout is a timeout, and one caused by a proxy is a refusal of the proxy.
  const isAborted = all.some((code) => aborts.includes(code)) && !all.some((code) => reasonsOfAborts.includes(code))
  if (isAborted) return judgement(aborted)
  for (const fault of chain) {
    const code = fault.codes.find((code) => Object.hasOwn(codes, code))
    if (code !== undefined) return judgeCase(codes[code], fault.phase, `transport error ${shown(fault) ?? code}`)
  }
  if (otherwise === "NoOpinion") return unjudged
  const lasting = chain.find((fault) => fault.lasting !== undefined)?.lasting
  if (lasting !== undefined) return judgement(Verdict.terminal(lasting))
  const phase = chain.find((fault) => fault.phase !== undefined)?.phase
  return judgeCase(otherwise, phase, ["transport error", ...all.filter(Transport.isPlain).slice(0, 1)].join(" "))
}

const shown = ({ codes }: Transport.Fault): string | undefined => codes.find(Transport.isPlain)

const judgeCase = (row: Case | undefined, phase: Transport.Phase, why: string): Judgement => {
  const processing = phase === undefined ? row?.processing : phase === "Connecting" ? "NotSent" : "Unknown"
  return judgement(row?.kind === undefined ? Verdict.terminal(why) : Verdict.retryable(row.kind), processing)
}
