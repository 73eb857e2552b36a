/**
 * What the compiler infers and refuses; `tsc` is the one who runs these tests.
 */
import type { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, type Classifier, Deadline, type TokenBucket, Verdict } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { assertType, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Data, Schedule } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly status: number }> {}
class Late extends Data.TaggedError("Late") {}
class Token extends Context.Tag("test/Token")<Token, string>() {}
class MyBucket extends Context.Tag("test/MyBucket")<MyBucket, TokenBucket.TokenBucket>() {}
class MyLimiter extends Context.Tag("test/MyLimiter")<MyLimiter, TokenBucket.TokenBucket>() {}

declare const client: HttpClient.HttpClient
declare const own: HttpClient.HttpClient.With<Busy, Token>

const { standard } = HttpRetry

type Own<E = never, R = never> = HttpClient.HttpClient.With<Busy | HttpClientError.RequestError | E, Token | R>

describe("HttpRetry.withRetry types", () => {
  it("answers with a client where it was given one", () => {
    assertType<ReadonlyArray<() => HttpClient.HttpClient>>([
      () => HttpRetry.withRetry(client),
      () => client.pipe(HttpRetry.withRetry()),
      () => HttpRetry.withRetry(client, standard),
      () => client.pipe(HttpRetry.withRetry(standard)),
      () => HttpRetry.withRetry(client, { ...standard, maxAttempts: 5, deadline: Deadline.cut("1 second") }),
      () => client.pipe(HttpRetry.withRetry({ ...standard, attemptTimeout: AttemptTimeout.constant("1 second") })),
      () => HttpRetry.withRetry(standard)(client)
    ])
    expectTypeOf(() => HttpRetry.withRetry(client)).returns.toEqualTypeOf<HttpClient.HttpClient>()
    expectTypeOf(() => client.pipe(HttpRetry.withRetry())).returns.toEqualTypeOf<HttpClient.HttpClient>()
  })

  it("keeps the error and the requirement of a client", () => {
    expectTypeOf(() => HttpRetry.withRetry(own)).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry())).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => HttpRetry.withRetry(own, standard)).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry(standard))).returns.toEqualTypeOf<Own>()
  })

  it("shows the requirement of a bucket or a rate limiter, and only then", () => {
    const bucket = { ...standard, bucket: MyBucket }
    const both = { ...bucket, rateLimiter: MyLimiter }
    expectTypeOf(() => HttpRetry.withRetry(own, bucket)).returns.toEqualTypeOf<Own<never, MyBucket>>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry(bucket))).returns.toEqualTypeOf<Own<never, MyBucket>>()
    expectTypeOf(() => HttpRetry.withRetry(own, both)).returns.toEqualTypeOf<Own<never, MyBucket | MyLimiter>>()
    const without = { ...both, bucket: undefined, rateLimiter: undefined }
    expectTypeOf(() => HttpRetry.withRetry(own, without)).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry(without))).returns.toEqualTypeOf<Own>()
    assertType<ReadonlyArray<() => HttpClient.HttpClient>>([
      // @ts-expect-error the bucket is missing
      () => HttpRetry.withRetry(client, bucket),
      // @ts-expect-error the bucket is missing
      () => client.pipe(HttpRetry.withRetry(bucket))
    ])
  })

  it("shows what a foreign schedule requires", () => {
    const scheduled = { ...standard, backoff: Schedule.recurs(3).pipe(Schedule.tapOutput(() => Token)) }
    expectTypeOf(() => HttpRetry.withRetry(client, scheduled)).returns.toEqualTypeOf<
      HttpClient.HttpClient.With<HttpClientError.HttpClientError, Token>
    >()
  })

  it("adds errors of the caller's own making, and hides the policy's in a RequestError", () => {
    const attemptTimeout = AttemptTimeout.constant("1 second", { onTimeout: () => new Late() })
    expectTypeOf(() => HttpRetry.withRetry(own, { ...standard, attemptTimeout })).returns.toEqualTypeOf<Own<Late>>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry({ ...standard, attemptTimeout }))).returns.toEqualTypeOf<
      Own<Late>
    >()
    const deadline = Deadline.cut("1 second", { onExceeded: () => new Late() })
    expectTypeOf(() => HttpRetry.withRetry(own, { ...standard, deadline })).returns.toEqualTypeOf<Own<Late>>()
    const hidden = {
      ...standard,
      attemptTimeout: AttemptTimeout.constant("1 second"),
      deadline: Deadline.cut("1 second")
    }
    expectTypeOf(() => HttpRetry.withRetry(own, hidden)).returns.toEqualTypeOf<Own>()
  })

  it("knows the outcome in an opinion without annotation", () => {
    type Outcome = Busy | HttpClientResponse.HttpClientResponse
    const dataFirst = () =>
      HttpRetry.withRetry(own, {
        ...standard,
        opinion: (outcome) => {
          expectTypeOf(outcome).toEqualTypeOf<Outcome>()
          return outcome.status === 418 ? Verdict.transient : Verdict.noOpinion
        }
      })
    const inPipe = () =>
      own.pipe(
        HttpRetry.withRetry({
          ...standard,
          opinion: (outcome) => {
            expectTypeOf(outcome).toEqualTypeOf<Outcome>()
            return outcome.status === 418 ? Verdict.transient : Verdict.noOpinion
          }
        })
      )
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Own>()
    expectTypeOf(inPipe).returns.toEqualTypeOf<Own>()
  })

  it("refuses an opinion about another error", () => {
    const opinion: Classifier.Classifier<HttpRetry.Outcome<Late>> = () => Verdict.noOpinion
    const foreign = { ...standard, opinion }
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it does not judge Busy
      () => HttpRetry.withRetry(own, foreign),
      // @ts-expect-error it does not judge Busy
      () => own.pipe(HttpRetry.withRetry(foreign)),
      // @ts-expect-error it does not judge Busy
      () => HttpRetry.withRetry(foreign)(own)
    ])
  })

  it("refuses a policy without tables or rules", () => {
    const { classifier: _, ...unclassified } = standard
    const { idempotency: __, ...unruled } = standard
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error what is retryable is missing
      () => HttpRetry.withRetry(client, unclassified),
      // @ts-expect-error what is repeatable is missing
      () => HttpRetry.withRetry(client, unruled),
      // @ts-expect-error a delay is no back-off
      () => HttpRetry.withRetry(client, { ...standard, backoff: 100 })
    ])
  })
})

describe("HttpRetry.make types", () => {
  it("keeps the type of the policy", () => {
    const policy = { ...standard, maxAttempts: 7, backoff: Backoff.constant({ delay: 1 }), bucket: MyBucket }
    expectTypeOf(() => HttpRetry.make(policy)).returns.toEqualTypeOf<typeof policy>()
  })
})
