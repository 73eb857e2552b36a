/**
 * What the compiler infers and refuses for the functions that retry. The type check of the repository runs these tests.
 */
import { AttemptTimeout, Backoff, Classifier, Deadline, Policy, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { assertType, describe, expectTypeOf, it } from "@effect/vitest"
import { type Brand, Config, ConfigError, Context, Data, Effect, Schedule } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly retryAfterMillis: number }> {}
class Missing extends Data.TaggedError("Missing")<{ readonly id: string }> {}
class Broken extends Data.TaggedError("Broken") {}

type ApiError = Busy | Missing

interface Answer {
  readonly status: number
}

class Database extends Context.Tag("test/Database")<Database, { readonly url: string }>() {}
class MyBucket extends Context.Tag("test/MyBucket")<MyBucket, TokenBucket.TokenBucket>() {}
class MyLimiter extends Context.Tag("test/MyLimiter")<MyLimiter, TokenBucket.TokenBucket>() {}

declare const call: Effect.Effect<Answer, ApiError, Database>

const judging =
  <E>(): Classifier.Classifier<E> =>
  () =>
    Verdict.noOpinion

const times = { maxAttempts: 3, backoff: Backoff.constant({ delay: "1 second" }) }
const transient = { ...times, classifier: judging<ApiError>() }

type Same = Effect.Effect<Answer, ApiError, Database>

describe("Retry.retry types of classifiers", () => {
  it("keeps the types of the effect", () => {
    const policy = { ...times, classifier: Classifier.always }
    expectTypeOf(() => Retry.retry(call, policy)).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => call.pipe(Retry.retry(policy))).returns.toEqualTypeOf<Same>()
  })

  it("knows tags without annotation, and narrows the error of a case to its tag", () => {
    const dataFirst = () =>
      Retry.retry(call, {
        ...times,
        classifier: Classifier.fromTags({
          Busy: ({ retryAfterMillis }) => Verdict.retryable("Throttling", { hint: retryAfterMillis }),
          Missing: Verdict.terminal("it is missing")
        })
      })
    const inPipe = () =>
      call.pipe(
        Retry.retry({
          ...times,
          classifier: Classifier.fromTags({
            Busy: (error) => {
              expectTypeOf(error).toEqualTypeOf<Busy>()
              return Verdict.retryable("Throttling", { hint: error.retryAfterMillis })
            }
          })
        })
      )
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Same>()
    expectTypeOf(inPipe).returns.toEqualTypeOf<Same>()
  })

  it("refuses a tag that the error does not have", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error Bussy is no tag of ApiError
      () => Retry.retry(call, { ...times, classifier: Classifier.fromTags({ Bussy: Verdict.server }) }),
      // @ts-expect-error Bussy is no tag of ApiError
      () => call.pipe(Retry.retry({ ...times, classifier: Classifier.fromTags({ Bussy: Verdict.server }) })),
      // @ts-expect-error Bussy is no tag of ApiError
      () => call.pipe(Retry.orStopped({ ...times, classifier: Classifier.fromTags({ Bussy: Verdict.server }) }))
    ])
  })

  it("knows the error of a lambda without annotation", () => {
    const dataFirst = () =>
      Retry.retry(call, {
        ...times,
        classifier: (error) => {
          expectTypeOf(error).toEqualTypeOf<ApiError>()
          return error._tag === "Busy" ? Verdict.throttling : Verdict.noOpinion
        }
      })
    const inPipe = () =>
      call.pipe(
        Retry.retry({
          ...times,
          classifier: (error) => {
            expectTypeOf(error).toEqualTypeOf<ApiError>()
            return error._tag === "Busy" ? Verdict.throttling : Verdict.noOpinion
          }
        })
      )
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Same>()
    expectTypeOf(inPipe).returns.toEqualTypeOf<Same>()
  })

  it("knows the error in each of several classifiers", () => {
    const dataFirst = () =>
      Retry.retry(call, {
        ...times,
        classifier: Classifier.firstOf(
          Classifier.fromTags({ Busy: Verdict.throttling }),
          Classifier.fromTags({ Missing: Verdict.server })
        )
      })
    const inPipe = () =>
      call.pipe(
        Retry.retry({
          ...times,
          classifier: Classifier.firstOf(
            Classifier.fromTags({ Busy: (error) => Verdict.retryable("Throttling", { hint: error.retryAfterMillis }) }),
            Classifier.fromPredicate((error) => error._tag === "Missing"),
            (error) => {
              expectTypeOf(error).toEqualTypeOf<ApiError>()
              return Verdict.noOpinion
            }
          )
        })
      )
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Same>()
    expectTypeOf(inPipe).returns.toEqualTypeOf<Same>()
  })

  it("accepts a classifier that knows more errors, and refuses one that knows fewer or others", () => {
    const wider = { ...times, classifier: judging<ApiError | Broken>() }
    expectTypeOf(() => Retry.retry(call, wider)).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => call.pipe(Retry.retry(wider))).returns.toEqualTypeOf<Same>()
    const narrower = { ...times, classifier: judging<Busy>() }
    const other = { ...times, classifier: judging<Broken>() }
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it does not judge Missing
      () => Retry.retry(call, narrower),
      // @ts-expect-error it does not judge Missing
      () => call.pipe(Retry.retry(narrower)),
      // @ts-expect-error it judges another error
      () => Retry.retry(call, other),
      // @ts-expect-error it judges another error
      () => call.pipe(Retry.retry(other)),
      // @ts-expect-error it judges another error
      () => Retry.orStopped(call, other),
      // @ts-expect-error it judges another error
      () => Retry.retryOrElse(call, other, () => Effect.void)
    ])
  })

  it("refuses a policy without a classifier, such as a preset", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error what is retryable is for the caller to say
      () => Retry.retry(call, Policy.standard),
      // @ts-expect-error what is retryable is for the caller to say
      () => call.pipe(Retry.retry(Policy.standard)),
      // @ts-expect-error what is retryable is for the caller to say
      () => Policy.make(Policy.standard)
    ])
  })
})

