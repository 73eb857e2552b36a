/**
 * What the compiler infers of classifiers and which compositions it refuses. The type check of the repository runs these
 * tests.
 */
import { Backoff, Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { assertType, describe, expectTypeOf, it } from "@effect/vitest"
import { Data, Effect, Predicate, Schema } from "effect"

class SqlError extends Data.TaggedError("SqlError")<{ readonly code: string }> {}
class RedisError extends Data.TaggedError("RedisError")<{ readonly reply: string }> {}
class OutOfStock extends Data.TaggedError("OutOfStock") {}
/** Another library's error under the same tag. */
class OtherSql extends Data.TaggedError("SqlError")<{ readonly line: number }> {}

const base = { maxAttempts: 3, backoff: Backoff.constant({ delay: 1 }) }

declare const order: Effect.Effect<string, SqlError | OutOfStock>
declare const cached: Effect.Effect<string, SqlError | RedisError | OutOfStock>
declare const sql: Effect.Effect<string, SqlError>
declare const stock: Effect.Effect<string, OutOfStock>
declare const unknown: Effect.Effect<string, unknown>
declare const other: Effect.Effect<string, OtherSql | OutOfStock>

type Order = Effect.Effect<string, SqlError | OutOfStock>
type Cached = Effect.Effect<string, SqlError | RedisError | OutOfStock>

const isRedisError = (error: unknown): error is RedisError => error instanceof RedisError

// As a library ships them.
const postgres = Classifier.fromClass(SqlError, ({ code }) =>
  code === "40001" ? Verdict.transient : Verdict.noOpinion
)
const redis = Classifier.when(isRedisError, ({ reply }) => (reply === "LOADING" ? Verdict.server : Verdict.noOpinion))
const tags: Classifier.Classifier = Classifier.fromTags({ SqlError: Verdict.transient, Unrelated: Verdict.server })
const reading = Classifier.fromTags({
  SqlError: ({ code }: SqlError) => (code === "40001" ? Verdict.transient : Verdict.noOpinion)
})
/** Judges every `SqlError`, and nothing else. */
const total = ({ code }: SqlError): Verdict.Verdict => (code === "40001" ? Verdict.transient : Verdict.noOpinion)

describe("Classifier types of constants", () => {
  it("are classifiers of any error, except those made from tags", () => {
    expectTypeOf(postgres).toEqualTypeOf<Classifier.Classifier>()
    expectTypeOf(redis).toEqualTypeOf<Classifier.Classifier>()
    expectTypeOf(reading).toEqualTypeOf<Classifier.OfTags<{ readonly SqlError: SqlError }>>()
    expectTypeOf(Classifier.when(Predicate.isError, Verdict.transient)).toEqualTypeOf<Classifier.Classifier>()
    expectTypeOf(Classifier.firstOf(postgres, redis, tags)).toEqualTypeOf<Classifier.Classifier>()
  })

  it("fit every union in every retry function", () => {
    const classifiers = [
      postgres,
      redis,
      tags,
      reading,
      Classifier.firstOf(postgres, redis),
      Classifier.always
    ] as const
    const dataFirst = (i: 0) => Retry.retry(order, { ...base, classifier: classifiers[i] })
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => order.pipe(Retry.retry({ ...base, classifier: postgres }))).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => Retry.retry({ ...base, classifier: postgres })(order)).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => Retry.retry(order, { ...base, classifier: tags })).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => order.pipe(Retry.retry({ ...base, classifier: tags }))).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => Retry.retry({ ...base, classifier: tags })(order)).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => Retry.retry(order, { ...base, classifier: reading })).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => order.pipe(Retry.retry({ ...base, classifier: reading }))).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => Retry.retry({ ...base, classifier: reading })(order)).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => order.pipe(Retry.orStopped({ ...base, classifier: reading }))).returns.toEqualTypeOf<
      Effect.Effect<string, Retry.RetryStopped<SqlError | OutOfStock>>
    >()
  })

  it("fit an error that is one of theirs, none of theirs, or unknown", () => {
    const all = Classifier.firstOf(postgres, redis, tags)
    assertType<ReadonlyArray<() => unknown>>([
      () => Retry.retry(sql, { ...base, classifier: all }),
      () => sql.pipe(Retry.retry({ ...base, classifier: all })),
      () => stock.pipe(Retry.retry({ ...base, classifier: all })),
      () => unknown.pipe(Retry.retry({ ...base, classifier: all })),
      () => unknown.pipe(Retry.retry({ ...base, classifier: reading })),
      () => Retry.retry({ ...base, classifier: all })(cached)
    ])
  })

  it("hold in generic functions", () => {
    const all = Classifier.firstOf(postgres, redis)
    const generic = <A, E, R>(self: Effect.Effect<A, E, R>) => Retry.retry(self, { ...base, classifier: all })
    const inPipe = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      self.pipe(Retry.retry({ ...base, classifier: all }))
    expectTypeOf(() => generic(order)).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => inPipe(order)).returns.toEqualTypeOf<Order>()
  })

  it("are made from other classes, also abstract ones and those of Schema", () => {
    class Coded extends Schema.TaggedError<Coded>()("Coded", { code: Schema.Number }) {}
    abstract class WithStatus {
      abstract readonly status: number
    }
    const classes = Classifier.firstOf(
      Classifier.fromClass(Coded, ({ code }) => (code === 1 ? Verdict.transient : Verdict.noOpinion)),
      Classifier.fromClass(TypeError, Verdict.transient),
      Classifier.fromClass(WithStatus, ({ status }) => (status === 503 ? Verdict.server : Verdict.noOpinion))
    )
    expectTypeOf(classes).toEqualTypeOf<Classifier.Classifier>()
  })
})

