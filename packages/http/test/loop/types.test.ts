/**
 * What the compiler infers and refuses: these tests run when types are checked.
 */
import { type HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Classifier, Deadline, TokenBucket, Verdict } from "@effect-retry/core"
import { Discard, Fetch, HttpClassifier, HttpRetry, Unauthorized } from "@effect-retry/http"
import { assertType, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Data, type Duration, Effect, type Option, Schedule } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly status: number }> {}
class Late extends Data.TaggedError("Late") {}
class Tokens extends Context.Tag("test/Tokens")<Tokens, string>() {}
class Token extends Context.Tag("test/Token")<Token, string>() {}
class MyBucket extends Context.Tag("test/MyBucket")<MyBucket, TokenBucket.TokenBucket>() {}
class MyLimiter extends Context.Tag("test/MyLimiter")<MyLimiter, TokenBucket.TokenBucket>() {}

declare const client: HttpClient.HttpClient
declare const own: HttpClient.HttpClient.With<Busy, Token>

const { standard } = HttpRetry

/** What an attempt is told of the one before. */
type Seen = Busy | HttpClientResponse.HttpClientResponse | HttpClientError.RequestError
type Own<E = never, R = never> = HttpClient.HttpClient.With<Busy | HttpClientError.RequestError | E, Token | R>

describe("HttpRetry.withRetry types", () => {
  it("answers with a client if it was given one", () => {
    assertType<ReadonlyArray<() => HttpClient.HttpClient>>([
      () => HttpRetry.withRetry(client, {}),
      () => client.pipe(HttpRetry.withRetry({})),
      () => HttpRetry.withRetry(client, standard),
      () => client.pipe(HttpRetry.withRetry(standard)),
      () => HttpRetry.withRetry(client, { ...standard, maxAttempts: 5, deadline: Deadline.cut("1 second") }),
      () => client.pipe(HttpRetry.withRetry({ ...standard, attemptTimeout: AttemptTimeout.constant("1 second") })),
      () => HttpRetry.withRetry(standard)(client)
    ])
    expectTypeOf(() => HttpRetry.withRetry(client, {})).returns.toEqualTypeOf<HttpClient.HttpClient>()
    expectTypeOf(() => client.pipe(HttpRetry.withRetry({}))).returns.toEqualTypeOf<HttpClient.HttpClient>()
  })

  it("judges by tags that the client can have, in every form", () => {
    const tags = Classifier.fromTags({ Busy: Verdict.server })
    const [opinion, classifier] = [{ opinion: tags }, { classifier: tags }]
    expectTypeOf(() => HttpRetry.withRetry(own, opinion)).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry(opinion))).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => HttpRetry.withRetry(opinion)(own)).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => HttpRetry.withRetry(classifier)(own)).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => HttpRetry.withRetry({ ...opinion, ...classifier })(own)).returns.toEqualTypeOf<Own>()
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error the client has no error of the tag
      () => HttpRetry.withRetry(client, opinion),
      // @ts-expect-error the client has no error of the tag
      () => client.pipe(HttpRetry.withRetry(opinion)),
      // @ts-expect-error the client has no error of the tag
      () => HttpRetry.withRetry(opinion)(client),
      // @ts-expect-error the client has no error of the tag
      () => HttpRetry.orStopped(classifier)(client),
      // @ts-expect-error the client has no error of the tag
      () => HttpRetry.withRetry({ ...classifier, opinion: Classifier.always })(client)
    ])
  })

  it("keeps the error and the requirement of a client", () => {
    expectTypeOf(() => HttpRetry.withRetry(own, {})).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry({}))).returns.toEqualTypeOf<Own>()
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

  it("takes a classifier of any kind, and knows the outcome in one without annotation", () => {
    type Outcome = Busy | HttpClientResponse.HttpClientResponse
    const dataFirst = () =>
      HttpRetry.withRetry(own, {
        classifier: (outcome) => {
          expectTypeOf(outcome).toEqualTypeOf<Outcome>()
          return outcome.status === 418 ? Verdict.transient : Verdict.noOpinion
        }
      })
    const inPipe = () =>
      own.pipe(
        HttpRetry.withRetry({
          classifier: (outcome, { nowMillis }) => {
            expectTypeOf(outcome).toEqualTypeOf<Outcome>()
            return outcome.status === nowMillis ? Verdict.transient : Verdict.noOpinion
          }
        })
      )
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Own>()
    expectTypeOf(inPipe).returns.toEqualTypeOf<Own>()
    const busy = Classifier.fromTags({ Busy: Verdict.transient })
    assertType<ReadonlyArray<() => Own>>([
      () => own.pipe(HttpRetry.withRetry({ classifier: HttpClassifier.standard })),
      () => own.pipe(HttpRetry.withRetry({ classifier: busy })),
      () => own.pipe(HttpRetry.withRetry({ classifier: Classifier.firstOf(busy, HttpClassifier.standard) })),
      () => own.pipe(HttpRetry.withRetry({ classifier: Classifier.fromTags({ Busy: Verdict.transient }) })),
      () => HttpRetry.withRetry(own, { classifier: Classifier.always })
    ])
    const foreign: Classifier.Classifier<HttpRetry.Outcome<Late>> = () => Verdict.noOpinion
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it does not judge Busy
      () => HttpRetry.withRetry(own, { classifier: foreign }),
      // @ts-expect-error it does not judge Busy
      () => own.pipe(HttpRetry.withRetry({ classifier: foreign })),
      // @ts-expect-error it does not judge Busy
      () => HttpRetry.withRetry({ classifier: foreign })(own),
      // @ts-expect-error tables are no classifier
      () => HttpRetry.withRetry(own, { classifier: HttpClassifier.standardTables })
    ])
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

  it("takes what is left out from the standard", () => {
    assertType<ReadonlyArray<() => HttpClient.HttpClient>>([
      () => HttpRetry.withRetry(client, { maxAttempts: 5 }),
      () => client.pipe(HttpRetry.withRetry({ maxAttempts: 5 })),
      () => HttpRetry.withRetry({ maxAttempts: 5 })(client)
    ])
    expectTypeOf(() => Fetch.make({ maxAttempts: 5 })).returns.toEqualTypeOf<typeof fetch>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry({ bucket: MyBucket }))).returns.toEqualTypeOf<
      Own<never, MyBucket>
    >()
    const inPipe = () =>
      own.pipe(
        HttpRetry.withRetry({
          opinion: (outcome) => {
            expectTypeOf(outcome).toEqualTypeOf<Busy | HttpClientResponse.HttpClientResponse>()
            return Verdict.noOpinion
          }
        })
      )
    expectTypeOf(inPipe).returns.toEqualTypeOf<Own>()
  })

  it("refuses what is not a policy", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error a delay is no back-off
      () => HttpRetry.withRetry(client, { ...standard, backoff: 100 }),
      // @ts-expect-error a delay is no back-off
      () => HttpRetry.withRetry(client, { backoff: 100 }),
      // @ts-expect-error a number of attempts is no policy
      () => HttpRetry.withRetry(client, 5)
    ])
  })
})

