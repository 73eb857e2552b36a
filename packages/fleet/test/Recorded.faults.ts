import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Recorded from "./Recorded.ts"
import * as RecordedStores from "./RecordedStores.ts"

/** Ends a test that hangs, and leaves a busy machine its time. */
const timeout = 300_000

describe("the answers of a store to clients that ask at the same time, again and again", () => {
  it.live(
    "have an explanation when the store is Redis",
    () =>
      Effect.gen(function* () {
        const { seen, unexplained } = Recorded.judge(yield* RecordedStores.onRedis(Recorded.programs(4000, 3)))
        expect(unexplained).toEqual([])
        expect(seen.answers + seen.lost).toBe(36_000)
        expect(Math.min(seen.lost, seen.refusals)).toBeGreaterThan(1200)
      }),
    timeout
  )

  it.live(
    "have an explanation when the store is Postgres",
    () =>
      Effect.gen(function* () {
        const { seen, unexplained } = Recorded.judge(yield* RecordedStores.onPostgres(Recorded.programs(500, 4)))
        expect(unexplained).toEqual([])
        expect(seen.answers + seen.lost).toBe(4500)
        expect(Math.min(seen.lost, seen.refusals)).toBeGreaterThan(150)
      }),
    timeout
  )
})