describe("Classifier types of compositions", () => {
  it("of constants, inline tags, predicates and lambdas know the error", () => {
    const inPipe = () =>
      cached.pipe(
        Retry.retry({
          ...base,
          classifier: Classifier.firstOf(
            postgres,
            redis,
            reading,
            Classifier.fromTags({ OutOfStock: Verdict.terminal("none is left") }),
            (error, { attempt }) => (error._tag === "RedisError" && attempt < 3 ? Verdict.server : Verdict.noOpinion)
          )
        })
      )
    const dataFirst = () =>
      Retry.retry(cached, {
        ...base,
        classifier: Classifier.firstOf(
          postgres,
          reading,
          Classifier.fromTags({ RedisError: ({ reply }) => (reply === "" ? Verdict.server : Verdict.noOpinion) }),
          Classifier.fromPredicate((error) => error._tag === "OutOfStock"),
          (error) => (error._tag === "RedisError" ? Verdict.server : Verdict.noOpinion)
        )
      })
    expectTypeOf(inPipe).returns.toEqualTypeOf<Cached>()
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Cached>()
  })

  it("of classifiers of one error judge that error", () => {
    expectTypeOf(Classifier.firstOf(total, postgres)).toEqualTypeOf<Classifier.Classifier<SqlError>>()
    expectTypeOf(Classifier.firstOf((error: SqlError) => Verdict.terminal(error.code), postgres)).toEqualTypeOf<
      Classifier.Classifier<SqlError>
    >()
    const totals = Classifier.firstOf(total, postgres)
    assertType<ReadonlyArray<() => unknown>>([
      () => Retry.retry(sql, { ...base, classifier: totals }),
      () => sql.pipe(Retry.retry({ ...base, classifier: Classifier.firstOf(total, postgres) })),
      // @ts-expect-error it judges no OutOfStock
      () => Retry.retry(order, { ...base, classifier: totals })
    ])
  })

  it("around a call with lambdas know the error of the call", () => {
    const length = () => Effect.map(order, (text) => text.length)
    const tagged = () =>
      Retry.retry(length(), {
        ...base,
        classifier: Classifier.fromTags({ SqlError: ({ code }) => (code === "" ? Verdict.server : Verdict.noOpinion) })
      })
    expectTypeOf(tagged).returns.toEqualTypeOf<Effect.Effect<number, SqlError | OutOfStock>>()
  })
})

