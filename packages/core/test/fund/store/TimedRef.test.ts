import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AtOnce from "../../../src/fund/fiber/AtOnce.ts"
import * as TimedRef from "../../../src/fund/store/TimedRef.ts"
import { clockReads } from "../ClockReads.ts"

type Noted = ReadonlyArray<number>

const note = (state: Noted, nowMillis: number) => [undefined, [...state, nowMillis]] as const

describe("TimedRef.make", () => {
  it.effect("hands the time to the initial state and to every step", () =>
    Effect.gen(function* () {
      const { get, modify } = yield* TimedRef.make((now): Noted => [now])
      yield* Effect.sleep("2 seconds")
      yield* modify(note)
      expect(yield* get).toEqual([0, 2000])
    }).pipe(VirtualClock.run)
  )

  it.effect("hands zero to a step that ignores the time, and reads no clock for it", () =>
    Effect.gen(function* () {
      const { get, modify } = yield* TimedRef.make((): Noted => [])
      yield* Effect.sleep("2 seconds")
      expect(yield* clockReads(modify(note, (state) => state.length === 0))).toBe(0)
      yield* modify(note, (state) => state.length === 0)
      expect(yield* get).toEqual([0, 2000])
    }).pipe(VirtualClock.run)
  )

  it.effect("hands a message to its step", () =>
    Effect.gen(function* () {
      const { get, send } = yield* TimedRef.make((): Noted => [])
      const noting = (state: Noted, _nowMillis: number, message: number) => ["answer", [...state, message]] as const
      expect([yield* send(noting, 7), yield* send(noting, 8), yield* get]).toEqual(["answer", "answer", [7, 8]])
    }).pipe(VirtualClock.run)
  )

  it.effect("changes nothing when a step throws", () =>
    Effect.gen(function* () {
      const { get, modify } = yield* TimedRef.make((): Noted => [])
      const exit = yield* Effect.exit(
        modify(() => {
          throw new Error("bug")
        })
      )
      expect([exit._tag, yield* get]).toEqual(["Failure", []])
    })
  )

  it.effect("makes each step one step of the fiber, which can be run in that of the caller", () =>
    Effect.gen(function* () {
      const { get, modify } = yield* TimedRef.make((): Noted => [])
      const ran = yield* Effect.sync(() => AtOnce.run(modify((state) => ["answer", [...state, 1]])))
      expect([AtOnce.hasEnded(ran), yield* ran, yield* get]).toEqual([true, "answer", [1]])
    })
  )
})

describe("TimedRef.makeUnread", () => {
  it.effect("reads the clock at the first step", () =>
    Effect.gen(function* () {
      const { get, modify } = yield* TimedRef.makeUnread<Noted>([])
      yield* Effect.sleep("2 seconds")
      yield* modify(note)
      expect(yield* get).toEqual([2000])
    }).pipe(VirtualClock.run)
  )
})
