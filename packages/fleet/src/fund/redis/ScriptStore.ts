/**
 * A store built on the scripts: converts requests in tokens into whole numbers, and reads the numbers of answers.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Answer from "../../accept/Answer.ts"
import * as BucketKey from "../../accept/BucketKey.ts"
import type { RedisError } from "../../accept/RedisError.ts"
import * as CircuitText from "../../decide/CircuitText.ts"
import * as Gcra from "../../decide/Gcra.ts"
import * as Whole from "../../decide/Whole.ts"
import * as RedisKey from "./RedisKey.ts"
import type { Ask } from "./ScriptCalls.ts"
import * as Scripts from "./Scripts.ts"
import type { Store } from "../store/Store.ts"

type Redis = Store<RedisError>

/** A store that sends its calls through `ask`, each for at most `withinMillis`. */
export const make = (ask: Ask, withinMillis: number): Redis => ({
  withinMillis,
  take: take(ask),
  put: put(ask),
  level: level(ask),
  present: present(ask),
  swap: swap(ask)
})

const take =
  (ask: Ask): Redis["take"] =>
  (bucketKey, limits, want, least) =>
    Effect.suspend(() => {
      const asked = Gcra.question(limits, want, least)
      const key = RedisKey.arrival(bucketKey, asked.window)
      const call = { bucketKey, script: Scripts.take, key, args: words(asked.window, asked.want, asked.least) }
      return ask(
        call,
        numbers(3, ([granted = 0, retryAfter = 0, room = 0]) =>
          Gcra.fromAnswer(limits, want, least, { granted, retryAfter, room })
        ),
        ({ granted }, ageMillis) => put(ask)(bucketKey, limits, Gcra.unfilled(limits, granted, ageMillis))
      )
    })

const put =
  (ask: Ask): Redis["put"] =>
  (bucketKey, limits, tokens) =>
    Effect.suspend(() => {
      const window = Gcra.window(limits)
      const credit = Gcra.credit(limits, tokens)
      if (credit === 0) return Effect.void
      const key = RedisKey.arrival(bucketKey, window)
      const call = { bucketKey, script: Scripts.put, key, args: words(window, credit) }
      return Effect.asVoid(
        ask(
          call,
          numbers(1, ([room = 0]) => inRange(room, window))
        )
      )
    })

const level =
  (ask: Ask): Redis["level"] =>
  (bucketKey, limits) =>
    Effect.suspend(() => {
      const window = Gcra.window(limits)
      const call = { bucketKey, script: Scripts.room, key: RedisKey.arrival(bucketKey, window), args: words(window) }
      const tokens = (room: number) => Option.map(inRange(room, window), (inWindow) => Gcra.tokens(limits, inWindow))
      return ask(
        call,
        numbers(1, ([room = 0]) => tokens(room))
      )
    })

const present =
  (ask: Ask): Redis["present"] =>
  (group, member, forMillis) =>
    Effect.suspend(() => {
      const args = [BucketKey.encoded(member), ...words(Math.ceil(forMillis))]
      const call = { bucketKey: group, script: Scripts.present, key: RedisKey.members(group), args }
      return ask(
        call,
        numbers(1, ([members = 0]) => inRange(members, Infinity))
      )
    })

const swap =
  (ask: Ask): Redis["swap"] =>
  (bucketKey, expected, next, forMillis) =>
    Effect.suspend(() => {
      const args = [expected, next, ...words(Math.ceil(forMillis))]
      const call = { bucketKey, script: Scripts.swap, key: RedisKey.circuit(bucketKey), args }
      return ask(call, (answer) => Option.flatMap(Answer.textAndNumber(answer), CircuitText.fromAnswer))
    })

/** Reads an answer of the given number of whole numbers. */
const numbers =
  <A>(count: number, read: (numbers: ReadonlyArray<number>) => Option.Option<A>) =>
  (answer: unknown): Option.Option<A> =>
    Option.flatMap(Answer.numbers(answer, count), read)

const inRange = (value: number, max: number): Option.Option<number> =>
  value >= 0 && value <= max ? Option.some(value) : Option.none()

const words = (...values: ReadonlyArray<number>): ReadonlyArray<string> =>
  Whole.numbers("RedisStore", ...values).map(String)