describe("Classifier types that are refused", () => {
  it("a total classifier for a wider union; lifted, it fits", () => {
    const annotated: Classifier.Classifier<SqlError> = total
    const lifted = Classifier.fromClass(SqlError, total)
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it judges no OutOfStock
      () => Retry.retry(order, { ...base, classifier: total }),
      // @ts-expect-error it judges no OutOfStock
      () => order.pipe(Retry.retry({ ...base, classifier: total })),
      // @ts-expect-error it judges no OutOfStock
      () => Retry.retry({ ...base, classifier: total })(order),
      // @ts-expect-error it judges no OutOfStock
      () => order.pipe(Retry.retry({ ...base, classifier: annotated })),
      // @ts-expect-error it judges no OutOfStock
      () => order.pipe(Retry.retry({ ...base, classifier: Classifier.firstOf(postgres, annotated) })),
      // @ts-expect-error it judges no OutOfStock
      () => Retry.retry(order, { ...base, classifier: Classifier.firstOf(postgres, total) }),
      () => order.pipe(Retry.retry({ ...base, classifier: lifted })),
      () => Retry.retry(order, { ...base, classifier: lifted })
    ])
  })

  it("a misspelt tag", () => {
    const { firstOf, fromTags } = Classifier
    const { orStopped } = Retry
    const { server } = Verdict
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error SqlEror
      () => Retry.retry(order, { ...base, classifier: fromTags({ SqlEror: server }) }),
      // @ts-expect-error SqlEror
      () => order.pipe(Retry.retry({ ...base, classifier: fromTags({ SqlEror: server }) })),
      // @ts-expect-error OutOfStok
      () => order.pipe(Retry.retry({ ...base, classifier: fromTags({ SqlError: total, OutOfStok: server }) })),
      // @ts-expect-error SqlEror
      () => order.pipe(orStopped({ ...base, classifier: firstOf(postgres, fromTags({ SqlEror: server })) })),
      // @ts-expect-error SqlEror
      () => Retry.retry(order, { ...base, classifier: firstOf(postgres, fromTags({ SqlEror: server })) }),
      // @ts-expect-error SqlEror
      () => fromTags<SqlError | OutOfStock>({ SqlEror: server })
    ])
  })

  it("another error under the same tag, and a case that reads the error of another tag", () => {
    const crossed = Classifier.fromTags({ SqlError: ({ reply }: RedisError) => Verdict.terminal(reply) })
    const structural = Classifier.fromTags({
      SqlError: ({ code }: { readonly code: string }) => Verdict.terminal(code),
      RedisError: () => Verdict.server
    })
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error it has no code
      () => Retry.retry(other, { ...base, classifier: reading }),
      // @ts-expect-error it has no code
      () => other.pipe(Retry.retry({ ...base, classifier: reading })),
      () => cached.pipe(Retry.retry({ ...base, classifier: structural })),
      // @ts-expect-error it has no code
      () => other.pipe(Retry.retry({ ...base, classifier: structural })),
      // @ts-expect-error no error has both
      () => Retry.retry(cached, { ...base, classifier: crossed }),
      // @ts-expect-error no error has both
      () => cached.pipe(Retry.retry({ ...base, classifier: crossed })),
      // @ts-expect-error no error has both
      () => cached.pipe(Retry.retry({ ...base, classifier: Classifier.firstOf(postgres, crossed) }))
    ])
  })
})