describe("HttpRetry.withRetry types of fields", () => {
  it("refuses fields that a client's policy does not have", () => {
    const misspelt = { ...standard, attempTimeout: AttemptTimeout.constant("1 second") }
    const alone = { maxAttemps: 5 }
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error misspelt
      () => HttpRetry.withRetry(client, { ...standard, attempTimeout: AttemptTimeout.constant("1 second") }),
      // @ts-expect-error misspelt
      () => HttpRetry.withRetry(client, misspelt),
      // @ts-expect-error misspelt
      () => client.pipe(HttpRetry.withRetry(misspelt)),
      // @ts-expect-error misspelt
      () => HttpRetry.withRetry(misspelt)(client),
      // @ts-expect-error misspelt
      () => HttpRetry.make(misspelt),
      // @ts-expect-error misspelt
      () => Fetch.make(misspelt),
      // @ts-expect-error misspelt
      () => HttpRetry.withRetry(client, alone),
      // @ts-expect-error misspelt
      () => client.pipe(HttpRetry.withRetry(alone)),
      // @ts-expect-error misspelt
      () => HttpRetry.withRetry(alone)(client),
      // @ts-expect-error misspelt
      () => HttpRetry.make(alone),
      // @ts-expect-error misspelt
      () => Fetch.make(alone),
      // @ts-expect-error misspelt
      () => HttpRetry.withRetry(client, { maxAttemps: 5 }),
      // @ts-expect-error misspelt
      () => client.pipe(HttpRetry.withRetry({ maxAttemps: 5 })),
      // @ts-expect-error misspelt
      () => HttpRetry.withRetry({ maxAttempts: 5, drian: Discard.nothing })(client),
      // @ts-expect-error misspelt
      () => Fetch.make({ maxAttemps: 5 }),
      // @ts-expect-error the client itself judges responses
      () => HttpRetry.withRetry(client, { ...standard, result: () => Verdict.noOpinion })
    ])
  })

  it("adds nothing for a bucket or a rate limiter that is given itself", () => {
    const given = { ...standard, bucket: TokenBucket.unlimited, rateLimiter: TokenBucket.unlimited }
    expectTypeOf(() => HttpRetry.withRetry(own, given)).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry(given))).returns.toEqualTypeOf<Own>()
  })

  it("forgets no requirement of a field that may be absent, or is one of several", () => {
    const optional: typeof standard & { readonly bucket?: typeof MyBucket } = standard
    expectTypeOf(() => HttpRetry.withRetry(own, optional)).returns.toEqualTypeOf<Own<never, MyBucket>>()
    const several = { ...standard, rateLimiter: MyBucket as typeof MyBucket | typeof MyLimiter }
    expectTypeOf(() => own.pipe(HttpRetry.withRetry(several))).returns.toEqualTypeOf<Own<never, MyBucket | MyLimiter>>()
  })

  it("lets a generic function forward a policy", () => {
    const forward = <P extends HttpRetry.Fields<Busy>>(policy: HttpRetry.Checked<P>) => HttpRetry.withRetry(own, policy)
    expectTypeOf(() => forward({ ...standard, bucket: MyBucket })).returns.toEqualTypeOf<Own<never, MyBucket>>()
  })
})

