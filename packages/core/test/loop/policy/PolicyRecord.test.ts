/**
 * No type of an operation forgets an error or a service, and no mistake in a policy compiles. The type check of the
 * repository runs these tests.
 */
import {
  AttemptTimeout,
  Backoff,
  Classifier,
  Deadline,
  Policy,
  Promises,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { assertType, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Data, Effect, Schedule } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly retryAfterMillis: number }> {}
class Missing extends Data.TaggedError("Missing")<{ readonly id: string }> {}
class Broken extends Data.TaggedError("Broken") {}

class Reads extends Context.Tag("test/Reads")<Reads, TokenBucket.TokenBucket>() {}
class Writes extends Context.Tag("test/Writes")<Writes, TokenBucket.TokenBucket>() {}
class Limiter extends Context.Tag("test/Limiter")<Limiter, TokenBucket.TokenBucket>() {}
class Database extends Context.Tag("test/Database")<Database, { readonly url: string }>() {}
class OwnAttempt extends Context.Tag("test/OwnAttempt")<OwnAttempt, Retry.Attempt>() {}

declare const busy: Effect.Effect<string, Busy>
declare const busyOrMissing: Effect.Effect<string, Busy | Missing>
declare const write: boolean
const bucket: TokenBucket.TokenBucket = TokenBucket.unlimited
declare const distant: TokenBucket.TokenBucket<"store is down">

type Text<E, R = never> = Effect.Effect<string, E, R>
type Refused = Retry.AttemptRefused
type TimedOut = AttemptTimeout.AttemptTimedOut
type Late = Deadline.DeadlineExceeded

const policy = { classifier: Classifier.always, maxAttempts: 2, backoff: Backoff.constant({ delay: 0 }) }
const timeout = AttemptTimeout.constant("1 second")
const release: Policy.Release = () => Effect.void
const judging =
  <A>(): ((result: A) => Verdict.Verdict) =>
  () =>
    Verdict.noOpinion

