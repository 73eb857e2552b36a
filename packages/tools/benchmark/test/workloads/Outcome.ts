import { Effect } from "effect"
import type { Call } from "../../src/workloads/Calls.ts"

/** How often a call is made in a way, and how that ends. */
export const outcome = <R>(way: (self: Call) => Effect.Effect<number, unknown, R>, call: Call) =>
  Effect.suspend(() => {
    let calls = 0
    const counted = Effect.suspend(() => {
      calls += 1
      return call
    })
    return Effect.map(Effect.merge(way(counted)), (answer) => ({ answer, calls }))
  })
