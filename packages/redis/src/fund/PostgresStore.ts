/**
 * The store of buckets in Postgres: one statement and one round trip for every decision.
 *
 * For programs that have a database and no Redis. The buckets are rows of one unlogged table, `effect_retry`, which
 * `createTable` makes in the first schema of the search path.
 */
import * as Argument from "@effect-retry/core/Argument"
import { longestTimerMillis } from "@effect-retry/core/Millis"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Answer from "../accept/Answer.ts"
import * as BucketKey from "../accept/BucketKey.ts"
import { PostgresError } from "../accept/PostgresError.ts"
import * as PostgresFailure from "../classify/PostgresFailure.ts"
import * as Gcra from "../decide/Gcra.ts"
import type { PostgresClient } from "./PostgresClient.ts"
import { encoded } from "./RedisKey.ts"
import * as Statements from "./Statements.ts"
import type { Store } from "./Store.ts"

/**
 * The store that the buckets of `PostgresBucket` ask.
 *
 * @category models
 */
export class PostgresStore extends Context.Tag("@effect-retry/redis/PostgresStore")<
  PostgresStore,
  Store<PostgresError>
>() {}

/** The options of `make`, `createTable` and `sweep`. */
interface Options {
  /** Most time of a statement, the wait for a connection included. @default "1 second" */
  readonly within?: Duration.DurationInput
}

/** The options of `layer`. */
interface LayerOptions extends Options {
  /** How often one process of the fleet runs `sweep`. At least 1 second. @default "1 minute" */
  readonly sweepEvery?: Duration.DurationInput
}

const owner = "PostgresStore"

/**
 * The statement that makes the table, for the migrations of a program.
 *
 * @category constructors
 */
export const table: string = Statements.table

/**
 * Makes the table where it is not there. Several processes may do it at once.
 *
 * @category running
 */
export const createTable = (client: PostgresClient, options: Options = {}): Effect.Effect<void, PostgresError> =>
  Effect.catchIf(
    asker(client, options)({ bucket: Statements.tableName, text: table, values: [] }, () => Option.some(undefined)),
    ({ code }) => alreadyMade.has(code),
    () => Effect.void
  )

/** Of two that make it at once, one finds the name of the table or of its type taken: in the catalog, or in its index. */
const alreadyMade = new Set(["42P07", "42710", "23505"])

/**
 * A store that asks through a client. The client stays the caller's: it is never closed, and its options are its own.
 *
 * Nothing deletes the rows of keys that are not used again: `layer` does, or `sweep`.
 *
 * @category constructors
 */
export const make = (client: PostgresClient, options: Options = {}): Store<PostgresError> => {
  const ask = asker(client, options)
  return {
    take: (bucketKey, limits, want, least) =>
      Effect.suspend(() => {
        const asked = Gcra.question(limits, want, least)
        const values = [arrivalKey(bucketKey, asked.window), ...whole(asked.window, asked.want, asked.least)]
        return ask(callOf(bucketKey, Statements.take, values), (rows) =>
          Option.flatMap(numbers(rows, "granted", "owed"), ([granted = 0, owed = 0]) =>
            Gcra.fromAnswer(limits, want, least, answerOf(asked, granted, owed))
          )
        )
      }),
    put: (bucketKey, limits, tokens) =>
      Effect.suspend(() => {
        const window = Gcra.window(limits)
        const values = [arrivalKey(bucketKey, window), ...whole(window, Gcra.credit(limits, tokens))]
        return ask(callOf(bucketKey, Statements.put, values), () => Option.some(undefined))
      }),
    level: (bucketKey, limits) =>
      Effect.suspend(() => {
        const window = Gcra.window(limits)
        return ask(callOf(bucketKey, Statements.level, [arrivalKey(bucketKey, window)]), (rows) =>
          Option.map(numbers(rows, "owed"), ([owed = 0]) => Gcra.tokens(limits, roomOf(window, owed)))
        )
      }),
    add: (bucketKey, max, change) =>
      Effect.suspend(() => {
        const key = `${encoded(bucketKey)}|count`
        const [most = 0, by = 0] = whole(millionths(max), millionths(change))
        const call =
          by === 0
            ? callOf(bucketKey, Statements.count, [key, most])
            : callOf(bucketKey, Statements.add, [key, most, by, countMicros])
        return ask(call, (rows) =>
          Option.flatMap(numbers(rows, "count"), ([count = 0]) =>
            count <= most ? Option.some(count / 1_000_000) : Option.none()
          )
        )
      }),
    present: (group, member, forMillis) =>
      Effect.suspend(() => {
        const values = [`${encoded(group)}|members`, encoded(member), ...whole(Math.ceil(forMillis) * 1000)]
        return ask(callOf(group, Statements.present, values), (rows) =>
          Option.map(numbers(rows, "members"), ([members = 0]) => members)
        )
      })
  }
}

const arrivalKey = (bucketKey: string, window: number): string => `${encoded(bucketKey)}|${window}`

/** As in Redis: ten minutes without a change, and a count starts at its maximum again. */
const countMicros = 600_000_000

/** Rounded down; a thousandth of a millionth is what doubles get wrong. */
const millionths = (tokens: number): number => Math.floor(tokens * 1_000_000 + 0.001)

const whole = (...values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value) =>
    Number.isSafeInteger(value)
      ? value
      : Argument.refuse(owner, "tokens", "a number of tokens that whole microseconds can count", value)
  )

