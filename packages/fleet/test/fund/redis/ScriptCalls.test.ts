import type * as RedisClient from "@effect-retry/fleet/RedisClient"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import * as Scripts from "../../../src/fund/redis/Scripts.ts"

const limits = { burst: 10, perSecond: 10 }

interface Sent {
  readonly command: string
  readonly text: string
  readonly key: string
  readonly args: ReadonlyArray<string>
}

/** A client that answers as it is told, and what was sent by it. */
const stub = (...answers: ReadonlyArray<() => Promise<unknown>>) => {
  const sent: Array<Sent> = []
  const send = (command: string) => (text: string, key: string, args: ReadonlyArray<string>) => {
    sent.push({ command, text, key, args })
    return (answers[sent.length - 1] ?? (() => new Promise(() => {})))()
  }
  const client: RedisClient.RedisClient = { evalsha: send("evalsha"), eval: send("eval") }
  return { client, sent }
}

const noScript = () => Promise.reject(new Error("NOSCRIPT No matching script. Please use EVAL."))

describe("a call of a script", () => {
  it.effect("is one command, with one key and whole numbers", () =>
    Effect.gen(function* () {
      const { client, sent } = stub(async () => [300_000, 0, 700_000])
      const taken = yield* RedisStore.make(client).take("orders:eu", limits, 3, 0.5)
      expect(taken).toEqual({ granted: 3, retryAfterMillis: 0, level: 7 })
      const args = ["1000000", "300000", "50000"]
      expect(sent).toEqual([
        { command: "evalsha", text: Scripts.take.sha, key: "effect-retry:{orders:eu}:1000000", args }
      ])
    })
  )

  it.effect("is made again with the script itself if the server does not have it, and only then", () =>
    Effect.gen(function* () {
      const { client, sent } = stub(noScript, async () => [700_000])
      expect(yield* RedisStore.make(client).level("orders", limits)).toBe(7)
      expect(sent.map(({ command, text }) => [command, text])).toEqual([
        ["evalsha", Scripts.room.sha],
        ["eval", Scripts.room.lua]
      ])
      const refused = stub(() => Promise.reject(new Error("READONLY You can't write against a read only replica.")))
      yield* Effect.flip(RedisStore.make(refused.client).level("orders", limits))
      expect(refused.sent.length).toBe(1)
    })
  )

  it.effect.each<[string, unknown]>([
    ["nothing", null],
    ["too few numbers", [300_000, 0]],
    ["more than was asked for", [300_001, 0, 0]],
    ["words", ["a", "b", "c"]],
    ["the answer of another script", [700_000]]
  ])("fails when the answer is %s", ([, answer]) =>
    Effect.gen(function* () {
      const { client } = stub(async () => answer)
      const { bucket, code, error, reason } = yield* Effect.flip(RedisStore.make(client).take("a:b", limits, 3, 1))
      expect({ bucket, code, reason }).toEqual({ bucket: "a", code: "", reason: "BadAnswer" })
      expect(error).toBe(answer)
    })
  )

  it.effect.each<[string, (client: RedisClient.RedisClient) => Effect.Effect<unknown, unknown>]>([
    ["room", (client) => RedisStore.make(client).level("a", limits)],
    ["room after a put", (client) => RedisStore.make(client).put("a", limits, 1)]
  ])("fails when there is more %s than there can be", ([, call]) =>
    Effect.gen(function* () {
      for (const answer of [[1_000_001], [-1]]) {
        const { client } = stub(async () => answer)
        expect(yield* Effect.flip(call(client))).toMatchObject({ reason: "BadAnswer" })
      }
    })
  )

  it.effect("fails when the client throws instead of rejecting", () =>
    Effect.gen(function* () {
      const { client } = stub(() => {
        throw new TypeError("connection.evalsha is not a function")
      })
      expect(yield* Effect.flip(RedisStore.make(client).level("a", limits))).toMatchObject({
        reason: "BadAnswer",
        code: "TypeError"
      })
    })
  )

  it.effect("fails when its bound is over, and sends no script after that", () =>
    Effect.gen(function* () {
      let reject: (error: Error) => void = () => {}
      const { client, sent } = stub(() => new Promise((_, onError) => (reject = onError)))
      const call = RedisStore.make(client, { within: "200 millis" }).level("a", limits)
      const [elapsed, error] = yield* VirtualClock.run(Effect.timed(Effect.flip(call)))
      expect([Duration.toMillis(elapsed), error.reason, error.code]).toEqual([200, "TimedOut", ""])
      reject(new Error("NOSCRIPT No matching script. Please use EVAL."))
      yield* Effect.promise(() => new Promise(setImmediate))
      expect(sent.length).toBe(1)
    })
  )

  it.effect("fails at once on a clock that cannot sleep", () =>
    Effect.gen(function* () {
      const { client } = stub()
      const clock: Clock.Clock = Object.assign(Clock.make(), { sleep: () => Effect.die("no sleep") })
      const error = yield* Effect.withClock(Effect.flip(RedisStore.make(client).level("a", limits)), clock)
      expect(error.reason).toBe("TimedOut")
    })
  )

  it.effect("ends at once when it is interrupted, and sends no script after that", () =>
    Effect.gen(function* () {
      let reject: (error: Error) => void = () => {}
      const { client, sent } = stub(() => new Promise((_, onError) => (reject = onError)))
      const fiber = yield* Effect.fork(RedisStore.make(client).level("a", limits))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      reject(new Error("NOSCRIPT No matching script. Please use EVAL."))
      yield* Effect.promise(() => new Promise(setImmediate))
      expect(sent.length).toBe(1)
    })
  )

  it.effect("dies of tokens that cannot be counted, and sends nothing", () =>
    Effect.gen(function* () {
      const { client, sent } = stub()
      const store = RedisStore.make(client)
      for (const tokens of [NaN, Infinity, 1e300]) {
        const refused = yield* Effect.catchAllDefect(store.take("a", limits, tokens, tokens), Effect.succeed)
        expect(refused).toMatchObject({ _tag: "InvalidArgument", owner: "RedisStore", field: "tokens" })
      }
      expect(sent).toEqual([])
    })
  )
})

describe("RedisStore.make", () => {
  it.each([0, -1, Infinity, NaN])("refuses a bound of %s", (within) => {
    const { client } = stub()
    expect(() => RedisStore.make(client, { within })).toThrow(/^RedisStore\.make: within must be a finite duration > 0/)
    expect(() => RedisStore.layer(client, { within })).toThrow(/^RedisStore\.layer: within must be/)
  })
})