describe("Policy.Fields types of an optional field", () => {
  interface Chosen {
    readonly bucket?: typeof Reads
    readonly rateLimiter?: typeof Limiter | undefined
    readonly attemptTimeout?: AttemptTimeout.AttemptTimeout
    readonly deadline?: Deadline.Deadline<Late> | undefined
    readonly result?: (result: string) => Verdict.Verdict
    readonly attempt?: typeof Retry.CurrentAttempt
  }

  it("keep its service in every retry function, even when it is present as undefined", () => {
    const chosen = ({ bucket }: Pick<Chosen, "bucket">) => ({ ...policy, ...(bucket && { bucket }) })
    const optional = (options: Pick<Chosen, "bucket">) => ({ ...policy, ...options })
    const orUndefined = (bucket: typeof Reads | undefined) => ({ ...policy, bucket })
    const spread = () => ({ ...policy, ...(write ? { bucket: Reads } : {}) })
    expectTypeOf(() => Retry.retry(busy, chosen({}))).returns.toEqualTypeOf<Text<Busy, Reads>>()
    expectTypeOf(() => Retry.retry(busy, optional({}))).returns.toEqualTypeOf<Text<Busy, Reads>>()
    expectTypeOf(() => Retry.retry(busy, orUndefined(Reads))).returns.toEqualTypeOf<Text<Busy, Reads>>()
    expectTypeOf(() => Retry.retry(busy, spread())).returns.toEqualTypeOf<Text<Busy, Reads>>()
    expectTypeOf(() => busy.pipe(Retry.retry(optional({})))).returns.toEqualTypeOf<Text<Busy, Reads>>()
    expectTypeOf(() => Retry.retry(optional({}))(busy)).returns.toEqualTypeOf<Text<Busy, Reads>>()
    expectTypeOf(() => Retry.retryOrElse(busy, optional({}), () => Effect.succeed("none"))).returns.toEqualTypeOf<
      Text<never, Reads>
    >()
  })

  it("keep the error that it may add, and its service", () => {
    const limited = (options: Pick<Chosen, "rateLimiter">) => Retry.retry(busy, { ...policy, ...options })
    expectTypeOf(limited).returns.toEqualTypeOf<Text<Busy | Refused, Limiter>>()
    const timed = (options: Pick<Chosen, "attemptTimeout">) => Retry.retry(busy, { ...policy, ...options })
    expectTypeOf(timed).returns.toEqualTypeOf<Text<Busy | TimedOut>>()
    const bounded = (options: Pick<Chosen, "deadline">) => busy.pipe(Retry.retry({ ...policy, ...options }))
    expectTypeOf(bounded).returns.toEqualTypeOf<Text<Busy | Late>>()
    const told = () => Retry.orStopped(busy, { ...policy, ...(write ? { rateLimiter: Limiter } : {}) })
    expectTypeOf(told).returns.toEqualTypeOf<Text<Retry.RetryStopped<Busy | Refused>, Limiter>>()
  })

  it("keep the result that may be rejected, and refuse an effect with another result", () => {
    type Rejected = Retry.RetryStopped<Busy | Retry.ResultRejected<string>>
    const judged = (options: Pick<Chosen, "result">) => ({ ...policy, ...options })
    expectTypeOf(() => Retry.orStopped(busy, judged({}))).returns.toEqualTypeOf<Text<Rejected>>()
    expectTypeOf(() => busy.pipe(Retry.orStopped(judged({})))).returns.toEqualTypeOf<Text<Rejected>>()
    expectTypeOf(() => Retry.orStopped(judged({}))(busy)).returns.toEqualTypeOf<Text<Rejected>>()
    const numbers: typeof policy & { readonly result?: (result: number) => Verdict.Verdict } = policy
    const stored = () => Retry.retry(numbers)
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it judges numbers
      () => Retry.retry(busy, numbers),
      // @ts-expect-error it judges numbers
      () => busy.pipe(Retry.retry(numbers)),
      // @ts-expect-error it judges numbers
      () => stored()(busy)
    ])
  })

  it("leave the requirement of the running attempt, which it may not provide", () => {
    const reading = Effect.as(Retry.CurrentAttempt, "read")
    const provided = (options: Pick<Chosen, "attempt" | "bucket">) => Retry.retry(reading, { ...policy, ...options })
    expectTypeOf(provided).returns.toEqualTypeOf<Text<never, Retry.CurrentAttempt | Reads>>()
  })

  it("add nothing when it is undefined", () => {
    const absent = {
      ...policy,
      rateLimiter: undefined,
      bucket: undefined,
      attemptTimeout: undefined,
      result: undefined
    }
    expectTypeOf(() => busy.pipe(Retry.retry(absent))).returns.toEqualTypeOf<Text<Busy>>()
    expectTypeOf(() => busy.pipe(Retry.orStopped(absent))).returns.toEqualTypeOf<Text<Retry.RetryStopped<Busy>>>()
    const maybe = (deadline: Deadline.Deadline | undefined) => Retry.retry(busy, { ...policy, deadline })
    expectTypeOf(maybe).returns.toEqualTypeOf<Text<Busy>>()
  })
})