describe("HttpRetry.withRetry types of a hook", () => {
  const renew = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<typeof request, Late, Tokens> =>
    Effect.as(Tokens, request)

  it("shows its error and what it requires, and knows the attempt without annotation", () => {
    const dataFirst = () =>
      HttpRetry.withRetry(own, {
        attemptHeaders: ({ number, previous, timeLeft }) => {
          expectTypeOf(timeLeft).toEqualTypeOf<Option.Option<Duration.Duration>>()
          expectTypeOf(previous).toExtend<Option.Option<{ readonly outcome: Seen }>>()
          return { "x-attempt": String(number) }
        },
        beforeRetry: (request, { previous }) => {
          expectTypeOf(request).toEqualTypeOf<HttpClientRequest.HttpClientRequest>()
          expectTypeOf(previous).toExtend<Option.Option<{ readonly outcome: Seen }>>()
          return renew(request)
        }
      })
    const inPipe = () =>
      own.pipe(
        HttpRetry.withRetry({
          attemptHeaders: ({ previous }) => {
            expectTypeOf(previous).toExtend<Option.Option<{ readonly outcome: Seen }>>()
            return {}
          },
          beforeRetry: (request, { previous }) => {
            expectTypeOf(previous).toExtend<Option.Option<{ readonly outcome: Seen }>>()
            return renew(request)
          }
        })
      )
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Own<Late, Tokens>>()
    expectTypeOf(inPipe).returns.toEqualTypeOf<Own<Late, Tokens>>()
    const stored = { ...standard, beforeRetry: renew }
    expectTypeOf(() => HttpRetry.withRetry(stored)(own)).returns.toEqualTypeOf<Own<Late, Tokens>>()
    expectTypeOf(() => HttpRetry.withRetry(own, HttpRetry.make(stored))).returns.toEqualTypeOf<Own<Late, Tokens>>()
    const unfailing = () => HttpRetry.withRetry(client, { beforeRetry: (request) => Effect.succeed(request) })
    expectTypeOf(unfailing).returns.toEqualTypeOf<HttpClient.HttpClient>()
  })

  it("forgets neither if it may be absent, or is one of several", () => {
    const optional: typeof standard & { readonly beforeRetry?: typeof renew } = standard
    expectTypeOf(() => HttpRetry.withRetry(own, optional)).returns.toEqualTypeOf<Own<Late, Tokens>>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry(optional))).returns.toEqualTypeOf<Own<Late, Tokens>>()
    const other = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<typeof request, "other", MyBucket> =>
      Effect.as(MyBucket, request)
    const several = { ...standard, beforeRetry: renew as typeof renew | typeof other }
    expectTypeOf(() => HttpRetry.withRetry(own, several)).returns.toEqualTypeOf<
      Own<Late | "other", Tokens | MyBucket>
    >()
    const either = standard as typeof standard | (typeof standard & { readonly beforeRetry: typeof renew })
    expectTypeOf(() => HttpRetry.withRetry(own, either)).returns.toEqualTypeOf<Own<Late, Tokens>>()
    const annotated: HttpRetry.Policy<Busy, Late, Tokens> = { ...standard, beforeRetry: renew }
    expectTypeOf(() => HttpRetry.withRetry(own, annotated)).returns.toEqualTypeOf<Own<Late, Tokens>>()
    // @ts-expect-error the requirement is forgotten
    const forgetful: HttpRetry.Policy<Busy, Late> = { ...standard, beforeRetry: renew }
    // @ts-expect-error the error is forgotten
    const unerring: HttpRetry.Policy<Busy, never, Tokens> = { ...standard, beforeRetry: renew }
    expectTypeOf([forgetful, unerring]).toBeArray()
  })

  it("refuses one that judges another error, and one that answers no request", () => {
    const foreign = { ...standard, attemptHeaders: ({ number }: HttpRetry.Attempt<Late>) => ({ n: String(number) }) }
    const hook = {
      ...standard,
      beforeRetry: (request: HttpClientRequest.HttpClientRequest, { number }: HttpRetry.Attempt<Late>) =>
        Effect.succeed(HttpClientRequest.appendUrl(request, String(number)))
    }
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it does not know Busy
      () => HttpRetry.withRetry(own, foreign),
      // @ts-expect-error it does not know Busy
      () => own.pipe(HttpRetry.withRetry(foreign)),
      // @ts-expect-error it does not know Busy
      () => HttpRetry.withRetry(foreign)(own),
      // @ts-expect-error it does not know Busy
      () => HttpRetry.withRetry(own, hook),
      // @ts-expect-error it does not know Busy
      () => HttpRetry.withRetry(hook)(own),
      // @ts-expect-error no request
      () => HttpRetry.withRetry(own, { beforeRetry: () => Effect.succeed(1) }),
      // @ts-expect-error no effect
      () => own.pipe(HttpRetry.withRetry({ beforeRetry: (request) => request }))
    ])
  })

  it("renews credentials with the error and the services of the renewal", () => {
    const renewing = Unauthorized.renewing((request) => {
      expectTypeOf(request).toEqualTypeOf<HttpClientRequest.HttpClientRequest>()
      return renew(request)
    })
    expectTypeOf(() => HttpRetry.withRetry(own, renewing)).returns.toEqualTypeOf<Own<Late, Tokens>>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry({ ...standard, ...renewing }))).returns.toEqualTypeOf<
      Own<Late, Tokens>
    >()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry(Unauthorized.renewing(renew)))).returns.toEqualTypeOf<
      Own<Late, Tokens>
    >()
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error a `fetch` has no services
      () => Fetch.make(renewing),
      // @ts-expect-error a `fetch` has no services
      () => Fetch.make({ bucket: MyBucket }),
      // @ts-expect-error a `fetch` has no services
      () => Fetch.make({ backoff: Schedule.recurs(3).pipe(Schedule.tapOutput(() => Token)) }),
      () =>
        Fetch.make({
          opinion: (outcome) => {
            expectTypeOf(outcome).toEqualTypeOf<HttpRetry.Outcome<HttpClientError.RequestError>>()
            return Verdict.noOpinion
          },
          beforeRetry: (request) => Effect.succeed(request)
        })
    ])
    expectTypeOf(() => Fetch.makeEffect(renewing)).returns.toEqualTypeOf<Effect.Effect<typeof fetch, never, Tokens>>()
  })
})

