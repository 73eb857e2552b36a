import type { Store } from "@effect-retry/fleet"
import type * as PostgresError from "@effect-retry/fleet/PostgresError"
import type * as RedisClient from "@effect-retry/fleet/RedisClient"
import type * as RedisError from "@effect-retry/fleet/RedisError"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import * as Gcra from "../../../src/decide/Gcra.ts"
import * as Scripts from "../../../src/fund/redis/Scripts.ts"
import { settled } from "../bucket/Shared.ts"

const limits = { burst: 10, perSecond: 10 }
const granted = 3
const within = 20

/** The answers of a client to a question for three tokens, which come when the test says so. */
interface Stub {
  readonly store: Store.Store<RedisError.RedisError | PostgresError.PostgresError>
  readonly answer: Effect.Effect<void>
  /** The tokens that were put in. */
  readonly puts: Array<number>
}

const micros = Gcra.question(limits, granted, granted).want
const tokensOf = (credit: unknown) => Gcra.tokens(limits, Number(credit))

const ofRedis = (): Stub => {
  const puts: Array<number> = []
  let answer = () => {}
  const client: RedisClient.RedisClient = {
    evalsha: (sha, _, [, credit]) => {
      if (sha === Scripts.put.sha) puts.push(tokensOf(credit))
      return sha === Scripts.take.sha
        ? new Promise((resolve) => (answer = () => resolve([micros, 0, 0])))
        : Promise.resolve([0])
    },
    eval: () => Promise.reject(new Error("not asked"))
  }
  return { store: RedisStore.make(client, { within }), answer: Effect.sync(() => answer()), puts }
}

const ofPostgres = (): Stub => {
  const puts: Array<number> = []
  let answer = () => {}
  const store = PostgresStore.make(
    {
      query: (_, values) =>
        Effect.async((resume) => {
          // A put has no least.
          if (values.length === 4) answer = () => resume(Effect.succeed([{ granted: micros, owed: micros }]))
          else {
            puts.push(tokensOf(values[2]))
            resume(Effect.succeed([]))
          }
        })
    },
    { within }
  )
  return { store, answer: Effect.sync(() => answer()), puts }
}

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Asks, lets the program stand still for so long, and then lets the answer in, before any timer. */
const standingStill = ({ answer, store }: Stub, millis: number) =>
  Effect.gen(function* () {
    let nanos = 0n
    const clock = Object.assign(Clock.make(), { unsafeCurrentTimeNanos: () => nanos, sleep: () => Effect.never })
    const asking = yield* Effect.fork(
      Effect.withClock(
        Effect.match(store.take("orders", limits, granted, granted), {
          onFailure: ({ reason }): string | number => reason,
          onSuccess: (taken) => taken.granted
        }),
        clock
      )
    )
    yield* settled
    nanos = BigInt(millis) * 1_000_000n
    yield* answer
    const end = yield* Fiber.join(asking)
    yield* turn
    return end
  })

describe.each([
  { name: "Redis", make: ofRedis },
  { name: "Postgres", make: ofPostgres }
])("an answer of $name that a program reads after it stood still", ({ make }) => {
  it.effect("is accepted when it is as old as the bound", () =>
    Effect.gen(function* () {
      const stub = make()
      expect([yield* standingStill(stub, within), stub.puts]).toEqual([granted, []])
    })
  )

  it.effect("is refused when it is older, and its tokens go back except for those that time has brought since", () =>
    Effect.gen(function* () {
      const stub = make()
      expect([yield* standingStill(stub, 50), stub.puts]).toEqual(["TimedOut", [granted - 0.5]])
    })
  )

  it.effect("gives nothing back when time has brought all of it", () =>
    Effect.gen(function* () {
      const stub = make()
      expect([yield* standingStill(stub, 300), stub.puts]).toEqual(["TimedOut", []])
    })
  )
})

describe("an answer of Redis that comes after the bound", () => {
  it.effect("gives its tokens back except for those that time has brought since", () =>
    Effect.gen(function* () {
      const { answer, puts, store } = ofRedis()
      const { reason } = yield* Effect.flip(store.take("orders", limits, granted, granted))
      yield* Effect.sleep("80 millis")
      expect([reason, puts]).toEqual(["TimedOut", []])
      yield* answer
      yield* turn
      expect(puts).toEqual([granted - 1])
    }).pipe(VirtualClock.run)
  )

  it.effect("gives its tokens back when its call was interrupted meanwhile", () =>
    Effect.gen(function* () {
      const { answer, puts, store } = ofRedis()
      const asking = yield* Effect.fork(store.take("orders", limits, granted, granted))
      yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(asking)
      yield* answer
      yield* turn
      expect(puts).toEqual([granted - 0.1])
    }).pipe(VirtualClock.run)
  )
})
