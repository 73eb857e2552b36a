import * as Argument from "@effect-retry/core/unstable/Argument"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Option } from "effect"

describe("Argument.number", () => {
  const check = (value: number, range: Argument.Range) => () => Argument.number("M.f", "x", value, range)

  it.each<[number, Argument.Range]>([
    [0, { min: 0 }],
    [5, { min: 0, max: 5 }],
    [Number.MIN_VALUE, { min: 0, exclusive: true }],
    [7, { min: 7, integer: true }]
  ])("answers a value in range: %d of %o", (value, range) => {
    expect(check(value, range)()).toBe(value)
  })

  it.each<[number, Argument.Range, string]>([
    [-1, { min: 0 }, "M.f: x must be >= 0, got -1"],
    [0, { min: 0, exclusive: true }, "M.f: x must be > 0, got 0"],
    [6, { min: 0, max: 5 }, "M.f: x must be >= 0 and <= 5, got 6"],
    [1.5, { min: 1, integer: true }, "M.f: x must be a whole number >= 1, got 1.5"],
    [Infinity, { min: 1 }, "M.f: x must be >= 1, got Infinity"]
  ])("refuses a value out of range: %d of %o", (value, range, message) => {
    expect(check(value, range)).toThrow(message)
  })
})

describe("Argument.millis", () => {
  it.each<[Duration.DurationInput, number]>([
    [1.5, 1.5],
    ["2 seconds", 2_000],
    ["250 micros", 0.25],
    [1_500_000n, 1.5],
    [0n, 0],
    [[1, 500_000_000], 1_500],
    [Duration.minutes(1), 60_000]
  ])("answers %s as milliseconds", (value, millis) => {
    expect(Argument.millis("M.f", "x", value, { min: 0 })).toBe(millis)
  })
})

describe("Argument.oneOf", () => {
  it("answers a name from the list", () => {
    expect(Argument.oneOf("M.f", "x", "b", ["a", "b"])).toBe("b")
  })

  it("refuses a value that only looks like one", () => {
    expect(() => Argument.oneOf("M.f", "x", new String("a"), ["a", "b"])).toThrow("M.f: x must be one of a, b, got a")
    expect(() => Argument.oneOf("M.f", "x", "toString", ["a"])).toThrow(`M.f: x must be one of a, got "toString"`)
  })
})

describe("Argument.decode", () => {
  it.each([NaN, -1, -1n, "-1 seconds", " -1 seconds", [NaN, 0], [0, -1], "later", null, undefined, {}])(
    "refuses what is not a duration, and does not read it as zero: %s",
    (value) => {
      expect(Argument.decode(value)).toEqual(Option.none())
    }
  )

  it("keeps an infinite duration, which some constructors allow", () => {
    expect(Argument.decode(Infinity)).toEqual(Option.some(Duration.infinity))
  })
})

describe("Argument.millis", () => {
  it.each(["10", "10s", "10 ms"])("shows how to write %s", (value) => {
    expect(() => Argument.millis("Owner.make", "within", value as never, { min: 0 })).toThrow(
      `Owner.make: within must be a finite duration >= 0, such as "10 seconds" or "10 millis", got "${value}"`
    )
  })
})

describe("Argument.options", () => {
  it("shows the right call when a value stands in place of a record", () => {
    for (const value of ["1 second", 1, undefined, Duration.seconds(1)]) {
      expect(() => Argument.options<object>("Owner.make", '{ base: "1 second" }', value as never, {})).toThrow(
        'Owner.make: options must be a record, as in Owner.make({ base: "1 second" }), got '
      )
    }
    const options = { base: "1 second" }
    expect(Argument.options("Owner.make", "{}", options, { base: true })).toBe(options)
  })

  it("names the first missing option", () => {
    const check = (options: { readonly a?: number; readonly b?: number }) => () =>
      Argument.options("Owner.make", "{ a: 1, b: 2 }", options, { a: true, b: true })
    expect(check({})).toThrow("Owner.make: a must be given, as in Owner.make({ a: 1, b: 2 }), got undefined")
    expect(check({ a: 0 })).toThrow("Owner.make: b must be given, as in Owner.make({ a: 1, b: 2 }), got undefined")
    expect(check({ a: 0, b: 0 })).not.toThrow()
  })

  it("names an unknown option, and the one that was probably meant", () => {
    const check = (options: { readonly capacity?: number }) => () =>
      Argument.options("Owner.make", "{ capacity: 1 }", options, { capacity: false })
    expect(check({ capacty: 1 } as object)).toThrow(
      "Owner.make: capacty must be absent (did you mean capacity?), got 1"
    )
    expect(check({ other: 1 } as object)).toThrow("Owner.make: other must be absent: the options are capacity, got 1")
    expect(check({ capacity: 1 })).not.toThrow()
    expect(check({})).not.toThrow()
  })
})

describe("Argument.fields", () => {
  const check = (given: object, path?: string) => () =>
    Argument.fields("Owner.make", given, ["a", "b"], "options", path === undefined ? {} : { path })

  it("accepts known fields, all or some of them", () => {
    expect(check({})).not.toThrow()
    expect(check({ a: 1, b: undefined })).not.toThrow()
  })

  it("names the first unknown field, its place, and all known ones", () => {
    expect(check({ a: 1, c: 2, d: 3 })).toThrow("Owner.make: c must be absent: the options are a, b, got 2")
    expect(check({ toString: 2 }, "part.")).toThrow("Owner.make: part.toString must be absent")
  })

  it.each([
    ["maxAttemps", "maxAttempts"],
    ["maxattempts", "maxAttempts"],
    ["maxAttempt", "maxAttempts"],
    ["backof", "backoff"],
    ["clasifyer", "classifier"],
    ["bukcet", "bucket"],
    ["nme", "name"],
    ["retries", undefined],
    ["nm", undefined],
    ["", undefined]
  ])("suggests the field within two letters of %s: %s", (given, meant) => {
    const known = ["name", "classifier", "maxAttempts", "backoff", "bucket"]
    const message = meant === undefined ? `: the options are ${known.join(", ")}` : ` (did you mean ${meant}?)`
    expect(() => Argument.fields("Owner.make", { [given]: 1 }, known, "options")).toThrow(
      expect.objectContaining({ message: `Owner.make: ${given} must be absent${message}, got 1` })
    )
  })

  it("knows what other libraries call a field", () => {
    const check = (given: object) => () =>
      Argument.fields("Owner.make", given, ["a"], "options", { otherNames: { first: "a, the first letter" } })
    expect(check({ first: 1 })).toThrow("Owner.make: first must be absent (did you mean a, the first letter?), got 1")
    expect(check({ toString: 1 })).toThrow("Owner.make: toString must be absent: the options are a, got 1")
  })
})