describe("HttpRetry.withOptions types", () => {
  const effect = {} as Effect.Effect<string, Busy, Tokens>

  it("leaves the types of the effect as they are", () => {
    const inPipe = () =>
      effect.pipe(
        HttpRetry.withOptions({
          maxAttempts: 1,
          attemptTimeout: AttemptTimeout.constant("1 second"),
          deadline: Deadline.cut("1 second"),
          backoff: Backoff.constant({ delay: 1 }),
          bucket: TokenBucket.unlimited,
          classifier: HttpClassifier.standard,
          opinion: (outcome) => {
            expectTypeOf(outcome).toEqualTypeOf<unknown>()
            return Verdict.noOpinion
          },
          beforeRetry: (request) => Effect.succeed(request)
        })
      )
    expectTypeOf(inPipe).returns.toEqualTypeOf<typeof effect>()
    expectTypeOf(() => HttpRetry.withOptions(effect, { maxAttempts: 1 })).returns.toEqualTypeOf<typeof effect>()
    const stored = { maxAttempts: 1, deadline: Deadline.refuse("1 second") }
    expectTypeOf(() => HttpRetry.withOptions(stored)(effect)).returns.toEqualTypeOf<typeof effect>()
    const annotated: HttpRetry.Options = stored
    expectTypeOf(() => effect.pipe(HttpRetry.withOptions(annotated))).returns.toEqualTypeOf<typeof effect>()
  })

  it("refuses what would add an error or a service, and unknown fields", () => {
    const late = { onTimeout: () => new Late() }
    const misspelt = { maxAttemps: 1 }
    const judging: Classifier.Classifier<HttpRetry.Outcome<Busy>> = () => Verdict.noOpinion
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error misspelt
      () => effect.pipe(HttpRetry.withOptions({ maxAttemps: 1 })),
      // @ts-expect-error misspelt
      () => effect.pipe(HttpRetry.withOptions(misspelt)),
      // @ts-expect-error misspelt
      () => HttpRetry.withOptions(effect, misspelt),
      // @ts-expect-error an error of the caller's own
      () => HttpRetry.withOptions({ attemptTimeout: AttemptTimeout.constant("1 second", late) }),
      // @ts-expect-error an error of the caller's own
      () => HttpRetry.withOptions({ deadline: Deadline.cut("1 second", { onExceeded: () => new Late() }) }),
      // @ts-expect-error an error of the caller's own
      () => HttpRetry.withOptions({ beforeRetry: () => Effect.fail(new Late()) }),
      // @ts-expect-error a service
      () => HttpRetry.withOptions({ bucket: MyBucket }),
      // @ts-expect-error a service
      () => HttpRetry.withOptions({ rateLimiter: MyLimiter }),
      // @ts-expect-error a service
      () => HttpRetry.withOptions({ backoff: Schedule.recurs(3).pipe(Schedule.tapOutput(() => Token)) }),
      // @ts-expect-error a service
      () => HttpRetry.withOptions({ beforeRetry: (request) => Effect.as(Tokens, request) }),
      // @ts-expect-error it judges the errors of one client alone
      () => HttpRetry.withOptions({ opinion: judging })
    ])
  })
})

