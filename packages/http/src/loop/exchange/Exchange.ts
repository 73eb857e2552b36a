/**
 * One operation over HTTP: what its attempts came to, and what that means.
 *
 * Everything that decides is core's loop; this file says what a response or an error means.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Headers from "@effect/platform/Headers"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { Verdict } from "@effect-retry/core"
import type { Classifier } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Judging from "@effect-retry/core/unstable/Judging"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import { globalValue } from "effect/GlobalValue"
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

/** An operation. Made afresh whenever its effect is run; mutable, and seen by one fiber at a time. */
export interface Exchange {
  /** As it was sent last, but for the headers of an attempt. */
  request: Request
  readonly policy: Erased
  /** Whether an operation that is given up fails with its stop; the response is then left unread. */
  readonly stops: boolean
  /** What reads the responses inside the attempts. */
  readonly reading: Reading.Reading | undefined
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  /** Where the caller's declarations are read, and only when an attempt has failed. */
  readonly context: Context.Context<never>
  /** Whether the server has answered the attempt: then it was sent, whatever an error that comes after it says. */
  answered: boolean
  /** Whether the running attempt, or the latest one, was handed to the client. */
  isSent: boolean
  /** How the last sent attempt failed. */
  previous: Attempt.Attempt["previous"]
  /** Attempts that were begun. */
  attempts: number
  /** Since the operation began; 0 where nothing reads. */
  readonly elapsedMillis: () => number
  /** The response of the running or latest attempt, where it is read. */
  received: { readonly response: Response; readonly verdict: Verdict.Verdict } | undefined
  /** What the reading of that response failed with. */
  broken: { readonly response: Response; readonly cause: Cause.Cause<unknown> } | undefined
  /** The error or response that was judged last. */
  judged: unknown
  verdict: Verdict.Verdict
  /** How often the request was handed to the client. */
  sendings: number
  /** The response that came last, for observers. */
  latest: Response | undefined
  /** Whether that was a throttle: the server and the connection are then sound. */
  throttled: boolean
  /** What was read of the body that was released last. */
  released: Effect.Effect<Option.Option<Uint8Array>>
}

export const make = (fixed: Pick<Exchange, "fiber" | "policy" | "reading" | "request" | "stops">): Exchange => ({
  ...fixed,
  context: fixed.fiber.currentContext as Context.Context<never>,
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
  Context.get(fiber.currentDefaultServices, Clock.Clock)

/** Why the request may not be sent again after a failure, in words; `undefined` where it may. */
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
  (Option.isSome(Context.getOption(context, FetchHttpClient.Fetch)) ? "follow" : undefined)

/** The platform knows by the identity of a request which scope is to abort it. */
const scopedRequests = globalValue(
  "@effect/platform/HttpClient/scopedRequests",
  () => new WeakMap<Request, AbortController>()
)

export const changed = (request: Request, headers: Headers.Input): Request =>
  scopedAs(request, HttpClientRequest.setHeaders(request, headers))

/** A request that was made from another one, which the scope of that one aborts. */
export const scopedAs = (request: Request, changed: Request): Request => {
  const controller = scopedRequests.get(request)
  if (controller !== undefined) scopedRequests.set(changed, controller)
  return changed
}

/** Sends the request once: as the caller's hook has changed it, with the headers of the attempt. */
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
 * Hands a request to the client. The spans of later attempts, such as the `http.client GET` of the platform, show how often
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
  // The key is that of the operation: the server, and the rules, go by it.
  return changed(request, Headers.remove(headers, policy.idempotency.keyHeader))
}

/** Values of headers can be secrets: only the type is shown. */
const checkedHeaders = (given: Headers.Input): Headers.Input =>
  typeof given === "object" && given !== null
    ? given
    : Argument.refuse("HttpRetry.Policy", "attemptHeaders", "a function that answers headers", typeof given)

export const judgeResponse = (exchange: Exchange, response: Response, moment: Classifier.Moment): Verdict.Verdict => {
  const { classifier, opinion } = exchange.policy
  exchange.latest = response
  return opinion === undefined && HttpClassifier.isFine(classifier, response)
    ? Verdict.noOpinion
    : judge(exchange, response, moment)
}

/**
 * Judges an error, or a response: by the caller's opinion, then by the classifier, and by whether the request may be sent
 * again.
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

/** An error of the caller's hook. Opinions, and classifiers without tables, know the errors of the client alone. */
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

/** A classifier without tables says nothing about what has become of the request. */
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

/** The caller's opinion, with what the classifier knows where the opinion says nothing about it. */
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

/** A failure that must not be retried. Buckets and rate limiters still hear what it was. */
export const forbidden = (why: string, { hint, kind }: Verdict.Retryable): Verdict.Terminal => ({
  _tag: "Terminal",
  why,
  kind: Option.some(kind),
  hint
})
