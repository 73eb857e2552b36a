/**
 * A store built on the statements: converts requests in tokens into whole numbers, and reads the rows of answers.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as BucketKey from "../../accept/BucketKey.ts"
import type { PostgresError } from "../../accept/PostgresError.ts"
import * as CircuitText from "../../decide/CircuitText.ts"
import * as Gcra from "../../decide/Gcra.ts"
import * as Whole from "../../decide/Whole.ts"
import * as PostgresCalls from "./PostgresCalls.ts"
import * as Statements from "./Statements.ts"
import type { Store } from "../store/Store.ts"

type Postgres = Store<PostgresError>

/** A store that sends its calls through `ask`, each for at most `withinMillis`. */
export const make = (ask: PostgresCalls.Ask, withinMillis: number): Postgres => ({
  withinMillis,
  take: take(ask),
  put: put(ask),
  level: level(ask),
  present: present(ask),
  swap: swap(ask)
})

const take =
  (ask: PostgresCalls.Ask): Postgres["take"] =>
  (bucketKey, limits, want, least) =>
    Effect.suspend(() => {
      const asked = Gcra.question(limits, want, least)
      const values = [arrivalKey(bucketKey, asked.window), ...whole(asked.window, asked.want, asked.least)]
      const read = (rows: unknown) =>
        Option.flatMap(PostgresCalls.numbers(rows, "granted", "owed"), ([granted = 0, owed = 0]) =>
          Gcra.fromAnswer(limits, want, least, answerOf(asked, granted, owed))
        )
      return ask(callOf(bucketKey, Statements.take, values), read, ({ granted }, ageMillis) =>
        put(ask)(bucketKey, limits, Gcra.unfilled(limits, granted, ageMillis))
      )
    })

const put =
  (ask: PostgresCalls.Ask): Postgres["put"] =>
  (bucketKey, limits, tokens) =>
    Effect.suspend(() => {
      const window = Gcra.window(limits)
      const credit = Gcra.credit(limits, tokens)
      if (credit === 0) return Effect.void
      const values = [arrivalKey(bucketKey, window), ...whole(window, credit)]
      return ask(callOf(bucketKey, Statements.put, values), () => Option.some(undefined))
    })

const level =
  (ask: PostgresCalls.Ask): Postgres["level"] =>
  (bucketKey, limits) =>
    Effect.suspend(() => {
      const window = Gcra.window(limits)
      return ask(callOf(bucketKey, Statements.level, [arrivalKey(bucketKey, window)]), (rows) =>
        Option.map(PostgresCalls.numbers(rows, "owed"), ([owed = 0]) => Gcra.tokens(limits, roomOf(window, owed)))
      )
    })

const present =
  (ask: PostgresCalls.Ask): Postgres["present"] =>
  (group, member, forMillis) =>
    Effect.suspend(() => {
      const key = `${BucketKey.encoded(group)}|members`
      const values = [key, BucketKey.encoded(member), ...whole(Math.ceil(forMillis) * 1000)]
      return ask(callOf(group, Statements.present, values), (rows) =>
        Option.flatMap(PostgresCalls.numbers(rows, "members"), ([members = 0]) =>
          members >= 0 ? Option.some(members) : Option.none()
        )
      )
    })

const swap =
  (ask: PostgresCalls.Ask): Postgres["swap"] =>
  (bucketKey, expected, next, forMillis) =>
    Effect.suspend(() => {
      const values = [`${BucketKey.encoded(bucketKey)}|circuit`, expected, next, ...whole(Math.ceil(forMillis) * 1000)]
      return ask(callOf(bucketKey, Statements.swap, values), (rows) =>
        Option.flatMap(PostgresCalls.textAndNumber(rows, "text", "micros"), CircuitText.fromAnswer)
      )
    })

const arrivalKey = (bucketKey: string, window: number): string => `${BucketKey.encoded(bucketKey)}|${window}`

const whole = (...values: ReadonlyArray<number>): ReadonlyArray<number> => Whole.numbers("PostgresStore", ...values)

const roomOf = (window: number, owed: number): number => window - Math.min(Math.max(owed, 0), window)

/** The bucket may have refilled for a few microseconds after the decision; those count for the next request. */
const answerOf = ({ least, window }: Gcra.Question, granted: number, owed: number): Gcra.Answer => {
  if (granted < least) {
    const room = Math.min(roomOf(window, owed), least - 1)
    return { granted: 0, retryAfter: least - room, room }
  }
  return { granted, retryAfter: 0, room: Math.min(roomOf(window, owed), window - granted) }
}

const callOf = (bucketKey: string, text: string, values: PostgresCalls.Call["values"]): PostgresCalls.Call => ({
  bucket: BucketKey.name(bucketKey),
  text,
  values
})