describe("Retry.retry types of what a policy adds", () => {
  type With<E2> = Effect.Effect<Answer, ApiError | E2, Database>

  it("adds the timeout of an attempt, and only then", () => {
    const policy = { ...transient, attemptTimeout: AttemptTimeout.constant("1 second") }
    expectTypeOf(() => Retry.retry(call, policy)).returns.toEqualTypeOf<With<AttemptTimeout.AttemptTimedOut>>()
    expectTypeOf(() => call.pipe(Retry.retry(policy))).returns.toEqualTypeOf<With<AttemptTimeout.AttemptTimedOut>>()
    const absent = { ...transient, attemptTimeout: undefined, deadline: undefined, rateLimiter: undefined }
    expectTypeOf(() => Retry.retry(call, absent)).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => call.pipe(Retry.retry(absent))).returns.toEqualTypeOf<Same>()
  })

  it("adds what onTimeout makes of it instead", () => {
    const policy = {
      ...transient,
      attemptTimeout: AttemptTimeout.constant("1 second", { onTimeout: () => new Broken() })
    }
    expectTypeOf(() => Retry.retry(call, policy)).returns.toEqualTypeOf<With<Broken>>()
    expectTypeOf(() => call.pipe(Retry.retry(policy))).returns.toEqualTypeOf<With<Broken>>()
    const own = {
      ...transient,
      attemptTimeout: AttemptTimeout.growing(
        { initial: "1 second", factor: 2, maximum: "10 seconds" },
        { onTimeout: () => new Missing({ id: "late" }) }
      )
    }
    expectTypeOf(() => Retry.retry(call, own)).returns.toEqualTypeOf<Same>()
  })

  it("keeps what was added when a timeout is judged or disconnected", () => {
    const attemptTimeout = AttemptTimeout.disconnected(
      AttemptTimeout.judged(AttemptTimeout.constant("1 second", { onTimeout: () => new Broken() }), Verdict.server)
    )
    expectTypeOf(() => Retry.retry(call, { ...transient, attemptTimeout })).returns.toEqualTypeOf<With<Broken>>()
  })

  it("adds the error of a deadline that cuts, and of no other", () => {
    const cut = { ...transient, deadline: Deadline.cut("1 minute") }
    expectTypeOf(() => Retry.retry(call, cut)).returns.toEqualTypeOf<With<Deadline.DeadlineExceeded>>()
    expectTypeOf(() => call.pipe(Retry.retry(cut))).returns.toEqualTypeOf<With<Deadline.DeadlineExceeded>>()
    const own = { ...transient, deadline: Deadline.cut("1 minute", { onExceeded: () => new Broken() }) }
    expectTypeOf(() => Retry.retry(call, own)).returns.toEqualTypeOf<With<Broken>>()
    expectTypeOf(() => call.pipe(Retry.retry(own))).returns.toEqualTypeOf<With<Broken>>()
    const refuse = { ...transient, deadline: Deadline.refuse("1 minute") }
    expectTypeOf(() => Retry.retry(call, refuse)).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => call.pipe(Retry.retry(refuse))).returns.toEqualTypeOf<Same>()
    const truncate = { ...transient, deadline: Deadline.truncate("1 minute", { reserve: "1 second" }) }
    expectTypeOf(() => Retry.retry(call, truncate)).returns.toEqualTypeOf<Same>()
  })

  it("adds the refusal of a rate limiter, and its requirement", () => {
    const policy = { ...transient, rateLimiter: MyLimiter }
    type Sent = Effect.Effect<Answer, ApiError | Retry.AttemptRefused, Database | MyLimiter>
    expectTypeOf(() => Retry.retry(call, policy)).returns.toEqualTypeOf<Sent>()
    expectTypeOf(() => call.pipe(Retry.retry(policy))).returns.toEqualTypeOf<Sent>()
  })

  it("adds the requirement of a bucket, and no error", () => {
    const policy = { ...transient, bucket: MyBucket }
    type Funded = Effect.Effect<Answer, ApiError, Database | MyBucket>
    expectTypeOf(() => Retry.retry(call, policy)).returns.toEqualTypeOf<Funded>()
    expectTypeOf(() => call.pipe(Retry.retry(policy))).returns.toEqualTypeOf<Funded>()
    type Two = Effect.Effect<Answer, ApiError | Retry.AttemptRefused, Database | MyLimiter | TokenBucket.RetryBucket>
    const two = { ...transient, rateLimiter: MyLimiter, bucket: TokenBucket.RetryBucket }
    expectTypeOf(() => call.pipe(Retry.retry(two))).returns.toEqualTypeOf<Two>()
  })

  it("adds all of it at once", () => {
    const policy = {
      ...transient,
      rateLimiter: MyLimiter,
      attemptTimeout: AttemptTimeout.constant("1 second"),
      deadline: Deadline.cut("1 minute", { onExceeded: () => new Broken() }),
      bucket: MyBucket
    }
    type All = Effect.Effect<
      Answer,
      ApiError | Retry.AttemptRefused | AttemptTimeout.AttemptTimedOut | Broken,
      Database | MyLimiter | MyBucket
    >
    expectTypeOf(() => Retry.retry(call, policy)).returns.toEqualTypeOf<All>()
    expectTypeOf(() => call.pipe(Retry.retry(policy))).returns.toEqualTypeOf<All>()
  })

  it("knows the added error after an un-annotated classifier, too", () => {
    const inPipe = () =>
      call.pipe(
        Retry.retry({
          ...times,
          attemptTimeout: AttemptTimeout.constant("1 second"),
          classifier: (error) => (error._tag === "Busy" ? Verdict.throttling : Verdict.noOpinion)
        })
      )
    expectTypeOf(inPipe).returns.toEqualTypeOf<With<AttemptTimeout.AttemptTimedOut>>()
  })
})

