/**
 * The port to a client of Postgres, of one method, and its adapters for a pool of `pg` and for `@effect/sql`.
 *
 * The connections belong to the caller: nothing here opens or ends a pool. Neither package is a dependency: the
 * adapters require only the methods that they call.
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
   * Runs one statement with values for `$1`, `$2` and so on, and returns its rows, whose columns keep their names.
   *
   * Fails with the client's unchanged error. If interrupted before the statement was sent, it does not send it.
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

/** The part of a `pg` connection that is used. */
interface Connection {
  readonly query: (
    query: Query,
    callback: (error: Error | null, result: { readonly rows: ReadonlyArray<object> }) => void
  ) => void
  readonly release: (destroy?: boolean) => void
  readonly on: (event: "error", listener: () => void) => unknown
  readonly removeListener: (event: "error", listener: () => void) => unknown
}

/** The part of a `pg` pool that is used. */
interface Pool {
  readonly connect: (callback: (error: Error | undefined, connection: Connection | undefined) => void) => void
}

/** The options of `fromPool`. */
interface PoolOptions {
  /**
   * Whether connections use prepared statements, so that the server plans each statement once. Only for a pool that is
   * connected to the server itself or to a pooler that tracks prepared statements, such as PgBouncer since 1.21 with
   * `max_prepared_statements`. Source: https://www.pgbouncer.org/config.html, read 2026-11-22.
   *
   * @default false
   */
  readonly prepare?: boolean
}

/**
 * Runs statements on a pool of `pg`.
 *
 * A caller that is interrupted while it waits for a free connection leaves nothing behind. One that is interrupted
 * while its statement runs closes the connection, as the pool itself does after its `query_timeout`.
 *
 * The pool emits an error event when an idle connection is lost, and Node.js ends a process that does not listen to it,
 * so the caller must call `pool.on("error", ...)`. Source: https://node-postgres.com/apis/pool#error, read 2026-11-22.
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
          // A lost connection is reported twice: by an event, and to the callback of its statement.
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

/** Names statements by content, because another release may have another statement. */
const named = (): typeof unnamed => {
  const names = new Map<string, string>()
  return (text, values) => {
    const name = names.get(text) ?? `effect_retry_${bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16)}`
    names.set(text, name)
    return { name, ...unnamed(text, values) }
  }
}

const ignore = (): void => {}

/** Whether the error is an answer of the server, so that the connection is sound. */
const isAnswer = (error: Error): boolean => "severity" in error && error.severity === "ERROR"

/** The part of `@effect/sql`'s `SqlClient` that is used. */
interface Sql {
  readonly unsafe: (
    text: string,
    values: ReadonlyArray<unknown>
  ) => { readonly withoutTransform: Effect.Effect<ReadonlyArray<object>, unknown> }
}

/**
 * Runs statements on the `SqlClient` of `@effect/sql`; its dialect must be Postgres.
 *
 * Never inside the caller's transaction: a rollback would return the tokens taken, and the whole fleet would wait until
 * the transaction ends.
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

/** Keeps only the span of the caller's context, which is where `@effect/sql` keeps its transaction. */
const withoutTransaction = (context: Context.Context<never>): Context.Context<never> =>
  Option.match(Context.getOption(context, Tracer.ParentSpan), {
    onNone: () => Context.empty(),
    onSome: (span) => Context.make(Tracer.ParentSpan, span)
  })
