/**
 * Makes the table of the buckets, and keeps it small.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { PostgresError } from "../../accept/PostgresError.ts"
import * as PostgresCalls from "./PostgresCalls.ts"
import * as Statements from "./Statements.ts"

const callOf = (text: string, values: PostgresCalls.Call["values"] = []): PostgresCalls.Call => ({
  bucket: Statements.tableName,
  text,
  values
})

/** Makes the table if it does not exist. */
export const create = (ask: PostgresCalls.Ask): Effect.Effect<void, PostgresError> =>
  Effect.catchIf(
    ask(callOf(Statements.table), () => Option.some(undefined)),
    ({ code }) => alreadyMade.has(code),
    () => Effect.void
  )

/** Codes for a process that makes the table at the same time as another one: the name of the table or of its type is taken. */
const alreadyMade = /*#__PURE__*/ new Set(["42P07", "42710", "23505"])

/** How many rows one statement of `sweep` reads. */
const pageRows = 1000

/** The position of a sweep: `after` is the last key that it has read. */
interface Progress {
  readonly deleted: number
  readonly after: Option.Option<string>
}

/** Deletes rows that mean the same as no row, page by page, and returns how many. */
export const sweep = (ask: PostgresCalls.Ask): Effect.Effect<number, PostgresError> => rest(ask, "", 0)

const rest = (ask: PostgresCalls.Ask, from: string, before: number): Effect.Effect<number, PostgresError> =>
  Effect.flatMap(page(ask, from), ({ after, deleted }) =>
    Option.isSome(after) ? rest(ask, after.value, before + deleted) : Effect.succeed(before + deleted)
  )

const page = (ask: PostgresCalls.Ask, after: string): Effect.Effect<Progress, PostgresError> =>
  ask(callOf(Statements.sweep, [after, pageRows]), (rows) =>
    Option.map(PostgresCalls.numbers(rows, "read", "deleted"), ([read = 0, deleted = 0]) => ({
      deleted,
      after: read < pageRows ? Option.none() : lastKey(rows, after)
    }))
  )

/** The end of a page, which must be after its beginning, so that a sweep ends whatever the answer. */
const lastKey = (rows: unknown, after: string): Option.Option<string> => {
  const [row] = rows as readonly [{ readonly last?: unknown }]
  return typeof row.last === "string" && row.last !== after ? Option.some(row.last) : Option.none()
}