describe("Retry.retry types of the running attempt", () => {
  const reading = Effect.flatMap(Retry.CurrentAttempt, () => call)

  it("fulfils its requirement if the policy provides it", () => {
    const policy = { ...transient, attempt: Retry.CurrentAttempt }
    expectTypeOf(() => Retry.retry(reading, policy)).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => reading.pipe(Retry.retry(policy))).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => reading.pipe(Retry.orStopped(policy))).returns.toEqualTypeOf<
      Effect.Effect<Answer, Retry.RetryStopped<ApiError>, Database>
    >()
  })

  it("leaves its requirement if the policy does not provide it", () => {
    type Open = Effect.Effect<Answer, ApiError, Database | Retry.CurrentAttempt>
    expectTypeOf(() => Retry.retry(reading, transient)).returns.toEqualTypeOf<Open>()
    expectTypeOf(() => reading.pipe(Retry.retry(transient))).returns.toEqualTypeOf<Open>()
  })

  it("may be provided to an effect that does not read it", () => {
    expectTypeOf(() => Retry.retry(call, { ...transient, attempt: Retry.CurrentAttempt })).returns.toEqualTypeOf<Same>()
  })
})

describe("Retry.retry types of spread", () => {
  it("keeps what was there and adds what is new", () => {
    const mine = { ...Policy.standard, classifier: Classifier.always, maxAttempts: 10, bucket: MyBucket }
    type Funded = Effect.Effect<Answer, ApiError, Database | MyBucket>
    expectTypeOf(() => Retry.retry(call, mine)).returns.toEqualTypeOf<Funded>()
    expectTypeOf(() => call.pipe(Retry.retry(mine))).returns.toEqualTypeOf<Funded>()
    const more = { ...mine, attemptTimeout: AttemptTimeout.constant("1 second") }
    expectTypeOf(() => call.pipe(Retry.retry(more))).returns.toEqualTypeOf<
      Effect.Effect<Answer, ApiError | AttemptTimeout.AttemptTimedOut, Database | MyBucket>
    >()
    const less = { ...more, bucket: undefined, attemptTimeout: undefined }
    expectTypeOf(() => call.pipe(Retry.retry(less))).returns.toEqualTypeOf<Same>()
  })

  it("adds nothing under a preset that adds nothing", () => {
    const inPipe = () =>
      call.pipe(Retry.retry({ ...Policy.standard, classifier: Classifier.fromTags({ Busy: Verdict.throttling }) }))
    expectTypeOf(inPipe).returns.toEqualTypeOf<Same>()
  })

  it("shows the error that a configured preset may add", () => {
    const config = Policy.config("payments", Policy.standard)
    expectTypeOf(config).toEqualTypeOf<Config.Config<Policy.Preset<AttemptTimeout.AttemptTimedOut>>>()
    const program = Effect.gen(function* () {
      const preset = yield* config
      return yield* call.pipe(Retry.retry({ ...preset, classifier: Classifier.fromTags({ Busy: Verdict.throttling }) }))
    })
    expectTypeOf(program).toEqualTypeOf<
      Effect.Effect<Answer, ApiError | AttemptTimeout.AttemptTimedOut | ConfigError.ConfigError, Database>
    >()
    const cutting = Policy.config<Deadline.DeadlineExceeded>("payments", {
      ...Policy.standard,
      deadline: Deadline.cut("1 hour")
    })
    expectTypeOf(cutting).toEqualTypeOf<
      Config.Config<Policy.Preset<Deadline.DeadlineExceeded | AttemptTimeout.AttemptTimedOut>>
    >()
  })
})

describe("Retry.retry types of names and observers", () => {
  it("are kept in presets and under spread, and change no other type", () => {
    const named = { ...Policy.standard, name: "fetch", observe: [() => Effect.void], whenNested: "standDown" } as const
    const retried = () => Retry.retry(call, { ...named, attemptSpan: "attempt", classifier: judging<ApiError>() })
    expectTypeOf(retried).returns.toEqualTypeOf<Same>()
    const preset: Policy.Preset = named
    const inPipe = () => call.pipe(Retry.retry({ ...preset, name: "other", classifier: Classifier.always }))
    expectTypeOf(inPipe).returns.toEqualTypeOf<Same>()
  })

  it("are refused if they do not fit", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error no such way of nesting
      () => Retry.retry(call, { ...transient, whenNested: "stop" }),
      () => Retry.retry(call, { ...transient, observe: [() => {}, () => Effect.void] }),
      // @ts-expect-error a promise would not be waited for
      () => Retry.retry(call, { ...transient, observe: [async () => {}] }),
      // @ts-expect-error an observer cannot fail
      () => Retry.retry(call, { ...transient, observe: [() => Effect.fail("broken")] }),
      // @ts-expect-error an observer brings its own services
      () => Retry.retry(call, { ...transient, observe: [() => Effect.asVoid(Database)] }),
      // @ts-expect-error a schedule has no observers
      () => Policy.toSchedule({ ...transient, observe: [() => Effect.void] })
    ])
  })
})

