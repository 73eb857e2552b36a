import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TimedRef from "../../src/fund/TimedRef.ts"

describe("TimedRef.makeTimeless", () => {
  it.effect("tells every change that the time is zero", () =>
    Effect.gen(function* () {
      const { modify, unsafeGet, unsafeModify, unsafeUpdate } = yield* TimedRef.makeTimeless<ReadonlyArray<number>>([])
      const noted = (state: ReadonlyArray<number>, nowMillis: number) => [...state, nowMillis]
      yield* modify((state, now) => [undefined, noted(state, now)])
      yield* Effect.sync(() => {
        unsafeModify((state, now) => [undefined, noted(state, now)])
        unsafeUpdate(noted)
      })
      expect(unsafeGet()).toEqual([0, 0, 0])
    })
  )
})
