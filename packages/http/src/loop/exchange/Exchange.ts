/**
 * One operation over HTTP: its attempts, and what their outcomes mean.
 *
 * Core's loop makes all decisions; this file says what a response or an error means.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Headers from "@effect/platform/Headers"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Verdict } from "@effect-retry/core"
import type { Classifier } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as Judging from "@effect-retry/core/unstable/Judging"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import { scopedAs } from "../../classify/ClientLine.ts"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import * as Idempotency from "../../decide/Idempotency.ts"
import * as Redirect from "../../decide/Redirect.ts"
import * as RequestBody from "../../decide/RequestBody.ts"
import * as Attempt from "../policy/Attempt.ts"
import * as BeforeRetry from "../policy/BeforeRetry.ts"
import type { Erased } from "../policy/HttpPolicy.ts"
import type * as Reading from "./Reading.ts"

export type Request = HttpClientRequest.HttpClientRequest
export type Response = HttpClientResponse.HttpClientResponse
export type Sent = Effect.Effect<Response, unknown, unknown>

export interface Send {
  (request: Request): Sent
}

/** An operation. Made anew for each run of its effect; mutable, and used by one fiber at a time. */
export interface Exchange {
  /** The request as it was last sent, without the attempt's own headers. */
  request: Request
  readonly policy: Erased
  /** Whether an operation that gives up fails with a `RetryStopped`; its response is then left unread. */
  readonly stops: boolean
  /** Reads the responses inside the attempts. */
  readonly reading: Reading.Reading | undefined
  readonly fiber: FiberLine.AnyFiber
  /** Holds the caller's declarations, which are read only after a failed attempt. */
  readonly context: Context.Context<never>
  /** Whether the server has answered the attempt: it was then sent, whatever a later error says. */
  answered: boolean
  /** Whether the running or latest attempt was passed to the client. */
  isSent: boolean
  /** How the last sent attempt failed. */
  previous: Attempt.Attempt["previous"]
  /** The number of attempts begun. */
  attempts: number
  /** Time since the operation began; 0 without a reader. */
  readonly elapsedMillis: () => number
  /** The response of the running or latest attempt, if it is being read. */
  received: { readonly response: Response; readonly verdict: Verdict.Verdict } | undefined
  /** How the reading of that response failed. */
  broken: { readonly response: Response; readonly cause: Cause.Cause<unknown> } | undefined
  /** The error or response that was judged last. */
  judged: unknown
  verdict: Verdict.Verdict
  /** How often the request was passed to the client. */
  sendings: number
  /** The latest response, for observers. */
  latest: Response | undefined
  /** Whether it was a throttle: server and connection are then sound. */
  throttled: boolean
  /** What was read of the latest released body. */
  released: Effect.Effect<Option.Option<Uint8Array>>
}

export const make = (fixed: Pick<Exchange, "fiber" | "policy" | "reading" | "request" | "stops">): Exchange => ({
  ...fixed,
  context: FiberLine.context(fixed.fiber),
  answered: false,
  isSent: true,
  previous: Option.none(),
  attempts: 0,
  elapsedMillis: fixed.reading === undefined ? noTime : MonotonicTime.since(clockOf(fixed)),
  received: undefined,
  broken: undefined,
  judged: undefined,
  verdict: Verdict.noOpinion,
  sendings: 0,
  latest: undefined,
  throttled: false,
  released: Effect.succeedNone
})

const noTime = () => 0

export const clockOf = ({ fiber }: Pick<Exchange, "fiber">): Clock.Clock =>
  Context.get(FiberLine.services(fiber), Clock.Clock)

/** Why the request may not be sent again after a failure, in words; `undefined` if it may. */
export const whyNot = (
  { context, policy, request }: Exchange,
  processing: HttpClassifier.Processing
): string | undefined => {
  const oneShot = RequestBody.whyNotReplayable(request.body, Context.get(context, RequestBody.Declared))
  if (oneShot !== undefined) return oneShot
  const declaration = Context.get(context, Idempotency.Declared)
  const judged = Idempotency.judge(policy.idempotency, request, processing, declaration)
  return judged._tag === "NotRepeatable" ? judged.why : undefined
}

/** How a client on top of `fetch` treats redirects. */
const redirects = ({ context }: Exchange): Redirect.Mode =>
  Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit))?.redirect ??
  (context.unsafeMap.has(FetchHttpClient.Fetch.key) ? "follow" : undefined)

export const changed = (request: Request, headers: Headers.Input): Request =>
  scopedAs(request, HttpClientRequest.setHeaders(request, headers))

/** Sends the request once, as changed by the caller's hook, with the headers of the attempt. */
export const attempt = (exchange: Exchange, send: Send): Sent =>
  Effect.suspend(() => {
    const { policy, request } = exchange
    exchange.attempts += 1
    if (!Attempt.isWanted(policy)) return sent(exchange, send, request)
    return Effect.flatMap(Attempt.current(exchange), (attempt) => {
      if (policy.beforeRetry === undefined || attempt.number === 1)
        return sent(exchange, send, withHeaders(exchange, attempt))
      exchange.isSent = false
      const { keyHeader } = policy.idempotency
      return Effect.flatMap(
        BeforeRetry.changed(policy.beforeRetry, exchange.request, attempt, keyHeader),
        (changed) => {
          exchange.isSent = true
          exchange.request = scopedAs(exchange.request, changed)
          return sent(exchange, send, withHeaders(exchange, attempt))
        }
      )
    })
  })