describe("Policy.Fields types of one of several", () => {
  it("tags keep all their services, and a bucket itself adds none", () => {
    const either = () => Retry.retry(busy, { ...policy, bucket: write ? Writes : Reads })
    expectTypeOf(either).returns.toEqualTypeOf<Text<Busy, Reads | Writes>>()
    const tagOrBucket = () => Retry.retry(busy, { ...policy, bucket: write ? Writes : bucket })
    expectTypeOf(tagOrBucket).returns.toEqualTypeOf<Text<Busy, Writes>>()
    expectTypeOf(() => Retry.retry(busy, { ...policy, bucket })).returns.toEqualTypeOf<Text<Busy>>()
    expectTypeOf(() => busy.pipe(Retry.retry({ ...policy, rateLimiter: bucket }))).returns.toEqualTypeOf<
      Text<Busy | Refused>
    >()
    const limited = () => busy.pipe(Retry.retry({ ...policy, rateLimiter: write ? Limiter : undefined }))
    expectTypeOf(limited).returns.toEqualTypeOf<Text<Busy | Refused, Limiter>>()
  })

  it("policies keep what each adds and requires", () => {
    const one = () => (write ? policy : { ...policy, bucket: Reads, attemptTimeout: timeout })
    expectTypeOf(() => Retry.retry(busy, one())).returns.toEqualTypeOf<Text<Busy | TimedOut, Reads>>()
    expectTypeOf(() => busy.pipe(Retry.retry(one()))).returns.toEqualTypeOf<Text<Busy | TimedOut, Reads>>()
    expectTypeOf(() => Retry.retry(one())(busy)).returns.toEqualTypeOf<Text<Busy | TimedOut, Reads>>()
  })

  it("attempts provide what all of them provide", () => {
    const reading = Effect.as(Effect.zip(Retry.CurrentAttempt, OwnAttempt), "read")
    const own = { ...policy, attempt: OwnAttempt }
    const current = { ...policy, attempt: Retry.CurrentAttempt }
    type Both = Text<never, Retry.CurrentAttempt | OwnAttempt>
    expectTypeOf(() => Retry.retry(reading, own)).returns.toEqualTypeOf<Text<never, Retry.CurrentAttempt>>()
    expectTypeOf(() => Retry.retry(reading, write ? own : current)).returns.toEqualTypeOf<Both>()
    expectTypeOf(() => reading.pipe(Retry.retry(write ? own : policy))).returns.toEqualTypeOf<Both>()
    expectTypeOf(() =>
      Retry.retry(reading, { ...policy, attempt: write ? OwnAttempt : Retry.CurrentAttempt })
    ).returns.toEqualTypeOf<Both>()
    const every = () => (write ? current : { ...current, bucket: Reads })
    expectTypeOf(() => reading.pipe(Retry.retry(every()))).returns.toEqualTypeOf<Text<never, Reads | OwnAttempt>>()
  })

  it("judges must each know the result, and classifiers the error", () => {
    const judges = () => (write ? { ...policy, result: judging<number>() } : { ...policy, result: judging<string>() })
    const classifiers = () =>
      write ? { ...policy, classifier: judging<Busy>() } : { ...policy, classifier: judging<Missing>() }
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error one of them judges numbers
      () => Retry.retry(busy, judges()),
      // @ts-expect-error one of them judges numbers
      () => busy.pipe(Retry.retry(judges())),
      // @ts-expect-error one of them judges numbers
      () => Retry.retry(judges())(busy),
      // @ts-expect-error each judges one error of two
      () => Retry.retry(busyOrMissing, classifiers()),
      // @ts-expect-error each judges one error of two
      () => busyOrMissing.pipe(Retry.retry(classifiers())),
      // @ts-expect-error each judges one error of two
      () => Retry.retry(classifiers())(busyOrMissing)
    ])
  })

  it("timeouts and deadlines keep the error of each", () => {
    const own = AttemptTimeout.constant("1 second", { onTimeout: () => new Broken() })
    const timed = () => Retry.retry(busy, { ...policy, attemptTimeout: write ? timeout : own })
    expectTypeOf(timed).returns.toEqualTypeOf<Text<Busy | TimedOut | Broken>>()
    const bounded = () => Retry.retry(busy, { ...policy, deadline: write ? Deadline.cut(1) : Deadline.refuse(1) })
    expectTypeOf(bounded).returns.toEqualTypeOf<Text<Busy | Late>>()
    const unknown = (attemptTimeout: AttemptTimeout.AttemptTimeout<unknown>) =>
      Retry.retry(busy, { ...policy, attemptTimeout })
    expectTypeOf(unknown).returns.toEqualTypeOf<Text<unknown>>()
  })

  it("schedules keep the service that one of them requires", () => {
    const asking = Schedule.recurWhileEffect(() => Effect.as(Reads, true))
    const either = () => Retry.retry(busy, { ...policy, backoff: write ? Schedule.recurs(1) : asking })
    expectTypeOf(either).returns.toEqualTypeOf<Text<Busy, Reads>>()
  })
})

describe("Policy.Fields types of buckets", () => {
  it("refuse a bucket that can fail, and a tag of something else", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error the store can fail
      () => Retry.retry(busy, { ...policy, bucket: distant }),
      // @ts-expect-error the store can fail
      () => busy.pipe(Retry.retry({ ...policy, bucket: distant })),
      // @ts-expect-error the store can fail
      () => busy.pipe(Retry.retry({ ...policy, rateLimiter: distant })),
      // @ts-expect-error the store can fail
      () => Policy.make({ ...policy, rateLimiter: distant }),
      // @ts-expect-error it is no bucket
      () => Retry.retry(busy, { ...policy, bucket: Database }),
      // @ts-expect-error it is no bucket
      () => busy.pipe(Retry.retry({ ...policy, rateLimiter: Database }))
    ])
  })

  it("take one whose failure the caller has decided on", () => {
    const decided = () =>
      Retry.retry(busy, { ...policy, bucket: TokenBucket.failOpen(distant, { within: "1 second" }) })
    expectTypeOf(decided).returns.toEqualTypeOf<Text<Busy>>()
  })
})

