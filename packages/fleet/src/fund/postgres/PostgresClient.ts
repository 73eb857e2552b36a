/**
 * The port to a client of Postgres, of one method, and its adapters for a pool of `pg` and for `@effect/sql`.
 *
 * The connections are the caller's: nothing here opens or ends a pool. Neither package is a dependency: the adapters ask for
 * the methods that they call.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/**
 * Runs statements on Postgres, each in its own transaction.
 *
 * @category models
 */
export interface PostgresClient {
  /**
   * Runs one statement with values for `$1`, `$2` and so on, and answers its rows, whose columns keep their names.
   *
   * Fails with the error of the client as it is. Where it is interrupted before the statement was sent, it does not send it.
   */
  readonly query: (
    text: string,
    values: ReadonlyArray<string | number>
  ) => Effect.Effect<ReadonlyArray<object>, unknown>
}

/** A statement as `pg` takes it. */
interface Query {
  readonly name?: string
  readonly text: string
  readonly values: Array<unknown>
}

/** What is used of a connection of `pg`. */
interface Connection {
  readonly query: (
    query: Query,
    callback: (error: Error | null, result: { readonly rows: ReadonlyArray<object> }) => void
  ) => void
  readonly release: (destroy?: boolean) => void
  readonly on: (event: "error", listener: () => void) => unknown
  readonly removeListener: (event: "error", listener: () => void) => unknown
}

/** What is used of a pool of `pg`. */
interface Pool {
  readonly connect: (callback: (error: Error | undefined, connection: Connection | undefined) => void) => void
}

/** The options of `fromPool`. */
interface PoolOptions {
  /**
   * Whether a connection keeps the statements that it has run, so that the server plans each of them once. For a pool that
   * is connected with the server itself or with a pooler that tracks prepared statements, such as PgBouncer since 1.21 with
   * `max_prepared_statements`. Source: https://www.pgbouncer.org/config.html, read 2026-11-22.
   *
   * @default false
   */
  readonly prepare?: boolean
}

/**
 * Runs statements on a pool of `pg`.
 *
 * A caller that is interrupted while the pool has no free connection leaves nothing behind. One that is interrupted while
 * its statement runs closes the connection, as the pool itself does after its `query_timeout`.
 *
 * The pool says by an event that an idle connection was lost, and Node.js ends a process that does not listen to it:
 * `pool.on("error", ...)` is the caller's. Source: https://node-postgres.com/apis/pool#error, read 2026-11-22.
 *
 * @category constructors
 */
export const fromPool = (pool: Pool, options: PoolOptions = {}): PostgresClient => {
  const queryOf = options.prepare === true ? named() : unnamed
  return {
    query: (text, values) =>
      Effect.async<ReadonlyArray<object>, unknown>((resume) => {
        let running: Connection | undefined
        let isOver = false
        const end = (inOrder: boolean) => {
          isOver = true
          running?.removeListener("error", ignore)
          running?.release(!inOrder)
        }
        pool.connect((error, connection) => {
          if (connection === undefined) return resume(Effect.fail(error))
          if (isOver) return connection.release()
          running = connection
          // A connection that is lost says so twice: by an event, and to the callback of its statement.
          connection.on("error", ignore)
          connection.query(queryOf(text, values), (error, result) => {
            if (isOver) return
            end(!error || isAnswer(error))
            resume(error ? Effect.fail(error) : Effect.succeed(result.rows))
          })
        })
        return Effect.sync(() => isOver || end(false))
      })
  }
}

const unnamed = (text: string, values: ReadonlyArray<unknown>): Query => ({ text, values: [...values] })

/** A name per statement: another release may have another statement. */
const named = (): typeof unnamed => {
  const names = new Map<string, string>()
  return (text, values) => {
    const name = names.get(text) ?? `effect_retry_${bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16)}`
    names.set(text, name)
    return { name, ...unnamed(text, values) }
  }
}

const ignore = (): void => {}

/** Whether the server answered with this error: its connection is in order. */
const isAnswer = (error: Error): boolean => "severity" in error && error.severity === "ERROR"

/** What is used of the `SqlClient` of `@effect/sql`. */
interface Sql {
  readonly unsafe: (
    text: string,
    values: ReadonlyArray<unknown>
  ) => { readonly withoutTransform: Effect.Effect<ReadonlyArray<object>, unknown> }
}

/**
 * Runs statements on the `SqlClient` of `@effect/sql`; its dialect must be Postgres.
 *
 * Never inside the transaction of the caller: what it took would be returned where that is rolled back, and the whole fleet
 * would wait until it ends.
 *
 * @category constructors
 */
export const fromSql = (sql: Sql): PostgresClient => ({
  query: (text, values) =>
    Effect.mapInputContext(
      Effect.suspend(() => sql.unsafe(text, values).withoutTransform),
      withoutTransaction
    )
})

/** Of the context of the caller, the span alone: `@effect/sql` keeps its transaction there. */
const withoutTransaction = (context: Context.Context<never>): Context.Context<never> =>
  Option.match(Context.getOption(context, Tracer.ParentSpan), {
    onNone: () => Context.empty(),
    onSome: (span) => Context.make(Tracer.ParentSpan, span)
  })