describe("Retry.retry types of foreign schedules", () => {
  const readsBusy = Schedule.recurWhile((error: ApiError) => error._tag === "Busy")

  it("accepts a schedule that reads the error", () => {
    const policy = { classifier: Classifier.always, maxAttempts: 3, backoff: readsBusy }
    expectTypeOf(() => Retry.retry(call, policy)).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => call.pipe(Retry.retry(policy))).returns.toEqualTypeOf<Same>()
  })

  it("refuses a schedule that reads another error", () => {
    const policy = { classifier: Classifier.always, maxAttempts: 3, backoff: Schedule.identity<Broken>() }
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error the schedule reads Broken
      () => Retry.retry(call, policy),
      // @ts-expect-error the schedule reads Broken
      () => call.pipe(Retry.retry(policy))
    ])
  })

  it("asks the schedule to know also the errors that the policy adds and the results it judges", () => {
    const base = { classifier: Classifier.always, maxAttempts: 3 }
    const attemptTimeout = AttemptTimeout.constant("1 second")
    const result = judging<Answer>()
    const knowsTimeout = Schedule.identity<ApiError | AttemptTimeout.AttemptTimedOut>()
    const knowsAnswer = Schedule.identity<ApiError | Answer>()
    expectTypeOf(() =>
      call.pipe(Retry.retry({ ...base, attemptTimeout, backoff: knowsTimeout }))
    ).returns.toEqualTypeOf<Effect.Effect<Answer, ApiError | AttemptTimeout.AttemptTimedOut, Database>>()
    expectTypeOf(() => call.pipe(Retry.retry({ ...base, result, backoff: knowsAnswer }))).returns.toEqualTypeOf<Same>()
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error the schedule does not know AttemptTimedOut
      () => Retry.retry(call, { ...base, attemptTimeout, backoff: readsBusy }),
      // @ts-expect-error the schedule does not know AttemptTimedOut
      () => call.pipe(Retry.retry({ ...base, attemptTimeout, backoff: readsBusy })),
      // @ts-expect-error the schedule does not know the result
      () => Retry.retry(call, { ...base, result, backoff: readsBusy }),
      // @ts-expect-error the schedule does not know the result
      () => Policy.make({ ...base, result, backoff: readsBusy })
    ])
  })

  it("adds what the schedule requires", () => {
    const backoff = Schedule.whileOutputEffect(Schedule.count, () => Effect.map(MyBucket, () => true))
    type Funded = Effect.Effect<Answer, ApiError, Database | MyBucket>
    expectTypeOf(() => Retry.retry(call, { ...transient, backoff })).returns.toEqualTypeOf<Funded>()
    expectTypeOf(() => call.pipe(Retry.retry({ ...transient, backoff }))).returns.toEqualTypeOf<Funded>()
  })
})

describe("Retry.retry types of judged results", () => {
  it("knows the result of a lambda without annotation", () => {
    const dataFirst = () =>
      Retry.retry(call, {
        ...transient,
        result: (answer) => {
          expectTypeOf(answer).toEqualTypeOf<Answer>()
          return answer.status === 202 ? Verdict.server : Verdict.noOpinion
        }
      })
    const inPipe = () =>
      call.pipe(
        Retry.retry({
          ...times,
          classifier: Classifier.fromTags({ Busy: Verdict.throttling }),
          result: (answer) => {
            expectTypeOf(answer).toEqualTypeOf<Answer>()
            return answer.status === 202 ? Verdict.server : Verdict.noOpinion
          }
        })
      )
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Same>()
    expectTypeOf(inPipe).returns.toEqualTypeOf<Same>()
  })

  it("refuses a judge of another result", () => {
    const policy = { ...transient, result: judging<{ readonly body: string }>() }
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it judges another result
      () => Retry.retry(call, policy),
      // @ts-expect-error it judges another result
      () => call.pipe(Retry.retry(policy))
    ])
  })
})

describe("Retry.orStopped and Retry.retryOrElse types", () => {
  it("carry the error, what the policy adds, and rejected results only if results are judged", () => {
    const orStopped = () => call.pipe(Retry.orStopped(transient))
    expectTypeOf(orStopped).returns.toEqualTypeOf<Effect.Effect<Answer, Retry.RetryStopped<ApiError>, Database>>()
    const policy = {
      ...transient,
      attemptTimeout: AttemptTimeout.constant("1 second"),
      result: judging<Answer>(),
      bucket: MyBucket
    }
    type Failure = ApiError | AttemptTimeout.AttemptTimedOut | Retry.ResultRejected<Answer>
    type Told = Effect.Effect<Answer, Retry.RetryStopped<Failure>, Database | MyBucket>
    expectTypeOf(() => Retry.orStopped(call, policy)).returns.toEqualTypeOf<Told>()
    expectTypeOf(() => call.pipe(Retry.orStopped(policy))).returns.toEqualTypeOf<Told>()
  })

  it("hand the fallback all there is, and take the errors of the fallback alone", () => {
    const orElse = (stopped: Retry.RetryStopped<ApiError>) => {
      expectTypeOf(stopped.error).toEqualTypeOf<ApiError>()
      expectTypeOf(stopped.history).toEqualTypeOf<ReadonlyArray<Retry.FailedAttempt<ApiError>>>()
      return Effect.flatMap(MyLimiter, () => Effect.fail(new Broken()))
    }
    type Fallen = Effect.Effect<Answer, Broken, Database | MyLimiter>
    expectTypeOf(() => Retry.retryOrElse(call, transient, orElse)).returns.toEqualTypeOf<Fallen>()
    expectTypeOf(() => call.pipe(Retry.retryOrElse(transient, orElse))).returns.toEqualTypeOf<Fallen>()
    const unannotated = () =>
      call.pipe(
        Retry.retryOrElse(
          { ...times, classifier: Classifier.fromTags({ Busy: Verdict.throttling }) },
          ({ error, reason }) => {
            expectTypeOf(error).toEqualTypeOf<ApiError>()
            expectTypeOf(reason).toEqualTypeOf<Retry.StopReason>()
            return Effect.succeed(error._tag)
          }
        )
      )
    expectTypeOf(unannotated).returns.toEqualTypeOf<Effect.Effect<Answer | "Busy" | "Missing", never, Database>>()
  })
})