describe("Policy.Fields types of a release", () => {
  it("add the deadline that may pass while something is released, and only together with one", () => {
    const refusing = { ...policy, release, deadline: Deadline.refuse("1 minute") }
    expectTypeOf(() => Retry.retry(busy, refusing)).returns.toEqualTypeOf<Text<Busy | Late>>()
    expectTypeOf(() => busy.pipe(Retry.retry(refusing))).returns.toEqualTypeOf<Text<Busy | Late>>()
    const truncating = { ...policy, release, deadline: Deadline.truncate("1 minute", { reserve: "1 second" }) }
    expectTypeOf(() => Retry.retry(truncating)(busy)).returns.toEqualTypeOf<Text<Busy | Late>>()
    const optional = () => Retry.retry(busy, { ...refusing, release: write ? release : undefined })
    expectTypeOf(optional).returns.toEqualTypeOf<Text<Busy | Late>>()
    expectTypeOf(() => Retry.retry(busy, { ...policy, release })).returns.toEqualTypeOf<Text<Busy>>()
    const bare = { ...policy, deadline: Deadline.refuse("1 minute") }
    expectTypeOf(() => Retry.retry(busy, bare)).returns.toEqualTypeOf<Text<Busy>>()
  })

  it("leave a deadline that cuts its own error", () => {
    const cutting = { ...policy, release, deadline: Deadline.cut("1 minute", { onExceeded: () => new Broken() }) }
    expectTypeOf(() => Retry.retry(busy, cutting)).returns.toEqualTypeOf<Text<Busy | Broken>>()
    const either = () => Retry.retry(busy, { ...cutting, deadline: write ? cutting.deadline : Deadline.refuse(1) })
    expectTypeOf(either).returns.toEqualTypeOf<Text<Busy | Broken | Late>>()
  })
})

