import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Server from "../src/Server.ts"
import * as Throttling from "../src/Throttling.ts"

/** A clock that stands still, so long after it began. */
const at = (nanos: bigint): Clock.Clock =>
  Object.assign(Object.create(Clock.make()), { unsafeCurrentTimeNanos: () => nanos })

describe("Throttling.scene", () => {
  it.live("gives the same result for a seed, whenever it begins and on any line of Effect", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      const play = Throttling.scene().play({ server, seed: "5", path: "/throttling" })
      const seen = yield* Effect.forEach([0n, 450_000_001n], (nanos) =>
        Effect.map(Effect.withClock(play, at(nanos)), ({ native, why, ours }) => ({ native, why, ours }))
      )
      expect(seen[0]).toEqual({
        why: "Native stores 56 more; 66 % of its requests are throttled, 2 % of ours.",
        ours: { requests: 273 },
        native: { requests: 949 }
      })
      expect(seen[1]).toEqual(seen[0])
    }).pipe(Effect.scoped)
  )
})
