import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import * as FastCheck from "effect/FastCheck"
import * as AwsSettings from "../../src/accept/AwsSettings.ts"

const around = FastCheck.constantFrom("", " ", "\t", "\r\n", "  \u00a0")

describe("AwsSettings.maxAttempts", () => {
  it("reads every number it allows, with white space around it", () => {
    const allowed = FastCheck.integer({ min: AwsSettings.attempts.min, max: AwsSettings.attempts.max })
    FastCheck.assert(
      FastCheck.property(allowed, around, around, (attempts, before, after) => {
        expect(AwsSettings.maxAttempts.read(`${before}${attempts}${after}`)).toEqual(Option.some(attempts))
      })
    )
  })

  it("reads nothing else: a text is digits, or is refused", () => {
    const text = FastCheck.oneof(
      FastCheck.string({ maxLength: 12 }),
      FastCheck.double().map(String),
      FastCheck.bigInt().map(String),
      FastCheck.string({ unit: FastCheck.constantFrom(..."0123456789.eE+-xb_ \n") })
    )
    FastCheck.assert(
      FastCheck.property(text, (text) => {
        const read = AwsSettings.maxAttempts.read(text)
        const number = /^\s*\d+\s*$/.test(text) ? Number(text) : 0
        const isAllowed = number >= 1 && number <= 2_147_483_647
        expect(read).toEqual(isAllowed ? Option.some(number) : Option.none())
      })
    )
  })

  it.each([
    ["1", Option.some(1)],
    ["0", Option.none()],
    ["2147483647", Option.some(2_147_483_647)],
    ["2147483648", Option.none()],
    ["00000000000000000000000000000000000000007", Option.some(7)],
    ["9".repeat(400), Option.none()]
  ])("has these bounds: %s", (text, expected) => {
    expect(AwsSettings.maxAttempts.read(text)).toEqual(expected)
  })
})

describe("AwsSettings.mode", () => {
  const { read } = AwsSettings.mode(["standard", "adaptive"])

  it.each([
    ["adaptive", Option.some("adaptive")],
    [" ADAPTIVE\n", Option.some("adaptive")],
    ["legacy", Option.none()],
    ["toString", Option.none()],
    ["__proto__", Option.none()],
    ["", Option.none()]
  ])("reads the modes that it was given, and no other: %j", (text, expected) => {
    expect(read(text)).toEqual(expected)
  })
})

describe("AwsSettings.gate", () => {
  it.each([
    ["true", Option.some("2.1")],
    ["True", Option.some("2.1")],
    ["FALSE", Option.some("2.0")],
    ["1", Option.none()],
    ["", Option.none()]
  ])("reads true and false: %j", (text, expected) => {
    expect(AwsSettings.gate.read(text)).toEqual(expected)
  })
})
