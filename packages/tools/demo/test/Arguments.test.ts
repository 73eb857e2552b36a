import { describe, expect, it } from "@effect/vitest"
import * as Arguments from "../src/Arguments.ts"

describe("Arguments.parse", () => {
  it.each([
    [[], { seed: "5" }],
    [["--seed", "rain"], { seed: "rain" }],
    [["--seed=7"], { seed: "7" }],
    [["--", "--seed=7"], { seed: "7" }],
    [["--help"], { help: true, seed: "5" }],
    [["-h"], { help: true, seed: "5" }]
  ])("reads %j", (args, expected) => {
    expect({ ...Arguments.parse(args) }).toEqual(expected)
  })

  it.each([[["--sed=1"]], [["7"]], [["--seed"]], [["--help=yes"]]])("refuses %j", (args) => {
    expect(Arguments.parse(args)).toEqual({ problem: expect.stringMatching(/--sed|'7'|--seed|--help/) })
  })
})

describe("Arguments.help", () => {
  it("fits a terminal of 80 columns", () => {
    expect(Arguments.help.split("\n").filter((line) => line.length > 80)).toEqual([])
  })
})
