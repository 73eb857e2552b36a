import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Option } from "effect"
import * as Arrival from "./decide/Arrival.ts"
import * as Gcra from "../src/decide/Gcra.ts"
import * as Recorded from "./Recorded.ts"
import * as RecordedStores from "./RecordedStores.ts"
import * as SpecStore from "./SpecStore.ts"

describe("the answers of a store to clients that ask at the same time", () => {
  it.live("have an explanation when the store is Redis", () =>
    Effect.gen(function* () {
      const { seen, unexplained } = Recorded.judge(yield* RecordedStores.onRedis(Recorded.programs(400, 1)))
      expect(unexplained).toEqual([])
      expect(seen.answers + seen.lost).toBe(3600)
      expect(Math.min(seen.lost, seen.refusals)).toBeGreaterThan(100)
    })
  )

  it.live("have an explanation when the store is Postgres", () =>
    Effect.gen(function* () {
      const { seen, unexplained } = Recorded.judge(yield* RecordedStores.onPostgres(Recorded.programs(60, 2)))
      expect(unexplained).toEqual([])
      expect(seen.answers + seen.lost).toBe(540)
      expect(Math.min(seen.lost, seen.refusals)).toBeGreaterThan(15)
    })
  )

  it.live("have none when two clients read before either of them has written", () =>
    Effect.gen(function* () {
      const redis = yield* RecordedStores.connect
      const atMicros = 1_000_000_000
      const limits = { burst: 3, perSecond: 1 }
      const bothHaveRead = yield* Deferred.make<void>()
      let reading = 0
      const take = (key: string, limits: Gcra.Limits, want: number, least: number) =>
        Effect.gen(function* () {
          const arrival = Number(yield* Effect.promise(() => redis.get(key)))
          reading += 1
          if (reading === 2) yield* Deferred.succeed(bothHaveRead, undefined)
          yield* Deferred.await(bothHaveRead)
          const answer = Arrival.taken(arrival, atMicros, Gcra.question(limits, want, least))
          yield* Effect.promise(() => redis.set(key, answer.arrival))
          return Option.getOrThrow(Gcra.fromAnswer(limits, want, least, answer))
        })
      const makeClient = (): Recorded.Client<never> => ({
        store: { ...SpecStore.make(), take },
        sends: (sent) => {
          sent.atMicros = atMicros
        }
      })
      const call: Recorded.Call = { _tag: "take", want: 2, least: 2 }
      const program = { limits, calls: [[{ call, isLost: false }], [{ call, isLost: false }]] }
      const history = yield* Recorded.record(makeClient, "read before written", program)
      expect(Recorded.judge([{ history, program }]).unexplained).toHaveLength(1)
    }).pipe(Effect.scoped)
  )
})