describe("Classifier types of tags in a constant", () => {
  const { firstOf, fromTags } = Classifier
  const right = fromTags({ SqlError: Verdict.transient })
  const wrong = fromTags({ SqlError: Verdict.transient, OutOfStok: Verdict.server })
  const inPolicy = { ...base, classifier: wrong }
  const made = Policy.make(inPolicy)
  const stored = Retry.retry(inPolicy)
  const mixed = firstOf(postgres, fromTags({ SqlEror: Verdict.server }), redis)
  const alsoMixed = firstOf(fromTags({ SqlEror: Verdict.server }), (error: unknown) => Verdict.terminal(String(error)))

  it("are those of the call, wherever the policy is written", () => {
    const inMade = Policy.make({ ...base, classifier: fromTags({ SqlError: Verdict.transient }) })
    expectTypeOf(() => Retry.retry(order, inMade)).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => Retry.retry(cached, inMade)).returns.toEqualTypeOf<Cached>()
    expectTypeOf(() => cached.pipe(Retry.retry(inMade))).returns.toEqualTypeOf<Cached>()
    expectTypeOf(() => Retry.retry(inMade)(cached)).returns.toEqualTypeOf<Cached>()
    expectTypeOf(() => Retry.retry(unknown, inMade)).returns.toEqualTypeOf<typeof unknown>()
    const generic = <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E> => Retry.retry(self, inMade)
    expectTypeOf(() => generic(order)).returns.toEqualTypeOf<Order>()
  })

  it("are refused when the call has no error of the tag", () => {
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error OutOfStok
      () => Retry.retry(order, { ...base, classifier: wrong }),
      // @ts-expect-error OutOfStok
      () => order.pipe(Retry.retry({ ...base, classifier: wrong })),
      // @ts-expect-error OutOfStok
      () => Retry.retry(order, inPolicy),
      // @ts-expect-error OutOfStok
      () => order.pipe(Retry.orStopped(inPolicy)),
      // @ts-expect-error OutOfStok
      () => Retry.retryOrElse(order, inPolicy, () => stock),
      // @ts-expect-error OutOfStok
      () => Retry.retry(order, made),
      // @ts-expect-error OutOfStok
      () => order.pipe(Retry.retry(made)),
      // @ts-expect-error OutOfStok
      () => stored(order),
      // @ts-expect-error no SqlError
      () => Retry.retry(stock, { ...base, classifier: right }),
      // @ts-expect-error no SqlError
      () => Retry.retry({ ...base, classifier: right })(stock)
    ])
  })

  it("stay those of a chain", () => {
    assertType<ReadonlyArray<() => unknown>>([
      () => Retry.retry(cached, { ...base, classifier: firstOf(postgres, right) }),
      () => Retry.retry({ ...base, classifier: firstOf(right, redis) })(cached),
      // @ts-expect-error SqlEror
      () => Retry.retry(order, { ...base, classifier: mixed }),
      // @ts-expect-error SqlEror
      () => order.pipe(Retry.retry({ ...base, classifier: mixed })),
      // @ts-expect-error SqlEror
      () => Retry.retry({ ...base, classifier: mixed })(order),
      // @ts-expect-error SqlEror
      () => Retry.retry(order, { ...base, classifier: alsoMixed }),
      // @ts-expect-error OutOfStok
      () => Retry.retry(order, { ...base, classifier: firstOf(mixed, wrong) })
    ])
  })

  it("are refused by one of several policies", () => {
    const either = (first: boolean) => (first ? { ...base, classifier: right } : { ...base, classifier: wrong })
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error OutOfStok
      () => Retry.retry(order, either(true)),
      // @ts-expect-error OutOfStok
      () => order.pipe(Retry.retry(either(true))),
      // @ts-expect-error OutOfStok
      () => Retry.retry(either(true))(order)
    ])
  })

  it("are not checked when the type is that of any error", () => {
    const shipped: Classifier.Classifier = wrong
    expectTypeOf(() => Retry.retry(order, { ...base, classifier: shipped })).returns.toEqualTypeOf<Order>()
    expectTypeOf(() => Retry.retry(unknown, inPolicy)).returns.toEqualTypeOf<typeof unknown>()
  })

  it("fit an error whose tag is not a literal, or one of several", () => {
    const tagged: Effect.Effect<string, { readonly _tag: string }> = Effect.fail({ _tag: "A" })
    const several: Effect.Effect<string, { readonly _tag: "SqlError" | "Other" }> = Effect.fail({ _tag: "Other" })
    assertType<ReadonlyArray<() => unknown>>([
      () => Retry.retry(tagged, { ...base, classifier: right }),
      () => Retry.retry(several, { ...base, classifier: right }),
      () => Retry.retry({ ...base, classifier: right })(several)
    ])
  })
})

describe("Classifier types of the moment", () => {
  it("reaches lambdas, predicates and cases", () => {
    const late: Classifier.Classifier = (_, { attempt, elapsed, nowMillis }) => {
      expectTypeOf(elapsed).toEqualTypeOf<Classifier.Moment["elapsed"]>()
      return attempt > nowMillis ? Verdict.server : Verdict.noOpinion
    }
    const tagged = () =>
      order.pipe(
        Retry.retry({
          ...base,
          classifier: Classifier.fromTags({
            SqlError: ({ code }, { attempt }) => (code === "" && attempt > 1 ? Verdict.server : Verdict.noOpinion)
          })
        })
      )
    expectTypeOf(tagged).returns.toEqualTypeOf<Order>()
    const early = (moment: Classifier.Moment) => (moment.attempt > 1 ? Verdict.noOpinion : Verdict.server)
    assertType<ReadonlyArray<Classifier.Classifier>>([
      late,
      Classifier.fromClass(SqlError, (_, moment) => early(moment)),
      Classifier.when(isRedisError, (_, moment) => early(moment)),
      Classifier.fromPredicate((_, { attempt }) => attempt > 1)
    ])
  })
})

describe("Classifier types of a named union", () => {
  it("are those of the union, and their cases see the error of their tag", () => {
    type OrderError = SqlError | OutOfStock
    const named = Classifier.fromTags<OrderError>({ SqlError: ({ code }) => Verdict.terminal(code) })
    const annotated: Classifier.Classifier<OrderError> = Classifier.fromTags({
      SqlError: (error) => {
        expectTypeOf(error).toEqualTypeOf<SqlError>()
        return Verdict.transient
      }
    })
    expectTypeOf(named).toEqualTypeOf<Classifier.Classifier<OrderError>>()
    expectTypeOf(() => Retry.retry(order, { ...base, classifier: annotated })).returns.toEqualTypeOf<Order>()
  })
})