describe("Policy.Policy types", () => {
  it("refuse an annotation that would forget", () => {
    const asking = Schedule.recurWhileEffect(() => Effect.as(Reads, true))
    const bounded = { ...policy, release, deadline: Deadline.refuse("1 minute") }
    const annotated: (policy: Policy.Policy<Busy>) => void = () => undefined
    assertType<ReadonlyArray<() => unknown>>([
      () => annotated(policy),
      // @ts-expect-error a service
      () => annotated({ ...policy, bucket: Reads }),
      // @ts-expect-error the refusal of an attempt
      () => annotated({ ...policy, rateLimiter: bucket }),
      // @ts-expect-error the timeout of an attempt
      () => annotated({ ...policy, attemptTimeout: timeout }),
      // @ts-expect-error a judged result
      () => annotated({ ...policy, result: () => Verdict.noOpinion }),
      // @ts-expect-error the error of a deadline that cuts
      () => annotated({ ...policy, deadline: Deadline.cut(1) }),
      // @ts-expect-error the deadline that may pass while something is released
      () => annotated(bounded),
      // @ts-expect-error the service of a schedule
      () => annotated({ ...policy, backoff: asking })
    ])
  })

  it("add and require what the annotation says", () => {
    type Full = Policy.Policy<Busy, TimedOut | Refused | Late, Reads | Limiter, string>
    const full: Full = {
      ...policy,
      rateLimiter: Limiter,
      attemptTimeout: timeout,
      result: (text) => (text === "" ? Verdict.server : Verdict.noOpinion),
      deadline: Deadline.refuse("1 minute"),
      release,
      bucket: Reads
    }
    type Added = Busy | TimedOut | Refused | Late
    expectTypeOf(() => Retry.retry(busy, full)).returns.toEqualTypeOf<Text<Added, Reads | Limiter>>()
    expectTypeOf(() => busy.pipe(Retry.retry(full))).returns.toEqualTypeOf<Text<Added, Reads | Limiter>>()
    expectTypeOf(() => Retry.retry(full)(busy)).returns.toEqualTypeOf<Text<Added, Reads | Limiter>>()
    expectTypeOf(() => busy.pipe(Retry.orStopped(full))).returns.toEqualTypeOf<
      Text<Retry.RetryStopped<Added | Retry.ResultRejected<string>>, Reads | Limiter>
    >()
  })

  it("take a bucket itself without naming a service", () => {
    const plain: Policy.Policy<unknown> = { ...policy, bucket }
    expectTypeOf(() => busy.pipe(Retry.retry(plain))).returns.toEqualTypeOf<Text<Busy>>()
    expectTypeOf(() => Retry.retry(plain)(busy)).returns.toEqualTypeOf<Text<Busy>>()
    const funded: Policy.Policy<Busy, never, Reads> = { ...policy, bucket: Reads }
    expectTypeOf(() => Retry.retry(busy, funded)).returns.toEqualTypeOf<Text<Busy, Reads>>()
    expectTypeOf(() => Retry.retry(busy, write ? funded : plain)).returns.toEqualTypeOf<Text<Busy, Reads>>()
  })

  it("fit an annotation that says more, and change under spread", () => {
    const plain: Policy.Policy<unknown> = policy
    const narrower: Policy.Policy<Busy, TimedOut> = plain
    const funded: Policy.Policy<Busy, never, Reads> = plain
    const limited: Policy.Policy<Busy, Refused, Reads | Limiter> = { ...policy, rateLimiter: Limiter, bucket: Reads }
    const wider: Policy.Policy<Busy, Refused | Broken, Reads | Limiter | Writes> = limited
    assertType<ReadonlyArray<unknown>>([narrower, funded, wider])
    const more = () => Retry.retry(busy, { ...plain, bucket: Reads, maxAttempts: 4 })
    expectTypeOf(more).returns.toEqualTypeOf<Text<Busy, Reads>>()
  })

  it("annotate the parameter of a function", () => {
    const retrying = <A, E, R>(self: Effect.Effect<A, E, R>, policy: Policy.Policy<E>): Effect.Effect<A, E, R> =>
      Retry.retry(self, policy)
    expectTypeOf(() => retrying(busyOrMissing, policy)).returns.toEqualTypeOf<Text<Busy | Missing>>()
    const adding = <A, E, E2, R2, R>(self: Effect.Effect<A, E, R>, policy: Policy.Policy<E, E2, R2>) =>
      Retry.retry(self, policy)
    const both = { ...policy, bucket: Reads, attemptTimeout: timeout }
    expectTypeOf(() => adding(busy, both)).returns.toEqualTypeOf<Text<Busy | TimedOut, Reads>>()
    const table: Readonly<Record<string, Policy.Policy<unknown>>> = { plain: policy }
    const byName = (name: string) => Retry.retry(busy, table[name] ?? policy)
    expectTypeOf(byName).returns.toEqualTypeOf<Text<Busy>>()
  })
})

describe("Policy.make types", () => {
  const full = { ...policy, bucket: Reads, attemptTimeout: timeout }

  it("keep, of one of two constants, what each adds", () => {
    const one = () => (write ? Policy.make(full) : Policy.make(policy))
    expectTypeOf(() => Retry.retry(busy, one())).returns.toEqualTypeOf<Text<Busy | TimedOut, Reads>>()
    expectTypeOf(() => busy.pipe(Retry.retry(one()))).returns.toEqualTypeOf<Text<Busy | TimedOut, Reads>>()
  })

  it("let no policy with more fields pass for one with fewer", () => {
    const made = () => Policy.make(policy)
    assertType<ReadonlyArray<() => ReturnType<typeof made>>>([
      made,
      // @ts-expect-error it has a bucket
      () => Policy.make(full),
      // @ts-expect-error it has a bucket
      () => full
    ])
  })

  it("keep the fields, under spread and annotation too", () => {
    const made = Policy.make(policy)
    expectTypeOf(made.maxAttempts).toEqualTypeOf<number>()
    const more = () => Retry.retry(busy, { ...made, bucket: Reads, maxAttempts: 4 })
    expectTypeOf(more).returns.toEqualTypeOf<Text<Busy, Reads>>()
    const annotated: Policy.Policy<Busy> = made
    expectTypeOf(() => Retry.retry(busy, annotated)).returns.toEqualTypeOf<Text<Busy>>()
  })
})

