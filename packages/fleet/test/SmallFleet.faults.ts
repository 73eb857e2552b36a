import { expect, it } from "vitest"
import { explore, fleet } from "./SmallFleet.ts"

it("a small fleet keeps the laws in every history of clients that ask once, one of which loses a call or an answer, or crashes, while the clock is set", () => {
  expect(explore({ ...fleet, losses: 1, asksOnceIn: "history" })).toEqual({
    _tag: "Kept",
    histories: 15_044_862n,
    worlds: 70_841,
    refusals: 4061
  })
})
