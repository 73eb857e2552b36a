import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import * as AtOnce from "../../../src/fund/fiber/AtOnce.ts"
import * as TimedRef from "../../../src/fund/store/TimedRef.ts"
import { clockReads } from "../ClockReads.ts"

type Noted = ReadonlyArray<number>

const stateOf = <S>(self: TimedRef.TimedRef<S>) => Effect.map(Ref.get(self), ({ state }) => state)

const note = (state: Noted, nowMillis: number) => [undefined, [...state, nowMillis]] as const

describe("TimedRef.make", () => {
  it.effect("hands the time to the initial state and to every step", () =>
    Effect.gen(function* () {
      const ref = yield* TimedRef.make((now): Noted => [now])
      yield* Effect.sleep("2 seconds")
      yield* TimedRef.modify(ref, note)
      expect(yield* stateOf(ref)).toEqual([0, 2000])
    }).pipe(VirtualClock.run)
  )

  it.effect("hands zero to a step that ignores the time, and reads no clock for it", () =>
    Effect.gen(function* () {
      const ref = yield* TimedRef.make((): Noted => [])
      yield* Effect.sleep("2 seconds")
      expect(yield* clockReads(TimedRef.modify(ref, note, (state) => state.length === 0))).toBe(0)
      yield* TimedRef.modify(ref, note, (state) => state.length === 0)
      expect(yield* stateOf(ref)).toEqual([0, 2000])
    }).pipe(VirtualClock.run)
  )

  it.effect("hands a message to its step", () =>
    Effect.gen(function* () {
      const ref = yield* TimedRef.make((): Noted => [])
      const noting = (state: Noted, _nowMillis: number, message: number) => ["answer", [...state, message]] as const
      expect([yield* TimedRef.send(ref, noting, 7), yield* TimedRef.send(ref, noting, 8), yield* stateOf(ref)]).toEqual(
        ["answer", "answer", [7, 8]]
      )
    }).pipe(VirtualClock.run)
  )

  it.effect("changes nothing when a step throws", () =>
    Effect.gen(function* () {
      const ref = yield* TimedRef.make((): Noted => [])
      const exit = yield* Effect.exit(
        TimedRef.modify(ref, () => {
          throw new Error("bug")
        })
      )
      expect([exit._tag, yield* stateOf(ref)]).toEqual(["Failure", []])
    })
  )

  it.effect("makes each step one step of the fiber, which can be run in that of the caller", () =>
    Effect.gen(function* () {
      const ref = yield* TimedRef.make((): Noted => [])
      const ran = yield* Effect.sync(() => AtOnce.run(TimedRef.modify(ref, (state) => ["answer", [...state, 1]])))
      expect([AtOnce.hasEnded(ran), yield* ran, yield* stateOf(ref)]).toEqual([true, "answer", [1]])
    })
  )
})

describe("TimedRef.makeUnread", () => {
  it.effect("reads the clock at the first step", () =>
    Effect.gen(function* () {
      const ref = yield* TimedRef.makeUnread<Noted>([])
      yield* Effect.sleep("2 seconds")
      yield* TimedRef.modify(ref, note)
      expect(yield* stateOf(ref)).toEqual([2000])
    }).pipe(VirtualClock.run)
  )
})
