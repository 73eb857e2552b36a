/** What http is given from outside: headers, errors, addresses and bodies. */
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { type Door, few } from "@effect-retry/check/linear/Doors"
import { Backoff, Observe } from "@effect-retry/core"
import { Directive, HintHeader, HttpClassifier, HttpRetry } from "@effect-retry/http"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { inspect } from "node:util"
import { line } from "../../../../../core/src/observe/EventText.ts"
import * as ClientLine from "../../../../../http/src/classify/ClientLine.ts"
import * as ContentRange from "../../../../../http/src/classify/ContentRange.ts"
import * as FetchFailure from "../../../../../http/src/classify/FetchFailure.ts"
import * as RateLimitFields from "../../../../../http/src/classify/RateLimitFields.ts"
import * as ResetDialects from "../../../../../http/src/classify/ResetDialects.ts"
import * as RetryAfter from "../../../../../http/src/classify/RetryAfter.ts"
import * as Transport from "../../../../../http/src/classify/Transport.ts"
import * as ByteRange from "../../../../../http/src/decide/ByteRange.ts"
import * as Redirect from "../../../../../http/src/decide/Redirect.ts"
import * as Validators from "../../../../../http/src/decide/Validators.ts"
import * as Token from "../../../../../http/src/accept/Token.ts"
import { allOf, chainOf, errorOf, keyed, one, outcome, silent, wide } from "./errors.ts"

const names = [
  "age",
  "anthropic-ratelimit-requests-reset",
  "content-length",
  "content-range",
  "content-type",
  "date",
  "etag",
  "grpc-retry-pushback-ms",
  "last-modified",
  "location",
  "ratelimit",
  "ratelimit-policy",
  "ratelimit-reset",
  "retry-after",
  "retry-after-ms",
  "www-authenticate",
  "x-amz-retry-after",
  "x-ms-retry-after-ms",
  "x-rate-limit-reset",
  "x-ratelimit-reset",
  "x-ratelimit-reset-after",
  "x-ratelimit-reset-requests",
  "x-ratelimit-scope",
  "x-should-retry"
]

const headersOf = (text: string): Headers.Headers =>
  Headers.unsafeFromRecord(Object.fromEntries(names.map((name) => [name, text])))

const request = HttpClientRequest.get("http://api.example/a")

const sent = (text: string): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.post(`http://api.example/${text}?${text}`, { headers: { authorization: text, cookie: text } })

/** Some texts cannot be headers of a web response. */
const responseOf = (text: string, status = 503): HttpClientResponse.HttpClientResponse =>
  Object.create(HttpClientResponse.fromWeb(request, new Response(text, { status })), {
    headers: { value: headersOf(text) }
  }) as HttpClientResponse.HttpClientResponse

const errors = (text: string): ReadonlyArray<unknown> => [
  errorOf(text),
  new HttpClientError.RequestError({
    request: sent(text),
    reason: "Transport",
    cause: errorOf(text),
    description: text
  }),
  new HttpClientError.ResponseError({ request, response: responseOf(text), reason: "Decode", cause: errorOf(text) })
]

const many = (length: number) => [chainOf(length, "a"), wide(length), allOf(length), keyed(length)]

const judged = (outcome: unknown) => HttpClassifier.judge(HttpClassifier.standard, outcome, 0)

const printed: Observe.Observer = (event) => Effect.sync(() => [line(event), inspect(event)])

