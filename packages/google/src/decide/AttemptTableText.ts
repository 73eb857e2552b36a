/**
 * A table of attempts as text, in the columns of Google's guide.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { AttemptTable, RefusedRow, Row } from "./AttemptTable.ts"
import type { Refusal } from "./GaxAlgorithm.ts"

/**
 * A line for each attempt, all times in milliseconds; the last line says why there is no further attempt.
 *
 * Throws an `InvalidArgument` if the argument is not such a table.
 *
 * @category conversions
 */
export const toText = (table: AttemptTable): string => {
  const { attempts, refused } = checked(table)
  const cells = [["attempt", "RPC timeout", "delay", "invoked", "ended"], ...attempts.map(cellsOf)]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  const lines = cells.map((row) => row.map((cell, column) => cell.padStart(widths[column]!)).join("  "))
  return [...lines, Option.match(refused, { onNone: () => "... and so on", onSome: refusedLine })].join("\n")
}

const checked = (table: AttemptTable): AttemptTable =>
  isTable(table) ? table : Argument.refuse("RetrySettings.toText", "table", "one of RetrySettings.table", table)

const isTable = (table: AttemptTable): boolean =>
  Predicate.isRecord(table) &&
  Array.isArray(table.attempts) &&
  Option.isOption(table.refused) &&
  table.attempts.every(isRow) &&
  Option.match(table.refused, { onNone: () => true, onSome: (row) => isTimed(row) && Object.hasOwn(why, row.because) })

const isTimed = (row: Row | RefusedRow): boolean =>
  Predicate.isRecord(row) && Duration.isDuration(row.delay) && Duration.isDuration(row.invoked)

const isRow = (row: Row): boolean =>
  isTimed(row) &&
  Duration.isDuration(row.ended) &&
  Option.isOption(row.rpcTimeout) &&
  Option.match(row.rpcTimeout, { onNone: () => true, onSome: Duration.isDuration })

const cellsOf = ({ attempt, delay, ended, invoked, rpcTimeout }: Row): ReadonlyArray<string> => [
  String(attempt),
  Option.match(rpcTimeout, { onNone: () => "none", onSome: millis }),
  millis(delay),
  millis(invoked),
  millis(ended)
]

const millis = (duration: Duration.Duration): string => String(Duration.toMillis(duration))

const refusedLine = ({ attempt, because, delay, invoked }: RefusedRow): string =>
  `attempt ${attempt} is not made: after a delay of ${millis(delay)} it would start at ${millis(invoked)} (${why[because]})`

const why: { readonly [R in Refusal]: string } = {
  totalTimeout: "totalTimeout",
  maxAttempts: "maxAttempts",
  noLimit: "neither totalTimeout nor maxAttempts is set"
}