describe("Retry.retry types of policies standing alone", () => {
  it("are applied to any effect whose error they judge", () => {
    const retried = Retry.retry(transient)
    expectTypeOf(() => retried(call)).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => call.pipe(retried)).returns.toEqualTypeOf<Same>()
    const busy: Effect.Effect<string, Busy> = Effect.succeed("done")
    expectTypeOf(() => retried(busy)).returns.toEqualTypeOf<Effect.Effect<string, Busy>>()
    const broken: Effect.Effect<string, Broken> = Effect.succeed("done")
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it does not judge Broken
      () => retried(broken)
    ])
  })

  it("add and require what the policy does", () => {
    const retried = Retry.retry({ ...transient, attemptTimeout: AttemptTimeout.constant("1 second"), bucket: MyBucket })
    expectTypeOf(() => retried(call)).returns.toEqualTypeOf<
      Effect.Effect<Answer, ApiError | AttemptTimeout.AttemptTimedOut, Database | MyBucket>
    >()
    const told = Retry.orStopped({ ...transient, rateLimiter: MyLimiter })
    expectTypeOf(() => told(call)).returns.toEqualTypeOf<
      Effect.Effect<Answer, Retry.RetryStopped<ApiError | Retry.AttemptRefused>, Database | MyLimiter>
    >()
  })

  it("keep the error and the result of what they are applied to, if the policy judges any error", () => {
    const any = { ...Policy.standard, classifier: Classifier.always }
    const retried = Retry.retry(any)
    expectTypeOf(() => retried(call)).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => call.pipe(retried)).returns.toEqualTypeOf<Same>()
    const told = Retry.orStopped(any)
    expectTypeOf(() => told(call)).returns.toEqualTypeOf<
      Effect.Effect<Answer, Retry.RetryStopped<ApiError>, Database>
    >()
    const fallback = Retry.retryOrElse(any, (stopped) => Effect.succeed(stopped))
    expectTypeOf(() => fallback(call)).returns.toEqualTypeOf<
      Effect.Effect<Answer | Retry.RetryStopped<unknown>, never, Database>
    >()
  })

  it("hand a fallback the errors that the policy judges and adds, and the results", () => {
    const timed = { ...transient, attemptTimeout: AttemptTimeout.constant("1 second") }
    const fallback = Retry.retryOrElse(timed, ({ error }) => Effect.succeed(error))
    expectTypeOf(() => fallback(call)).returns.toEqualTypeOf<
      Effect.Effect<Answer | ApiError | AttemptTimeout.AttemptTimedOut, never, Database>
    >()
    const judged = {
      ...transient,
      result: ({ status }: Answer) => (status === 503 ? Verdict.server : Verdict.noOpinion)
    }
    const failing = Retry.retryOrElse(judged, ({ error }) => Effect.fail(error))
    expectTypeOf(() => failing(call)).returns.toEqualTypeOf<
      Effect.Effect<Answer, ApiError | Retry.ResultRejected<Answer>, Database>
    >()
    const broken: Effect.Effect<Answer, Broken> = Effect.fail(new Broken())
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it does not judge Broken
      () => fallback(broken)
    ])
  })

  it("let a pipe tell the error to lambdas without annotation, also in a fallback", () => {
    const inPipe = () =>
      call.pipe(
        Retry.retryOrElse({ ...times, classifier: () => Verdict.transient }, ({ error, history }) =>
          Effect.succeed([error, history.map((failed) => failed.error)] as const)
        )
      )
    expectTypeOf(inPipe).returns.toEqualTypeOf<
      Effect.Effect<Answer | readonly [ApiError, Array<ApiError>], never, Database>
    >()
  })
})

