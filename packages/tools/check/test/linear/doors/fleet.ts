/** What `fleet` is given from outside: errors and answers of servers, and keys of buckets. */
import { type Door, few } from "@effect-retry/check/linear/Doors"
import * as PostgresError from "@effect-retry/fleet/PostgresError"
import * as RedisError from "@effect-retry/fleet/RedisError"
import * as Cause from "effect/Cause"
import { inspect } from "node:util"
import * as Answer from "../../../../../fleet/src/accept/Answer.ts"
import * as BucketKey from "../../../../../fleet/src/accept/BucketKey.ts"
import * as PostgresFailure from "../../../../../fleet/src/classify/PostgresFailure.ts"
import * as RedisFailure from "../../../../../fleet/src/classify/RedisFailure.ts"
import * as CircuitText from "../../../../../fleet/src/decide/CircuitText.ts"
import * as PostgresCalls from "../../../../../fleet/src/fund/postgres/PostgresCalls.ts"
import * as RedisUrl from "../../../../../fleet/src/fund/redis/RedisUrl.ts"
import { chainOf, errorOf, keyed, one, outcome, wide } from "./errors.ts"

const failures = (text: string): ReadonlyArray<unknown> => [
  errorOf(text),
  new Error(text),
  new Error(`ERR ${text}`),
  new Error(`ERR Error running script (call to f_a): @user_script:${text}: @user_script: 7: -${text}`),
  Object.assign(new Error(text), { severity: "ERROR", code: text }),
  text
]

const printed = (error: Error) => [
  inspect(error),
  Cause.pretty(Cause.fail(error)),
  JSON.stringify(error),
  String(error)
]

export const doors: ReadonlyArray<Door> = [
  { name: "RedisFailure.fromUnknown", run: (text) => failures(text).map(RedisFailure.fromUnknown) },
  {
    name: "RedisFailure.fromUnknown of scripts",
    pieces: ["@user_script: 7: -A", "@user_script:", "A "],
    run: (text) => RedisFailure.fromUnknown(new Error(text))
  },
  { name: "RedisFailure.isNoScript", run: (text) => failures(text).map(RedisFailure.isNoScript) },
  { name: "PostgresFailure.fromUnknown", run: (text) => failures(text).map(PostgresFailure.fromUnknown) },
  {
    name: "failures of any size",
    pieces: one,
    run: (text) =>
      [chainOf(text.length, "a"), wide(text.length), keyed(text.length)].map((error) => [
        RedisFailure.fromUnknown(error),
        PostgresFailure.fromUnknown(error)
      ])
  },
  {
    name: "RedisError, printed",
    pieces: few,
    run: (text) => printed(new RedisError.RedisError({ reason: "Full", bucket: "a", code: "b", cause: errorOf(text) }))
  },
  {
    name: "PostgresError, printed",
    pieces: few,
    run: (text) =>
      printed(new PostgresError.PostgresError({ reason: "Full", bucket: "a", code: "b", cause: errorOf(text) }))
  },
  { name: "Answer.numbers", run: (text) => Answer.numbers([text, text], 2) },
  {
    name: "Answer.numbers of many",
    pieces: one,
    run: (text) => [Answer.numbers([...text], 2), Answer.numbers([...text], text.length)]
  },
  { name: "PostgresCalls.numbers", run: (text) => PostgresCalls.numbers([{ a: text, b: text }], "a", "b") },
  { name: "PostgresCalls.numbers of many", pieces: one, run: (text) => PostgresCalls.numbers([...text], "a") },
  {
    name: "CircuitText.fromAnswer",
    pieces: ["HalfOpen ", "Open", " 1", " -1", "9", " "],
    // Of the last two, one has probes of two numbers each.
    run: (text) =>
      [text, `HalfOpen 1 1 1 1${text}`, `HalfOpen 1 1 1 1${text} 1`].map((text) => CircuitText.fromAnswer([text, 0]))
  },
  {
    name: "BucketKey",
    run: (text) => [BucketKey.make(text, text), BucketKey.name(BucketKey.make(text, text)), BucketKey.encoded(text)]
  },
  {
    name: "RedisUrl.check",
    run: (text) => outcome(() => RedisUrl.check("a", `redis://${text}:${text}@${text}/${text}`))
  }
]
