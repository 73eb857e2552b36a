import { describe, expect, it } from "@effect/vitest"
import * as ConfigText from "../../src/accept/ConfigText.ts"

const longest = 1_048_576
const section = "without a section named after a member of every object"

describe("ConfigText.refusal", () => {
  it.each([
    ["nothing", "", undefined],
    ["a profile", "[default]\nretry_mode = standard\n[profile batch]\nmax_attempts = 2", undefined],
    ["a key of such a name", "[default]\nconstructor = 1\n__proto__ = 2", undefined],
    ["a name that begins alike", "[constructors]\nx = 1\n[profile constructor]\ny = 2", undefined],
    ["a comment", "# [constructor]", undefined],
    ["constructor", "[constructor]\nkeys = 1", section],
    ["after others", "[default]\nx = 1\r\n\t[hasOwnProperty]\nx = 1", section],
    ["with a comment behind it", "[valueOf] ; mine", section],
    ["__proto__", "[__proto__]", section],
    ["a profile __proto__", "[profile __proto__]", section],
    ["__defineGetter__", "[__defineGetter__]", section],
    ["as much as is parsed", "x".repeat(longest), undefined],
    ["more than is parsed", "x".repeat(longest + 1), "at most 1048576 characters long"]
  ])("accepts texts that the parser reads safely: %s", (_, text, expected) => {
    expect(ConfigText.refusal(text)).toBe(expected)
  })
})