describe("Retry.retry types of errors that say little", () => {
  const unknown: Effect.Effect<string, unknown> = Effect.succeed("done")
  const any: Effect.Effect<string, any> = Effect.succeed("done")
  const infallible: Effect.Effect<string> = Effect.succeed("done")

  it("an unknown error is told to lambdas without annotation", () => {
    const inPipe = () =>
      unknown.pipe(
        Retry.retry({
          ...times,
          classifier: (error) => {
            expectTypeOf(error).toBeUnknown()
            return error instanceof Broken ? Verdict.transient : Verdict.noOpinion
          },
          result: (text) => (text.length === 0 ? Verdict.server : Verdict.noOpinion)
        })
      )
    const dataFirst = () =>
      Retry.retry(unknown, {
        ...times,
        classifier: (error) => {
          expectTypeOf(error).toBeUnknown()
          return Verdict.noOpinion
        }
      })
    const mapped = () =>
      Retry.retry(
        Effect.map(unknown, (text) => text.length),
        { ...times, classifier: (error) => (error === 1 ? Verdict.server : Verdict.noOpinion) }
      )
    expectTypeOf(inPipe).returns.toEqualTypeOf<Effect.Effect<string, unknown>>()
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Effect.Effect<string, unknown>>()
    expectTypeOf(mapped).returns.toEqualTypeOf<Effect.Effect<number, unknown>>()
  })

  it("so is that of a promise", () => {
    const answered: Promise<Answer> = Promise.resolve({ status: 200 })
    const fetched = () =>
      Effect.tryPromise({ try: () => answered, catch: (error) => error }).pipe(
        Retry.retry({
          ...times,
          classifier: (error, { attempt }) =>
            error instanceof TypeError && attempt < 2 ? Verdict.transient : Verdict.noOpinion,
          result: ({ status }) => (status === 503 ? Verdict.server : Verdict.noOpinion)
        })
      )
    expectTypeOf(fetched).returns.toEqualTypeOf<Effect.Effect<Answer, unknown>>()
  })

  it("any other constructor of a classifier is told it, too", () => {
    const told = () =>
      unknown.pipe(
        Retry.orStopped({
          ...times,
          classifier: Classifier.fromPredicate((error) => {
            expectTypeOf(error).toBeUnknown()
            return error instanceof Broken
          })
        })
      )
    expectTypeOf(told).returns.toEqualTypeOf<Effect.Effect<string, Retry.RetryStopped<unknown>>>()
    const composed = () =>
      unknown.pipe(
        Retry.retry({
          ...times,
          attemptTimeout: AttemptTimeout.constant("1 second"),
          classifier: Classifier.firstOf(
            Classifier.fromClass(Busy, (busy) => Verdict.retryable("Throttling", { hint: busy.retryAfterMillis })),
            Classifier.fromTags({ Missing: Verdict.server }),
            (error) => (error === 1 ? Verdict.server : Verdict.noOpinion)
          )
        })
      )
    expectTypeOf(composed).returns.toEqualTypeOf<Effect.Effect<string, unknown>>()
  })

  it("an error of any type stays any", () => {
    const inPipe = () =>
      any.pipe(
        Retry.retry({
          ...times,
          classifier: (error) => {
            expectTypeOf(error).toBeAny()
            return error.status === 503 ? Verdict.server : Verdict.noOpinion
          }
        })
      )
    const dataFirst = () =>
      Retry.retry(any, { ...times, classifier: (error) => (error.status === 503 ? Verdict.server : Verdict.client) })
    const tagged = () => any.pipe(Retry.retry({ ...times, classifier: Classifier.fromTags({ Busy: Verdict.server }) }))
    expectTypeOf(inPipe).returns.toEqualTypeOf<Effect.Effect<string, any>>()
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Effect.Effect<string, any>>()
    expectTypeOf(tagged).returns.toEqualTypeOf<Effect.Effect<string, any>>()
  })

  it("an effect that cannot fail is judged by its result", () => {
    const result = (text: string) => (text === "" ? Verdict.server : Verdict.noOpinion)
    const classifier = Classifier.always
    expectTypeOf(() => infallible.pipe(Retry.retry({ ...times, classifier, result }))).returns.toEqualTypeOf<
      Effect.Effect<string>
    >()
    const lambdas = () =>
      Retry.retry(infallible, {
        ...times,
        classifier: (error) => {
          expectTypeOf(error).toBeNever()
          return Verdict.server
        },
        result: (text) => (text.length === 0 ? Verdict.server : Verdict.noOpinion)
      })
    expectTypeOf(lambdas).returns.toEqualTypeOf<Effect.Effect<string>>()
    expectTypeOf(() => infallible.pipe(Retry.orStopped({ ...times, classifier, result }))).returns.toEqualTypeOf<
      Effect.Effect<string, Retry.RetryStopped<Retry.ResultRejected<string>>>
    >()
  })

  it("a branded error keeps its brand", () => {
    type Code = string & Brand.Brand<"Code">
    const failing: Effect.Effect<number, Code> = Effect.succeed(1)
    const retried = () =>
      failing.pipe(Retry.retry({ ...times, classifier: (code) => (code === "x" ? Verdict.server : Verdict.client) }))
    expectTypeOf(retried).returns.toEqualTypeOf<Effect.Effect<number, Code>>()
  })
})

describe("Retry.retry types inside other APIs", () => {
  it("hold in a long pipe", () => {
    const retried = () =>
      call.pipe(
        Effect.map(({ status }) => status),
        Effect.tap(() => Effect.void),
        Effect.withSpan("call"),
        Effect.zipLeft(Effect.void),
        Retry.retry({
          ...times,
          classifier: Classifier.fromTags({
            Busy: ({ retryAfterMillis }) => Verdict.retryable("Throttling", { hint: retryAfterMillis })
          }),
          result: (status) => (status === 503 ? Verdict.server : Verdict.noOpinion)
        }),
        Effect.map((status) => status + 1)
      )
    expectTypeOf(retried).returns.toEqualTypeOf<Effect.Effect<number, ApiError, Database>>()
  })

  it("hold as a combinator of Effect.fn", () => {
    const fetched = Effect.fn("fetched")(
      function* (status: number) {
        if (status === 429) yield* new Busy({ retryAfterMillis: 1 })
        return status
      },
      Retry.retry({
        ...times,
        classifier: (error) => Verdict.retryable("Throttling", { hint: error.retryAfterMillis }),
        result: (status) => (status > 500 ? Verdict.server : Verdict.noOpinion)
      })
    )
    expectTypeOf(fetched).returns.toEqualTypeOf<Effect.Effect<number, Busy>>()
  })

  it("hold in methods, for overloaded calls and as a mapping function", () => {
    class Repository {
      readonly policy = transient
      read() {
        return Retry.retry(call, this.policy)
      }
    }
    expectTypeOf<Repository["read"]>().returns.toEqualTypeOf<Same>()
    interface Overloaded {
      (text: string): Effect.Effect<string, Busy>
      (count: number): Effect.Effect<number, Missing>
    }
    const overloaded = (run: Overloaded) => Retry.retry(run(1), transient)
    expectTypeOf(overloaded).returns.toEqualTypeOf<Effect.Effect<number, Missing>>()
    const mapped = () => [call, call].map(Retry.retry(transient))
    expectTypeOf(mapped).returns.toEqualTypeOf<Array<Same>>()
  })

  it("hold when a stopped operation is caught by its tag", () => {
    const caught = () =>
      call.pipe(
        Retry.orStopped(transient),
        Effect.catchTag("RetryStopped", ({ error, history }) => {
          expectTypeOf(error).toEqualTypeOf<ApiError>()
          expectTypeOf(history).toEqualTypeOf<ReadonlyArray<Retry.FailedAttempt<ApiError>>>()
          return Effect.succeed(error)
        })
      )
    expectTypeOf(caught).returns.toEqualTypeOf<Effect.Effect<Answer | ApiError, never, Database>>()
  })
})