describe("Policy.Checked types", () => {
  const base = { maxAttempts: 2, backoff: Backoff.constant({ delay: 0 }) }
  const wrong = { ...policy, maxAttemps: 3 }

  it("refuse a misspelt field in every retry function", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error maxAttemps
      () => Retry.retry(busy, wrong),
      // @ts-expect-error maxAttemps
      () => busy.pipe(Retry.retry(wrong)),
      // @ts-expect-error maxAttemps
      () => Retry.retry(wrong),
      // @ts-expect-error maxAttemps
      () => Retry.orStopped(busy, wrong),
      // @ts-expect-error maxAttemps
      () => busy.pipe(Retry.orStopped(wrong)),
      // @ts-expect-error maxAttemps
      () => Retry.orStopped(wrong),
      // @ts-expect-error maxAttemps
      () => Retry.retryOrElse(busy, wrong, () => Effect.void),
      // @ts-expect-error maxAttemps
      () => busy.pipe(Retry.retryOrElse(wrong, () => Effect.void)),
      // @ts-expect-error maxAttemps
      () => Promises.retry(() => Promise.resolve(1), wrong),
      // @ts-expect-error maxAttemps
      () => Policy.make(wrong)
    ])
  })

  it("refuse it in a literal, a preset and an annotation", () => {
    const annotated: (policy: Policy.Policy<Busy>) => void = () => undefined
    const preset = { ...Policy.standard, deadlne: Deadline.refuse(1) }
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error maxAttemps
      () => Retry.retry(busy, { ...base, classifier: Classifier.always, maxAttemps: 3 }),
      // @ts-expect-error maxAttemps
      () => busy.pipe(Retry.retry({ ...base, classifier: Classifier.always, maxAttemps: 3 })),
      // @ts-expect-error maxAttemps
      () => Retry.retry({ ...base, classifier: Classifier.always, maxAttemps: 3 }),
      // @ts-expect-error deadlne
      () => busy.pipe(Retry.retry({ ...preset, classifier: Classifier.always })),
      // @ts-expect-error maxAttemps
      () => annotated({ ...policy, maxAttemps: 3 }),
      // @ts-expect-error maxAttemps
      (): Policy.Preset => ({ ...Policy.standard, maxAttemps: 3 }),
      // @ts-expect-error maxAttemps
      () => ({ ...policy, maxAttemps: 3 }) satisfies Policy.Any
    ])
  })

  it("refuse it beside lambdas and classifiers of tags, which still see the error", () => {
    const after = (millis: number) => (millis > 0 ? Verdict.server : Verdict.noOpinion)
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error retries
      () => busy.pipe(Retry.retry({ ...base, classifier: (e) => after(e.retryAfterMillis), retries: 1 })),
      // @ts-expect-error retries
      () => busy.pipe(Retry.retry({ ...base, classifier: Classifier.fromTags({ Busy: Verdict.server }), retries: 1 })),
      // @ts-expect-error retries
      () => busy.pipe(Retry.orStopped({ ...policy, result: (text) => judging<string>()(text), retries: 1 }))
    ])
  })

  it("refuse it when it is optional, undefined, or in one of several", () => {
    const optional: { readonly retries?: number } = {}
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error retries
      () => Retry.retry(busy, { ...policy, ...optional }),
      // @ts-expect-error retries
      () => Retry.retry(busy, { ...policy, retries: undefined }),
      // @ts-expect-error retries
      () => busy.pipe(Retry.retry(write ? policy : { ...policy, retries: 3 })),
      // @ts-expect-error retries
      () => busy.pipe(Retry.retry({ ...policy, ...(write ? { retries: 3 } : {}) })),
      // @ts-expect-error retries
      () => busy.pipe(Retry.retry({ ...policy, ...(write ? { retries: 3 } : { bucket: Reads }) })),
      // @ts-expect-error the name of another field
      () => busy.pipe(Retry.retry({ ...policy, timeout }))
    ])
  })

  it("refuse fields of other kinds: a symbol, and what an interface has beside a policy's", () => {
    interface Owned extends Policy.Any {
      readonly owner: string
    }
    const owned: (policy: Owned) => void = () => undefined
    assertType<ReadonlyArray<(policy: Owned & typeof base & { classifier: Classifier.Classifier }) => unknown>>([
      owned,
      // @ts-expect-error owner
      (policy) => Retry.retry(busy, policy),
      // @ts-expect-error a symbol
      () => Retry.retry(busy, { ...policy, [Symbol.iterator]: 3 })
    ])
  })
})