/** The whole loop of a client, with one retry. */
const retried = (
  text: string,
  fails: (
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
) =>
  Effect.runPromise(
    HttpClient.make(fails)
      .pipe(
        HttpRetry.withRetry({
          ...HttpRetry.standard,
          maxAttempts: 2,
          backoff: Backoff.constant({ delay: 0 }),
          observe: [printed, Observe.logs(), Observe.metrics]
        })
      )
      .execute(sent(text))
      .pipe(
        Effect.provide(silent),
        Effect.sandbox,
        Effect.either,
        Effect.map((ended) => (ended._tag === "Left" ? Cause.pretty(ended.left) : ""))
      )
  )

export const doors: ReadonlyArray<Door> = [
  { name: "HintHeader.read", run: (text) => HintHeader.read(HintHeader.standard, headersOf(text), 0) },
  { name: "HintHeader.retryAfter of a list", run: (text) => HintHeader.retryAfter.read(headersOf(`Sun, ${text},`), 0) },
  {
    name: "HintHeader.read of a number and blanks",
    run: (text) => HintHeader.read(HintHeader.standard, headersOf(`7${text}`), 0)
  },
  { name: "RateLimitFields.parse", run: (text) => RateLimitFields.parse(text, text) },
  {
    name: "RateLimitFields.parse of limits and policies of one name",
    pieces: one,
    run: (text) =>
      RateLimitFields.parse(
        Array.from({ length: text.length / 16 }, () => '"a";r=0').join(),
        Array.from({ length: text.length / 16 }, () => '"a";q=1;w=1').join()
      )
  },
  {
    name: "RateLimitFields.parse of limits and policies of many names",
    pieces: one,
    run: (text) =>
      RateLimitFields.parse(
        Array.from({ length: text.length / 16 }, (_, at) => `"${at}";r=0`).join(),
        Array.from({ length: text.length / 16 }, (_, at) => `"${at}";q=1;w=1`).join()
      )
  },
  {
    name: "RateLimitFields.parse of parameters",
    pieces: [";a=1", ";a", ' ; a="b"'],
    run: (text) => RateLimitFields.parse(`"a";r=0${text}`)
  },
  {
    name: "ResetDialects",
    run: (text) => [
      ResetDialects.isExhausted(text),
      ResetDialects.byMagnitude(text, 0),
      ResetDialects.seconds(text),
      ResetDialects.int32Millis(text),
      ResetDialects.duration(`1h${text}`),
      ResetDialects.untilDateTime(`2026-11-24T00:00:00.${text}`, 0)
    ]
  },
  {
    name: "RetryAfter",
    run: (text) => [RetryAfter.parse(text, 0), RetryAfter.wholeMillis(text), RetryAfter.decimalMillis(text)]
  },
  {
    name: "Directive.read",
    run: (text) => Directive.read(["x-should-retry", Directive.grpcRetryPushback], headersOf(text))
  },
  {
    name: "ContentRange",
    run: (text) => [ContentRange.parse(text), ContentRange.wholeOf(text), ContentRange.lengthOf(text)]
  },
  { name: "ByteRange.parse", run: (text) => outcome(() => ByteRange.parse("a", text)) },
  { name: "Token", run: (text) => outcome(() => Token.header("a", "b", text)) },
  {
    name: "Validators",
    run: (text) => [
      Validators.strongTag(headersOf(text)),
      Validators.strongTag({ etag: `"${text}"` }),
      Validators.isSameVersion(headersOf(text), headersOf(text)),
      Validators.strongDate({ date: text, "last-modified": text })
    ]
  },
  { name: "FetchFailure.whyLasting", run: (text) => FetchFailure.whyLasting("TypeError", text, text) },
  { name: "Transport.codeOf", run: (text) => [Transport.codeOf(errorOf(text)), Transport.isPlain(text)] },
  { name: "Transport.chains", pieces: one, run: (text) => many(text.length).map(Transport.chains) },
  { name: "HttpClassifier.judge of a response", run: (text) => judged(responseOf(text)) },
  { name: "HttpClassifier.judge of errors", run: (text) => errors(text).map(judged) },
  { name: "HttpClassifier.judge of many errors", pieces: one, run: (text) => many(text.length).map(judged) },
  {
    name: "Redirect.isPossible",
    run: (text) => errors(text).map((error) => Redirect.isPossible(sent(text), error, "follow"))
  },
  { name: "ClientLine.urlOf", run: (text) => ClientLine.urlOf(sent(text)) },
  {
    name: "an operation that is answered, observed",
    pieces: few,
    run: (text) => retried(text, () => Effect.succeed(responseOf(text)))
  },
  {
    name: "an operation without an answer, observed",
    pieces: ["a ", "password=", "    at a (b:1:2)\n"],
    run: (text) =>
      retried(text, (request) =>
        Effect.fail(
          new HttpClientError.RequestError({ request, reason: "Transport", cause: errorOf(text), description: text })
        )
      )
  }
]