describe("Retry.retry types in generic functions", () => {
  const always = { ...times, classifier: Classifier.always }
  const full = { ...always, bucket: MyBucket, attemptTimeout: AttemptTimeout.constant("1 second") }
  type Funded = Effect.Effect<Answer, ApiError | AttemptTimeout.AttemptTimedOut, Database | MyBucket>

  it("hold for any result, error and requirement", () => {
    const persistently = <A, E, R>(effect: Effect.Effect<A, E, R>) => Retry.retry(effect, always)
    expectTypeOf(() => persistently(call)).returns.toEqualTypeOf<Same>()
    const inPipe = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => effect.pipe(Retry.retry(always))
    expectTypeOf(() => inPipe(call)).returns.toEqualTypeOf<Same>()
    const funded = <A, E, R>(effect: Effect.Effect<A, E, R>) => Retry.retry(effect, full)
    expectTypeOf(() => funded(call)).returns.toEqualTypeOf<Funded>()
    const told = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Retry.RetryStopped<E>, R> =>
      effect.pipe(Retry.orStopped(always))
    expectTypeOf(() => told(call)).returns.toEqualTypeOf<
      Effect.Effect<Answer, Retry.RetryStopped<ApiError>, Database>
    >()
  })

  it("provide the running attempt", () => {
    const providing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Retry.retry(effect, { ...always, attempt: Retry.CurrentAttempt })
    expectTypeOf(() => providing(Effect.zipRight(Retry.CurrentAttempt, call))).returns.toEqualTypeOf<Same>()
  })

  it("hold for a bounded error", () => {
    const tagged = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
      Retry.retry(effect, {
        ...times,
        classifier: (error) => (error._tag === "Busy" ? Verdict.transient : Verdict.noOpinion)
      })
    expectTypeOf(() => tagged(call)).returns.toEqualTypeOf<Same>()
    const known = <A, R>(effect: Effect.Effect<A, ApiError, R>) =>
      Retry.retry(effect, { ...times, classifier: Classifier.fromTags({ Busy: Verdict.throttling }) })
    expectTypeOf(() => known(call)).returns.toEqualTypeOf<Same>()
  })

  it("forward a policy, data-first, with all that it adds and with its mistakes refused", () => {
    const forward = <A, E, R, P extends Policy.Fields<E, A>>(self: Effect.Effect<A, E, R>, policy: Policy.Checked<P>) =>
      Retry.retry(self, policy)
    expectTypeOf(() => forward(call, full)).returns.toEqualTypeOf<Funded>()
    const lambda = () =>
      forward(call, { ...times, classifier: (error) => (error._tag === "Busy" ? Verdict.server : Verdict.noOpinion) })
    expectTypeOf(lambda).returns.toEqualTypeOf<Same>()
    const told = <A, E, R, P extends Policy.Fields<E, A>>(self: Effect.Effect<A, E, R>, policy: Policy.Checked<P>) =>
      Effect.tap(Retry.orStopped(self, policy), () => Effect.void)
    expectTypeOf(() => told(call, { ...always, rateLimiter: MyLimiter })).returns.toEqualTypeOf<
      Effect.Effect<Answer, Retry.RetryStopped<ApiError | Retry.AttemptRefused>, Database | MyLimiter>
    >()
    const stored = <P extends Policy.Any>(policy: Policy.Checked<P>) => Retry.retry(policy)
    expectTypeOf(() => stored({ ...always, bucket: MyBucket })(call)).returns.toEqualTypeOf<
      Effect.Effect<Answer, ApiError, Database | MyBucket>
    >()
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error maxAttemps
      () => forward(call, { ...always, maxAttemps: 4 })
    ])
  })
})

