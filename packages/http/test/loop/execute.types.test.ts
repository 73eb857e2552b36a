/**
 * What the compiler infers of clients that say why they gave up, and of requests that are read inside their attempts.
 */
import { type HttpClient, type HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Deadline, type Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Download, HttpRetry } from "@effect-retry/http"
import { assertType, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Data, Effect, type ParseResult, Schema, type Stream } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly status: number }> {}
class Late extends Data.TaggedError("Late") {}
class Token extends Context.Tag("test/Token")<Token, string>() {}
class Store extends Context.Tag("test/Store")<Store, string>() {}
class MyBucket extends Context.Tag("test/MyBucket")<MyBucket, TokenBucket.TokenBucket>() {}

declare const client: HttpClient.HttpClient
declare const own: HttpClient.HttpClient.With<Busy, Token>
declare const request: HttpClientRequest.HttpClientRequest

const { standard } = HttpRetry

type Response = HttpClientResponse.HttpClientResponse
type Stopped<E = never> = Retry.RetryStopped<Busy | HttpClientError.RequestError | Response | E>
type Own<E = never, R = never> = HttpClient.HttpClient.With<Stopped<E>, Token | R>

describe("HttpRetry.orStopped types", () => {
  it("fails with the stop of an error or a response, and with nothing else", () => {
    type Plain = HttpClient.HttpClient.With<Retry.RetryStopped<HttpClientError.HttpClientError | Response>>
    expectTypeOf(() => HttpRetry.orStopped(client, {})).returns.toEqualTypeOf<Plain>()
    expectTypeOf(() => client.pipe(HttpRetry.orStopped({}))).returns.toEqualTypeOf<Plain>()
    expectTypeOf(() => client.pipe(HttpRetry.orStopped({ maxAttempts: 5 }))).returns.toEqualTypeOf<Plain>()
    expectTypeOf(() => HttpRetry.orStopped(standard)(client)).returns.toEqualTypeOf<Plain>()
    expectTypeOf(() => HttpRetry.orStopped(own, {})).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => own.pipe(HttpRetry.orStopped({}))).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => HttpRetry.orStopped(own, standard)).returns.toEqualTypeOf<Own>()
  })

  it("adds the errors and the requirements of the policy", () => {
    const attemptTimeout = AttemptTimeout.constant("1 second", { onTimeout: () => new Late() })
    const policy = { ...standard, attemptTimeout, bucket: MyBucket }
    expectTypeOf(() => HttpRetry.orStopped(own, policy)).returns.toEqualTypeOf<Own<Late, MyBucket>>()
    expectTypeOf(() => own.pipe(HttpRetry.orStopped(policy))).returns.toEqualTypeOf<Own<Late, MyBucket>>()
    const hidden = { ...standard, deadline: Deadline.cut("1 second") }
    expectTypeOf(() => own.pipe(HttpRetry.orStopped(hidden))).returns.toEqualTypeOf<Own>()
  })

  it("knows the outcome in an opinion without annotation, and refuses unknown fields", () => {
    const inPipe = () =>
      own.pipe(
        HttpRetry.orStopped({
          opinion: (outcome) => {
            expectTypeOf(outcome).toEqualTypeOf<Busy | Response>()
            return outcome.status === 418 ? Verdict.transient : Verdict.noOpinion
          }
        })
      )
    expectTypeOf(inPipe).returns.toEqualTypeOf<Own>()
    // @ts-expect-error misspelt
    expectTypeOf(() => HttpRetry.orStopped(client, { maxAttemps: 5 })).toBeFunction()
  })

  it("gives reason and outcome to one handler", () => {
    const handled = () =>
      HttpRetry.orStopped(client, {})
        .execute(request)
        .pipe(
          Effect.catchTag("RetryStopped", ({ error, reason }) => {
            expectTypeOf(error).toEqualTypeOf<HttpClientError.HttpClientError | Response>()
            return Effect.succeed(reason._tag)
          })
        )
    expectTypeOf(handled).returns.toEqualTypeOf<Effect.Effect<Response | Retry.StopReason["_tag"]>>()
  })
})

describe("HttpRetry.execute types", () => {
  const Order = Schema.Struct({ id: Schema.Number })
  type Decoded = Effect.Effect<{ readonly id: number }, HttpClientError.HttpClientError | ParseResult.ParseError>

  it("takes a decoder of the platform as it is", () => {
    const read = HttpClientResponse.schemaBodyJson(Order)
    expectTypeOf(() => HttpRetry.execute(client, request, read)).returns.toEqualTypeOf<Decoded>()
    expectTypeOf(() => client.pipe(HttpRetry.execute(request, read))).returns.toEqualTypeOf<Decoded>()
    expectTypeOf(() =>
      client.pipe(HttpRetry.execute(request, HttpClientResponse.schemaBodyJson(Order)))
    ).returns.toEqualTypeOf<Decoded>()
  })

  it("adds the error and the services of a reader without annotation", () => {
    type Read = Effect.Effect<string, Busy | Late | HttpClientError.ResponseError, Token | Store>
    expectTypeOf(() =>
      HttpRetry.execute(own, request, (response) =>
        response.status === 418
          ? Effect.fail(new Late())
          : Effect.flatMap(Store, (store) => Effect.map(response.text, (text) => store + text))
      )
    ).returns.toEqualTypeOf<Read>()
    expectTypeOf(() =>
      own.pipe(
        HttpRetry.execute(request, (response) => {
          expectTypeOf(response).toEqualTypeOf<Response>()
          return response.status === 418
            ? Effect.fail(new Late())
            : Effect.flatMap(Store, (store) => Effect.map(response.text, (text) => store + text))
        })
      )
    ).returns.toEqualTypeOf<Read>()
  })

  it("keeps the error of a client that says why it gave up", () => {
    expectTypeOf(() =>
      client.pipe(
        HttpRetry.orStopped({}),
        HttpRetry.execute(request, ({ text }) => text)
      )
    ).returns.toEqualTypeOf<
      Effect.Effect<
        string,
        Retry.RetryStopped<HttpClientError.HttpClientError | Response> | HttpClientError.ResponseError
      >
    >()
  })

  it("refuses a reader that reads nothing", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error not an effect
      () => HttpRetry.execute(client, request, (response) => response.status),
      // @ts-expect-error a client is no request
      () => HttpRetry.execute(client, client, ({ text }) => text),
      // @ts-expect-error the reader is missing
      () => HttpRetry.execute(client, request)
    ])
  })
})

describe("Download.stream types", () => {
  it("adds its own errors to those of the client, and keeps what the client requires", () => {
    type Failure = HttpClientError.HttpClientError | Download.DownloadFailed
    type Own = Busy | HttpClientError.ResponseError | Download.DownloadFailed
    expectTypeOf(() => Download.stream(client, request)).returns.toEqualTypeOf<Stream.Stream<Uint8Array, Failure>>()
    expectTypeOf(() => client.pipe(Download.stream(request))).returns.toEqualTypeOf<
      Stream.Stream<Uint8Array, Failure>
    >()
    expectTypeOf(() => Download.stream(own, request)).returns.toEqualTypeOf<Stream.Stream<Uint8Array, Own, Token>>()
    expectTypeOf(() => own.pipe(Download.stream(request, { validators: [Download.entityTag] }))).returns.toEqualTypeOf<
      Stream.Stream<Uint8Array, Own, Token>
    >()
  })

  it("refuses what is not a validator", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error a name is no validator
      () => Download.stream(client, request, { validators: ["etag"] }),
      // @ts-expect-error misspelt
      () => Download.stream(client, request, { validator: [Download.entityTag] })
    ])
  })
})
