/**
 * The same as in `Conservation.test.ts` under every bound, for operations of many attempts.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { setImmediate as nextTurn } from "node:timers/promises"
import * as Conserving from "./Conserving.ts"

const attempted: ReadonlyArray<Conserving.Attempted> = [
  ...Conserving.attempted,
  { attempt: "fails after a wait", effect: Effect.zipRight(Effect.sleep(1), Effect.fail("busy" as const)) }
]

const table = Conserving.scripts.flatMap((script) =>
  Conserving.bounds.flatMap((bound) => attempted.map((attempt) => ({ ...script, ...bound, ...attempt })))
)

describe("Retry.retry conservation of tokens in many attempts", () => {
  it("holds before every step", async () => {
    let interruptions = 0
    const wrong: Array<unknown> = []
    for (const operation of table) {
      const { found, runs } = Conserving.everywhere({ ...operation, maxAttempts: 3 })
      interruptions += runs
      const { attempt, bound, name } = operation
      if (found.length > 0) wrong.push({ name, bound, attempt, found })
      // A worker that is silent for a minute counts as lost.
      await nextTurn()
    }
    expect(wrong).toEqual([])
    expect(interruptions).toBeGreaterThan(15_000)
  })
})