describe("Retry types of a wrapper that takes an annotated policy", () => {
  type Wrapped<A, E, E2, R, R2> = Effect.Effect<A, E | E2, R | R2>
  const dataFirst = <A, E, E2, R, R2>(
    self: Effect.Effect<A, E, R>,
    policy: Policy.Policy<E, E2, R2>
  ): Wrapped<A, E, E2, R, R2> => Retry.retry(self, policy)
  const inPipe = <A, E, E2, R, R2>(
    self: Effect.Effect<A, E, R>,
    policy: Policy.Policy<E, E2, R2>
  ): Wrapped<A, E, E2, R, R2> => self.pipe(Retry.retry(policy))
  const stored =
    <E, E2, R2>(policy: Policy.Policy<E, E2, R2>) =>
    <A, R>(self: Effect.Effect<A, E, R>): Wrapped<A, E, E2, R, R2> =>
      Retry.retry(policy)(self)
  const stopped = <A, E, E2, R, R2>(
    self: Effect.Effect<A, E, R>,
    policy: Policy.Policy<E, E2, R2>
  ): Effect.Effect<A, Retry.RetryStopped<E | E2>, R | R2> => self.pipe(Retry.orStopped(policy))

  it("compiles, and says what the policy adds and requires", () => {
    type Added = AttemptTimeout.AttemptTimedOut | Retry.AttemptRefused
    const policy: Policy.Policy<ApiError, Added, MyBucket> = {
      ...transient,
      attemptTimeout: AttemptTimeout.constant("1 second"),
      rateLimiter: MyBucket
    }
    type Funded = Effect.Effect<Answer, ApiError | Added, Database | MyBucket>
    expectTypeOf(() => dataFirst(call, policy)).returns.toEqualTypeOf<Funded>()
    expectTypeOf(() => inPipe(call, policy)).returns.toEqualTypeOf<Funded>()
    expectTypeOf(() => stored(policy)(call)).returns.toEqualTypeOf<Funded>()
    expectTypeOf(() => stopped(call, policy)).returns.toEqualTypeOf<
      Effect.Effect<Answer, Retry.RetryStopped<ApiError | Added>, Database | MyBucket>
    >()
    expectTypeOf(() => Retry.retry(call, policy)).returns.toEqualTypeOf<Funded>()
  })

  it("takes a preset that is changed by spread", () => {
    const classifier = Classifier.fromTags<ApiError>({ Busy: Verdict.throttling })
    const wrapper = <A, E, R, E2 = never, R2 = never>(
      self: Effect.Effect<A, E, R>,
      policy: Policy.Policy<E, E2, R2>
    ): Wrapped<A, E, E2, R, R2> => Retry.retry(self, policy)
    expectTypeOf(() => wrapper(call, { ...Policy.standard, classifier })).returns.toEqualTypeOf<Same>()
    expectTypeOf(() => wrapper(call, { ...Policy.standard, classifier, bucket: MyBucket })).returns.toEqualTypeOf<
      Effect.Effect<Answer, ApiError, Database | MyBucket>
    >()
    const inline = () =>
      wrapper(call, { ...Policy.standard, classifier: Classifier.fromTags({ Busy: Verdict.throttling }) })
    expectTypeOf(inline).returns.toEqualTypeOf<Same>()
  })

  it("reads what an annotated policy adds from its fields when it is changed by spread", () => {
    const annotated: Policy.Policy<ApiError> = transient
    const timed = { ...annotated, attemptTimeout: AttemptTimeout.constant("1 second") }
    expectTypeOf(() => Retry.retry(call, timed)).returns.toEqualTypeOf<
      Effect.Effect<Answer, ApiError | AttemptTimeout.AttemptTimedOut, Database>
    >()
    const limited = { ...annotated, rateLimiter: MyLimiter }
    expectTypeOf(() => call.pipe(Retry.retry(limited))).returns.toEqualTypeOf<
      Effect.Effect<Answer, ApiError | Retry.AttemptRefused, Database | MyLimiter>
    >()
    const wrapped = () => dataFirst(call, { ...annotated, name: "answer" })
    expectTypeOf(wrapped).returns.toEqualTypeOf<Same>()
  })
})

describe("Policy.toSchedule types", () => {
  it("takes a preset with a classifier", () => {
    const policy = { ...Policy.standard, classifier: judging<ApiError>() }
    expectTypeOf(() => Effect.retry(call, Policy.toSchedule(policy))).returns.toEqualTypeOf<Same>()
  })

  it("is a schedule of delays that reads the error", () => {
    expectTypeOf(Policy.toSchedule(transient)).toMatchTypeOf<Schedule.Schedule<unknown, ApiError>>()
    expectTypeOf(() => Effect.retry(call, Policy.toSchedule(transient))).returns.toEqualTypeOf<Same>()
    const broken: Effect.Effect<string, Broken> = Effect.succeed("done")
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error the policy judges another error
      () => Effect.retry(broken, Policy.toSchedule(transient))
    ])
  })

  it("refuses what a schedule cannot do", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error a schedule cannot provide anything
      () => Policy.toSchedule({ ...transient, attempt: Retry.CurrentAttempt }),
      // @ts-expect-error a schedule cannot hold back an attempt
      () => Policy.toSchedule({ ...transient, rateLimiter: MyLimiter }),
      // @ts-expect-error a schedule cannot bound an attempt
      () => Policy.toSchedule({ ...transient, attemptTimeout: AttemptTimeout.constant("1 second") }),
      // @ts-expect-error a schedule sees no success
      () => Policy.toSchedule({ ...transient, result: () => Verdict.noOpinion }),
      // @ts-expect-error a schedule releases nothing
      () => Policy.toSchedule({ ...transient, release: () => Effect.void }),
      // @ts-expect-error a schedule sees no success
      () => Policy.toSchedule({ ...transient, bucket: MyBucket }),
      // @ts-expect-error a schedule cannot interrupt
      () => Policy.toSchedule({ ...transient, deadline: Deadline.cut("1 minute") })
    ])
  })
})

describe("AttemptTimeout.judged types", () => {
  it("keep the timeout in both forms", () => {
    const timeout = AttemptTimeout.constant("1 second")
    expectTypeOf(AttemptTimeout.judged(timeout, Verdict.client)).toEqualTypeOf(timeout)
    expectTypeOf(AttemptTimeout.judged(Verdict.client)(timeout)).toEqualTypeOf(timeout)
  })
})

describe("Retry types, data-first around a call with lambdas", () => {
  const policy = { ...times, classifier: judging<ApiError>(), attemptTimeout: AttemptTimeout.constant("1 second") }
  type Added = ApiError | AttemptTimeout.AttemptTimedOut

  it("sees the types of the inner call", () => {
    expectTypeOf(() =>
      Retry.retry(
        Effect.map(call, (answer) => answer.status),
        policy
      )
    ).returns.toEqualTypeOf<Effect.Effect<number, Added, Database>>()
    expectTypeOf(() =>
      Retry.orStopped(
        Effect.map(call, (answer) => answer.status),
        policy
      )
    ).returns.toEqualTypeOf<Effect.Effect<number, Retry.RetryStopped<Added>, Database>>()
    expectTypeOf(() =>
      Retry.retryOrElse(
        Effect.map(call, (answer) => answer.status),
        policy,
        (stopped) => Effect.succeed(stopped)
      )
    ).returns.toEqualTypeOf<Effect.Effect<number | Retry.RetryStopped<Added>, never, Database>>()
  })

  it("still refuses a policy for another error", () => {
    const wrong = { ...times, classifier: judging<Broken>() }
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error the policy judges another error
      () => Retry.retry(Effect.as(call, 1), wrong)
    ])
  })
})