describe("HttpRetry.withRetry types of an empty policy", () => {
  it("are those of a policy that leaves everything out", () => {
    expectTypeOf(() => HttpRetry.withRetry(client, {})).returns.toEqualTypeOf<HttpClient.HttpClient>()
    expectTypeOf(() => HttpRetry.withRetry(own, {})).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => own.pipe(HttpRetry.withRetry({}))).returns.toEqualTypeOf<Own>()
    expectTypeOf(() => HttpRetry.withRetry({})(own)).returns.toEqualTypeOf<Own>()
  })
})

describe("HttpRetry.Policy", () => {
  it("annotates a policy, and forgets neither errors nor requirements", () => {
    const annotated: HttpRetry.Policy<Busy, Late, MyBucket> = {
      ...standard,
      attemptTimeout: AttemptTimeout.constant("1 second", { onTimeout: () => new Late() }),
      bucket: MyBucket
    }
    expectTypeOf(() => HttpRetry.withRetry(own, annotated)).returns.toEqualTypeOf<Own<Late, MyBucket>>()
    // @ts-expect-error the requirement is forgotten
    const forgetful: HttpRetry.Policy<Busy> = { ...standard, bucket: MyBucket }
    // @ts-expect-error the error is forgotten
    const unerring: HttpRetry.Policy<Busy> = { ...standard, attemptTimeout: annotated.attemptTimeout }
    expectTypeOf([forgetful, unerring]).toBeArray()
  })

  it("forgets no requirement of a schedule", () => {
    const backoff = Schedule.recurs(3).pipe(Schedule.tapOutput(() => Token))
    const annotated: HttpRetry.Policy<unknown, never, Token> = { ...standard, backoff }
    expectTypeOf(() => HttpRetry.withRetry(client, annotated)).returns.toEqualTypeOf<
      HttpClient.HttpClient.With<HttpClientError.HttpClientError, Token>
    >()
  })

  it("names no error for a rate limiter, whose refusal is a cause", () => {
    const annotated: HttpRetry.Policy<Busy, never, MyLimiter> = { ...standard, rateLimiter: MyLimiter }
    expectTypeOf(() => HttpRetry.withRetry(own, annotated)).returns.toEqualTypeOf<Own<never, MyLimiter>>()
  })
})

describe("HttpRetry.make types", () => {
  it("keeps the type of the policy", () => {
    const policy = { ...standard, maxAttempts: 7, backoff: Backoff.constant({ delay: 1 }), bucket: MyBucket }
    expectTypeOf(() => HttpRetry.make(policy)).returns.toEqualTypeOf<typeof policy>()
  })
})
