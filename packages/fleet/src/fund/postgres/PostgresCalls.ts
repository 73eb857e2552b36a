/**
 * Runs statements within a time limit; every failure is a `PostgresError`.
 */
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as RunnerLine from "@effect-retry/core/unstable/RunnerLine"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Answer from "../../accept/Answer.ts"
import { PostgresError } from "../../accept/PostgresError.ts"
import * as PostgresFailure from "../../classify/PostgresFailure.ts"
import type * as StoreFailure from "../../classify/StoreFailure.ts"
import * as Bounded from "../store/Bounded.ts"
import type { PostgresClient } from "./PostgresClient.ts"

/** A statement, its values, and the bucket to name in errors. */
export interface Call {
  readonly bucket: string
  readonly text: string
  readonly values: ReadonlyArray<string | number>
}

/**
 * Runs a statement and reads its rows; `None` from the reader is an invalid answer. An answer older than the time limit
 * does not count, and `late` runs for it.
 */
export type Ask = <A>(
  call: Call,
  read: (rows: unknown) => Option.Option<A>,
  late?: (answer: A, ageMillis: number) => Effect.Effect<void, PostgresError>
) => Effect.Effect<A, PostgresError>

/** Calls through a client. A client that is slow to stop is not awaited. */
export const make =
  (client: PostgresClient, withinMillis: number): Ask =>
  (call, read, late) =>
    Effect.flatMap(RunnerLine.runner, (runner) => {
      const fail = failing(call)
      const query = Effect.interruptible(Effect.suspend(() => client.query(call.text, call.values)))
      let running: Fiber.RuntimeFiber<unknown, unknown> | undefined
      const stop = Effect.suspend(() => (running === undefined ? Effect.void : FiberLine.interrupt(running)))
      const bounded = Bounded.call({
        withinMillis,
        send: () =>
          new Promise<unknown>((resolve, reject) => {
            running = RunnerLine.runFork(runner, query)
            running.addObserver(Exit.match({ onFailure: (cause) => reject(Cause.squash(cause)), onSuccess: resolve }))
          }),
        onAnswer: (rows) =>
          Option.match(read(rows), {
            onNone: () => fail({ reason: "BadAnswer", code: "" }, rows),
            onSome: Effect.succeed
          }),
        onThrown: (thrown) => fail(PostgresFailure.fromUnknown(thrown), thrown),
        onTimeout: () => Effect.zipRight(stop, fail({ reason: "TimedOut", code: "" }, undefined)),
        onLate: Bounded.late(read, late)
      })
      return Effect.onInterrupt(bounded, () => stop)
    })

const failing =
  ({ bucket }: Call) =>
  ({ code, reason }: StoreFailure.Failure, cause: unknown): Effect.Effect<never, PostgresError> =>
    Effect.fail(new PostgresError({ reason, bucket, code, cause }))

/** Reads whole numbers from the single row of an answer, by column name. */
export const numbers = (rows: unknown, ...columns: ReadonlyArray<string>): Option.Option<ReadonlyArray<number>> =>
  Answer.numbers(values(rows, columns), columns.length)

/** Reads a text and a whole number in the same way. */
export const textAndNumber = (rows: unknown, text: string, number: string): ReturnType<typeof Answer.textAndNumber> =>
  Answer.textAndNumber(values(rows, [text, number]))

const values = (rows: unknown, columns: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const row: { readonly [column: string]: unknown } = Array.isArray(rows) && rows.length === 1 ? Object(rows[0]) : {}
  return columns.map((column) => row[column])
}
