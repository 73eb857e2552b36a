import * as Answer from "../../src/accept/Answer.ts"
import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"

describe("Answer.numbers", () => {
  it.each<[string, unknown, ReadonlyArray<number>]>([
    ["numbers", [1, 0, 2 ** 53 - 1], [1, 0, 2 ** 53 - 1]],
    ["bigints", [1n, 0n, -7n], [1, 0, -7]],
    ["decimal text, which clients can be told to give", ["12", "0", "-3"], [12, 0, -3]]
  ])("reads %s", (_, answer, numbers) => {
    expect(Answer.numbers(answer, 3)).toEqual(Option.some(numbers))
  })

  it.each<[string, unknown]>([
    ["no list", 1],
    ["nothing", null],
    ["text", "1"],
    ["an object that looks like a list", { length: 1, 0: 1 }],
    ["an empty list", []],
    ["more than was asked for", [1, 2]],
    ["a fraction", [1.5]],
    ["what a double does not count", [2 ** 53]],
    ["text that is beyond that", ["9007199254740993"]],
    ["a bigint beyond that", [2n ** 64n]],
    ["no number", [NaN]],
    ["hexadecimal text", ["0x10"]],
    ["text with an exponent", ["1e3"]],
    ["empty text", [""]],
    ["a boolean", [true]],
    ["a list in a list", [[1]]]
  ])("does not read %s", (_, answer) => {
    expect(Answer.numbers(answer, 1)).toEqual(Option.none())
  })
})

describe("Answer.textAndNumber", () => {
  it("reads a text and a whole number, and nothing else", () => {
    const read = Answer.textAndNumber
    expect([read(["a", 1]), read(["", "2"])]).toEqual([Option.some(["a", 1]), Option.some(["", 2])])
    for (const answer of [[], ["a"], ["a", 1, 2], [1, 1], ["a", 0.5], ["a", ""], "a1", null]) {
      expect(read(answer)).toEqual(Option.none())
    }
  })
})
