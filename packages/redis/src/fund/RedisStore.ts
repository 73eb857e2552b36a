/**
 * The store of buckets in Redis or Valkey: one script and one round trip for every decision.
 *
 * A script is run by its digest and sent in full where the server does not have it: after `SCRIPT FLUSH`, a restart or a
 * failover. Nothing else is ever sent twice. Needs Redis 5 or Valkey, on Node.
 */
import * as Argument from "@effect-retry/core/Argument"
import { longestTimerMillis } from "@effect-retry/core/Millis"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Answer from "../accept/Answer.ts"
import * as BucketKey from "../accept/BucketKey.ts"
import { RedisError } from "../accept/RedisError.ts"
import * as RedisFailure from "../classify/RedisFailure.ts"
import * as Gcra from "../decide/Gcra.ts"
import type { RedisClient } from "./RedisClient.ts"
import * as RedisKey from "./RedisKey.ts"
import * as Scripts from "./Scripts.ts"
import type { Store } from "./Store.ts"

/**
 * The store that the buckets of `RedisBucket` ask.
 *
 * @category models
 */
export class RedisStore extends Context.Tag("@effect-retry/redis/RedisStore")<RedisStore, Store<RedisError>>() {}

/** The options of `make` and `layer`. */
interface Options {
  /** Most time of a call. One without an answer by then fails as `TimedOut`. @default "1 second" */
  readonly within?: Duration.DurationInput
}

/**
 * A store that asks through a client. The client stays the caller's: it is never closed, and its options are its own.
 *
 * @category constructors
 */
export const make = (client: RedisClient, options: Options = {}): Store<RedisError> => {
  const ask = asker(client, options)
  return {
    take: (bucketKey, limits, want, least) =>
      Effect.suspend(() => {
        const asked = Gcra.question(limits, want, least)
        const key = RedisKey.arrival(bucketKey, asked.window)
        const call = { bucketKey, script: Scripts.take, key, args: words(asked.window, asked.want, asked.least) }
        return ask(call, 3, ([granted = 0, retryAfter = 0, room = 0]) =>
          Gcra.fromAnswer(limits, want, least, { granted, retryAfter, room })
        )
      }),
    put: (bucketKey, limits, tokens) =>
      Effect.suspend(() => {
        const window = Gcra.window(limits)
        const args = words(window, Gcra.credit(limits, tokens))
        const call = { bucketKey, script: Scripts.put, key: RedisKey.arrival(bucketKey, window), args }
        return Effect.asVoid(ask(call, 1, ([room = 0]) => inRange(room, window)))
      }),
    level: (bucketKey, limits) =>
      Effect.suspend(() => {
        const window = Gcra.window(limits)
        const call = { bucketKey, script: Scripts.room, key: RedisKey.arrival(bucketKey, window), args: words(window) }
        return ask(call, 1, ([room = 0]) =>
          Option.map(inRange(room, window), (inWindow) => Gcra.tokens(limits, inWindow))
        )
      }),
    add: (bucketKey, max, change) =>
      Effect.suspend(() => {
        const most = millionths(max)
        const args = words(most, millionths(change), countMillis)
        const call = { bucketKey, script: Scripts.add, key: RedisKey.count(bucketKey), args }
        return ask(call, 1, ([count = 0]) => Option.map(inRange(count, most), (inCount) => inCount / 1_000_000))
      }),
    present: (group, member, forMillis) =>
      Effect.suspend(() => {
        const args = [RedisKey.encoded(member), ...words(Math.ceil(forMillis))]
        const call = { bucketKey: group, script: Scripts.present, key: RedisKey.members(group), args }
        return ask(call, 1, ([members = 0]) => inRange(members, Infinity))
      })
  }
}

/**
 * How long a count lasts that is not changed. Time does not move a count, so this is no refill: after ten minutes without
 * traffic it starts at its maximum again.
 */
const countMillis = 600_000

/** Rounded down; a thousandth of a millionth is what doubles get wrong. */
const millionths = (tokens: number): number => Math.floor(tokens * 1_000_000 + 0.001)

const inRange = (value: number, max: number): Option.Option<number> =>
  value >= 0 && value <= max ? Option.some(value) : Option.none()

const words = (...numbers: ReadonlyArray<number>): ReadonlyArray<string> =>
  numbers.map((number) => String(Number.isSafeInteger(number) ? number : refuse(number)))

const refuse = (value: number): never =>
  Argument.refuse("RedisStore", "tokens", "a number of tokens that whole microseconds can count", value)

/** A script, its key and its arguments, and the bucket that an error names. */
interface Call {
  readonly bucketKey: string
  readonly script: Scripts.Script
  readonly key: string
  readonly args: ReadonlyArray<string>
}

const asker = (client: RedisClient, options: Options) => {
  const range = { min: 0, exclusive: true, max: longestTimerMillis }
  const within = Argument.millis("RedisStore", "within", options.within ?? "1 second", range)
  return <A>(
    call: Call,
    count: number,
    read: (numbers: ReadonlyArray<number>) => Option.Option<A>
  ): Effect.Effect<A, RedisError> => {
    const fail = ({ code, reason }: RedisFailure.Failure, cause: unknown) =>
      new RedisError({ reason, bucket: BucketKey.name(call.bucketKey), code, cause: Redacted.make(cause) })
    return Effect.tryPromise({
      try: () => run(client, call),
      catch: (thrown) => fail(RedisFailure.fromUnknown(thrown), thrown)
    }).pipe(
      Effect.timeoutFail({
        duration: within,
        onTimeout: () => fail({ reason: "TimedOut", code: "" }, undefined)
      }),
      Effect.flatMap((answer) =>
        Option.match(Option.flatMap(Answer.numbers(answer, count), read), {
          onNone: () => Effect.fail(fail({ reason: "BadAnswer", code: "" }, answer)),
          onSome: Effect.succeed
        })
      )
    )
  }
}

const run = async (client: RedisClient, { args, key, script }: Call): Promise<unknown> => {
  try {
    return await client.evalsha(script.sha, key, args)
  } catch (thrown) {
    if (RedisFailure.isNoScript(thrown)) return client.eval(script.lua, key, args)
    throw thrown
  }
}

/**
 * The store of a client, as a layer.
 *
 * @category layers
 */
export const layer = (client: RedisClient, options: Options = {}): Layer.Layer<RedisStore> =>
  Layer.sync(RedisStore, () => make(client, options))