/**
 * Passes a request to the client. The spans of later attempts, such as the `http.client GET` of the platform, show how often
 * the request was sent again.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/, "HTTP request retries and redirects", read
 * 2026-11-22.
 */
const sent = (exchange: Exchange, send: Send, request: Request): Sent => {
  const count = exchange.sendings++
  const asked = exchange.reading === undefined ? request : exchange.reading.ask(request)
  return count === 0 ? send(asked) : Effect.annotateSpans(send(asked), "http.request.resend_count", count)
}

const withHeaders = ({ policy, request }: Exchange, attempt: Attempt.Attempt): Request => {
  if (policy.attemptHeaders === undefined) return request
  const headers = Headers.fromInput(checkedHeaders(policy.attemptHeaders(attempt)))
  // The key belongs to the operation: the server and the rules rely on it.
  return changed(request, Headers.remove(headers, policy.idempotency.keyHeader))
}

/** Header values can be secrets, so only the type is shown. */
const checkedHeaders = (given: Headers.Input): Headers.Input =>
  typeof given === "object" && given !== null
    ? given
    : Argument.refuse("HttpRetry.Policy", "attemptHeaders", "a function that returns headers", typeof given)

export const judgeResponse = (exchange: Exchange, response: Response, moment: Classifier.Moment): Verdict.Verdict => {
  const { classifier, opinion } = exchange.policy
  exchange.latest = response
  return opinion === undefined && HttpClassifier.isFine(classifier, response)
    ? Verdict.noOpinion
    : judge(exchange, response, moment)
}

/**
 * Judges an error or a response: by the caller's opinion, then by the classifier, and by whether the request may be
 * sent again.
 */
export const judge = (exchange: Exchange, outcome: unknown, moment: Classifier.Moment): Verdict.Verdict => {
  const { classifier, opinion } = exchange.policy
  if (!exchange.isSent) return judgeUnsent(exchange, outcome, moment)
  const { processing, verdict } = judgement(classifier, outcome, moment)
  const combined = opinion === undefined ? verdict : combine(verdictOf("opinion", opinion, outcome, moment), verdict)
  const isUnknown =
    exchange.answered ||
    (combined._tag === "Retryable" && Redirect.isPossible(exchange.request, outcome, redirects(exchange)))
  return judgedAs(exchange, outcome, ifRepeatable(exchange, isUnknown ? "Unknown" : processing, combined))
}

/** Judges an error of the caller's hook. Opinions, and classifiers without tables, know only the client's errors. */
const judgeUnsent = (exchange: Exchange, error: unknown, moment: Classifier.Moment): Verdict.Verdict => {
  const { classifier } = exchange.policy
  const tables = HttpClassifier.isHttpClassifier(classifier) ? classifier : HttpClassifier.standard
  const { verdict } = HttpClassifier.judge(tables, error, moment.nowMillis)
  return judgedAs(exchange, error, ifRepeatable(exchange, "NotSent", verdict))
}

const judgedAs = (exchange: Exchange, outcome: unknown, verdict: Verdict.Verdict): Verdict.Verdict => {
  exchange.judged = outcome
  exchange.verdict = verdict
  exchange.throttled = verdict._tag === "Retryable" && verdict.kind === "Throttling"
  return verdict
}

/** A classifier without tables says nothing about whether the request was processed. */
const judgement = (
  classifier: Classifier.Classifier,
  outcome: unknown,
  moment: Classifier.Moment
): HttpClassifier.Judgement =>
  HttpClassifier.isHttpClassifier(classifier)
    ? HttpClassifier.judge(classifier, outcome, moment.nowMillis)
    : {
        verdict: verdictOf("classifier", classifier, outcome, moment),
        processing: HttpClassifier.judge(HttpClassifier.standard, outcome, NaN).processing
      }

const verdictOf = (
  field: string,
  judge: Classifier.Classifier,
  outcome: unknown,
  moment: Classifier.Moment
): Verdict.Verdict => {
  const ask = HttpClassifier.isResponse(outcome) ? Judging.ofResult : Judging.ofError
  return ask("HttpRetry.Policy", field, judge, outcome, moment)
}

/** The caller's opinion, completed by the classifier where the opinion says nothing. */
const combine = (opinion: Verdict.Verdict, classified: Verdict.Verdict): Verdict.Verdict => {
  if (opinion._tag === "NoOpinion") return classified
  if (classified._tag === "NoOpinion") return opinion
  const hint = Option.orElse(opinion.hint, () => classified.hint)
  return opinion._tag === "Retryable"
    ? { ...opinion, hint }
    : { ...opinion, kind: Option.orElse(opinion.kind, () => Verdict.kindOf(classified)), hint }
}

const ifRepeatable = (
  exchange: Exchange,
  processing: HttpClassifier.Processing,
  verdict: Verdict.Verdict
): Verdict.Verdict => {
  if (verdict._tag !== "Retryable") return verdict
  const why = whyNot(exchange, processing)
  return why === undefined ? verdict : forbidden(why, verdict)
}

/** A failure that must not be retried. Buckets and rate limiters are still told its kind and hint. */
export const forbidden = (why: string, { hint, kind }: Verdict.Retryable): Verdict.Terminal => ({
  _tag: "Terminal",
  why,
  kind: Option.some(kind),
  hint
})