const roomOf = (window: number, owed: number): number => window - Math.min(Math.max(owed, 0), window)

/** The bucket may have filled by some microseconds after the decision: these are for the next question. */
const answerOf = ({ least, window }: Gcra.Question, granted: number, owed: number): Omit<Gcra.Answer, "arrival"> => {
  if (granted < least) {
    const room = Math.min(roomOf(window, owed), least - 1)
    return { granted: 0, retryAfter: least - room, room }
  }
  return { granted, retryAfter: 0, room: Math.min(roomOf(window, owed), window - granted) }
}

/** A statement, its values, and the bucket that an error names. */
interface Call {
  readonly bucket: string
  readonly text: string
  readonly values: ReadonlyArray<string | number>
}

const callOf = (bucketKey: string, text: string, values: Call["values"]): Call => ({
  bucket: BucketKey.name(bucketKey),
  text,
  values
})

const numbers = (rows: unknown, ...columns: ReadonlyArray<string>): Option.Option<ReadonlyArray<number>> => {
  const row: { readonly [column: string]: unknown } = Array.isArray(rows) && rows.length === 1 ? Object(rows[0]) : {}
  return Answer.numbers(
    columns.map((column) => row[column]),
    columns.length
  )
}

const asker = (client: PostgresClient, options: Options) => {
  const range = { min: 0, exclusive: true, max: longestTimerMillis }
  const within = Argument.millis(owner, "within", options.within ?? "1 second", range)
  return <A>(call: Call, read: (rows: unknown) => Option.Option<A>): Effect.Effect<A, PostgresError> => {
    const fail = ({ code, reason }: PostgresFailure.Failure, cause: unknown) =>
      new PostgresError({ reason, bucket: call.bucket, code, cause: Redacted.make(cause) })
    return Effect.suspend(() => client.query(call.text, call.values)).pipe(
      Effect.mapError((error) => fail(PostgresFailure.fromUnknown(error), error)),
      // A client may take its time to stop.
      Effect.disconnect,
      Effect.timeoutFail({ duration: within, onTimeout: () => fail({ reason: "TimedOut", code: "" }, undefined) }),
      Effect.flatMap((rows) =>
        Option.match(read(rows), {
          onNone: () => Effect.fail(fail({ reason: "BadAnswer", code: "" }, rows)),
          onSome: Effect.succeed
        })
      )
    )
  }
}

/** Rows that one statement of `sweep` reads. */
const pageRows = 1000

/**
 * Deletes the rows that mean the same as none: those of full buckets, of counts that are at their maximum again and of members that
 * are gone. Answers how many.
 *
 * A statement reads at most a thousand rows by the primary key, and leaves those that another one has locked.
 *
 * @category running
 */
export const sweep = (client: PostgresClient, options: Options = {}): Effect.Effect<number, PostgresError> => {
  const ask = asker(client, options)
  const page = (after: string) =>
    ask({ bucket: Statements.tableName, text: Statements.sweep, values: [after, pageRows] }, (rows) =>
      Option.map(numbers(rows, "read", "deleted"), ([read = 0, deleted = 0]) => ({
        deleted,
        next: lastKey(rows, read)
      }))
    )
  return Effect.map(
    Effect.iterate(
      { deleted: 0, next: "" as string | undefined },
      {
        while: ({ next }) => next !== undefined,
        body: ({ deleted, next = "" }) =>
          Effect.map(page(next), (after) => ({ ...after, deleted: deleted + after.deleted }))
      }
    ),
    ({ deleted }) => deleted
  )
}

/** The last key of a full page, behind which the next one begins. */
const lastKey = (rows: unknown, read: number): string | undefined => {
  const [row] = rows as readonly [{ readonly last: unknown }]
  return read === pageRows && typeof row.last === "string" ? row.last : undefined
}

/**
 * The store of a client, as a layer, which also runs `sweep` while it is there: one process of a fleet at a time.
 *
 * Takes a client or an effect that makes one, such as `Effect.map(SqlClient.SqlClient, PostgresClient.fromSql)`; what that
 * acquires is released with the layer.
 *
 * @category layers
 */
export const layer = <E = never, R = never>(
  client: PostgresClient | Effect.Effect<PostgresClient, E, R>,
  options: LayerOptions = {}
): Layer.Layer<PostgresStore, E, Exclude<R, Scope.Scope>> => {
  const every = { min: 1000, max: longestTimerMillis }
  const sweepMillis = Argument.millis(owner, "sweepEvery", options.sweepEvery ?? "1 minute", every)
  return Layer.scoped(
    PostgresStore,
    Effect.gen(function* () {
      const made = Effect.isEffect(client) ? yield* client : client
      const store = make(made, options)
      yield* Effect.forkScoped(sweeping(store, made, options, sweepMillis))
      return store
    })
  )
}

/** A bucket of one token per period decides which process sweeps. What fails is tried again in the next period. */
const sweeping = (
  store: Store<PostgresError>,
  client: PostgresClient,
  options: Options,
  everyMillis: number
): Effect.Effect<never> =>
  store.take(Statements.tableName, { burst: 1, perSecond: 1000 / everyMillis }, 1, 1).pipe(
    Effect.flatMap(({ granted }) => (granted === 1 ? sweep(client, options) : Effect.void)),
    Effect.ignore,
    Effect.delay(everyMillis),
    Effect.forever
  )
