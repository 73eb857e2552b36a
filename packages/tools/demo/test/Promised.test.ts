import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"
import * as Promised from "../src/Promised.ts"
import * as Runs from "./Runs.ts"

const one = await Runs.many(1)
const two = await Runs.many(2)
describe("Promised", () => {
  it.each([
    ["a success", Promised.succeeds(Runs.twoFailures)],
    ["a number of requests", Promised.requests(Runs.twoFailures, 3)],
    ["a reason", Promised.stopsBecause(Runs.final, "Terminal")],
    ["verdicts", Promised.kinds(Runs.cut, "Timeout")],
    ["terminal verdicts", Promised.kinds(Runs.final, "Terminal")],
    ["waits", Promised.waits("waits", Runs.twoFailures, 98, 198)],
    ["a deadline", Promised.keepsDeadline(Runs.refused, 1000)],
    ["a deadline that passes in a stall", Promised.keepsDeadline(Runs.stalled, 1000)],
    ["an exact count", Promised.exactly("exactly", 3, 3)],
    ["a count", Promised.some("some", 3, 3)],
    ["a least count", Promised.between("between", 0, [0, 3])]
  ])("keeps %s", (_, { broken }) => {
    expect(broken).toBe(undefined)
  })

  it.each([
    [Promised.succeeds(Runs.final), "it stopped: not retryable: status 404"],
    [Promised.succeeds(two), "it failed"],
    [Promised.requests(Runs.twoFailures, 2), "Expect.attempts: expected 2 attempts, got 3"],
    [Promised.requests(Runs.seen(Runs.final, ["404", "404"]), 1), "the server saw 2"],
    [Promised.stopsBecause(Runs.final, "BucketEmpty"), "the reason was Terminal"],
    [Promised.stopsBecause(one, "BucketEmpty"), "the reason was none"],
    [Promised.kinds(Runs.twoFailures, "Server"), "they were judged Server, then Server"],
    [Promised.waits("waits", Runs.twoFailures, 98, 199), "wait 2 took 198 ms, not 199 ms"],
    [
      Promised.waits("waits", { ...Runs.hinted, delays: new Map([[1, Duration.zero]]) }, 1),
      "wait 1 took 0 ms, not 1 ms"
    ],
    [Promised.waits("waits", Runs.final, 1), "wait 1 took -2 ms, not 1 ms"],
    [Promised.keepsDeadline(Runs.hinted, 700), "retry 1 was due after 1 s"],
    [Promised.keepsDeadline(Runs.late, 1000), "retry 3 was due after 1.29 s"],
    [Promised.keepsDeadline(Runs.waiting, 1000), "retry 1 was due after 1 s"],
    [Promised.keepsDeadline({ ...Runs.refused, delays: new Map() }, 1000), "retry 1 was not scheduled"],
    [Promised.exactly("exactly", 2, 3), "expected 3, got 2"],
    [Promised.some("some", 0, 3), "expected 1 to 3, got 0"],
    [Promised.some("some", 4, 3), "expected 1 to 3, got 4"],
    [Promised.between("between", 1, [2, 3]), "expected 2 to 3, got 1"],
    [Promised.between("between", 4, [2, 3]), "expected 2 to 3, got 4"]
  ])("says what happened instead: %j", ({ broken }, expected) => {
    expect(broken).toBe(expected)
  })
})
