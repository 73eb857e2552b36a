/**
 * Runs scripts by digest within a time limit; every failure is a `RedisError`.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as BucketKey from "../../accept/BucketKey.ts"
import { RedisError } from "../../accept/RedisError.ts"
import * as RedisFailure from "../../classify/RedisFailure.ts"
import type * as StoreFailure from "../../classify/StoreFailure.ts"
import * as Bounded from "../store/Bounded.ts"
import type { RedisClient } from "./RedisClient.ts"
import type { Script } from "./Scripts.ts"

/** A script, its key and arguments, and the bucket to name in errors. */
export interface Call {
  readonly bucketKey: string
  readonly script: Script
  readonly key: string
  readonly args: ReadonlyArray<string>
}

/**
 * Runs a script and reads its answer; `None` from the reader is an invalid answer. An answer older than the time limit does
 * not count, and `late` runs for it.
 */
export type Ask = <A>(
  call: Call,
  read: (answer: unknown) => Option.Option<A>,
  late?: (answer: A, ageMillis: number) => Effect.Effect<void, RedisError>
) => Effect.Effect<A, RedisError>

/** Called when a call is sent; the returned function is called with whether the server or the client answered in time. */
export type Watch = () => (isAnswered: boolean) => void

/** Calls through a client. */
export const make =
  (client: RedisClient, withinMillis: number, watch: Watch = unwatched): Ask =>
  (call, read, late) =>
    Effect.suspend(() => {
      const onEnd = watch()
      const fail = failing(call)
      return Bounded.call({
        withinMillis,
        send: (isOver) => send(client, call, isOver),
        onAnswer: (answer) => {
          onEnd(true)
          return Option.match(read(answer), {
            onNone: () => fail({ reason: "BadAnswer", code: "" }, answer),
            onSome: Effect.succeed
          })
        },
        onThrown: (thrown) => {
          onEnd(true)
          return fail(RedisFailure.fromUnknown(thrown), thrown)
        },
        onTimeout: (isAnswered) => {
          onEnd(isAnswered)
          return fail({ reason: "TimedOut", code: "" }, undefined)
        },
        onLate: Bounded.late(read, late)
      })
    })

const unwatched: Watch = () => () => {}

const failing =
  ({ bucketKey }: Call) =>
  ({ code, reason }: StoreFailure.Failure, cause: unknown): Effect.Effect<never, RedisError> =>
    Effect.fail(new RedisError({ reason, bucket: BucketKey.name(bucketKey), code, cause }))

/** Sends the script itself only if the server does not have it and the answer is still awaited. */
const send = (client: RedisClient, { args, key, script }: Call, isOver: () => boolean): Promise<unknown> =>
  client.evalsha(script.sha, key, args).catch((thrown: unknown) => {
    if (RedisFailure.isNoScript(thrown) && !isOver()) return client.eval(script.lua, key, args)
    throw thrown
  })
