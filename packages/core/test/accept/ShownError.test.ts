import { Retry } from "@effect-retry/core"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Data, Schema } from "effect"
import { inspect } from "node:util"

class Busy extends Data.TaggedError("Busy")<{ readonly message: string }> {}

/** Every property of it throws. */
const hostile = new Proxy(new Error("x"), {
  get: () => {
    throw new Error("not to be read")
  }
})

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable(new Error("x"), {})
  revoke()
  return proxy
}

const printed = (error: unknown): string =>
  [
    inspect(error, { depth: 20, showHidden: true }),
    JSON.stringify(error),
    String(error),
    Cause.pretty(Cause.fail(error), { renderErrorCause: true }),
    JSON.stringify(Cause.fail(error))
  ].join("\n")

describe("Untrusted.outcome", () => {
  it.each([
    [new Busy({ message: "" }), "Busy"],
    [new Busy({ message: 'say "no"' }), 'Busy "say \\"no\\""'],
    [new RangeError("too far"), 'RangeError "too far"'],
    [new Error("x".repeat(90)), `Error "${"x".repeat(90)}"`],
    [Object.assign(new Error(), { message: { toString: "no function" } }), "Error"],
    [Object.assign(new Error(), { message: null }), "Error"],
    [Object.assign(new Error(), { message: Symbol("s") }), 'Error "Symbol(s)"'],
    [new Retry.ResultRejected({ result: "secret" }), "a rejected result"],
    [{ _tag: "Plain", message: "not an Error" }, "Plain"],
    [{ _tag: 7 }, "Object"],
    [Object.create(null), "object"],
    ["busy", "string"],
    [undefined, "undefined"],
    [null, "object"],
    [hostile, "object"]
  ])("of an error: %#", (error, text) => {
    expect(Untrusted.outcome(Untrusted.shown(error))).toBe(text)
  })
})

describe("Untrusted.inBrief", () => {
  const refused = Object.assign(new Error("connect to s3cret"), { code: "ECONNREFUSED", password: "s3cret" })
  const failed = new TypeError("fetch of s3cret failed", { cause: refused })

  it.each([
    [new Busy({ message: "s3cret" }), "Busy"],
    [refused, "Error: ECONNREFUSED"],
    [failed, "TypeError: caused by Error ECONNREFUSED"],
    [
      Object.assign(new Error("x"), { code: 7, cause: failed }),
      "Error: 7: x, caused by TypeError, caused by Error ECONNREFUSED"
    ],
    [Object.assign(new Error("x"), { _tag: "the s3cret", code: "the s3cret" }), "Error: x"],
    [new Retry.AttemptRefused({ attempt: 1, cause: refused }), "AttemptRefused: caused by Error ECONNREFUSED"],
    [
      new TypeError("Cannot read properties of undefined (reading 'id')"),
      "TypeError: Cannot read properties of undefined (reading 'id')"
    ],
    [
      new Error("fetch failed", { cause: new Error("refused by the peer") }),
      "Error: fetch failed, caused by Error: refused by the peer"
    ],
    [new Error("wrong password hunter"), "Error"],
    [new Error('say "hunter"'), "Error"],
    [new Error("hunter ".repeat(40)), "Error"],
    ["s3cret", "string"],
    [undefined, "undefined"],
    [hostile, "object"]
  ])("shows class, code, a message of plain words, and causes: %#", (error, text) => {
    const shown = Untrusted.inBrief(error)
    expect(shown).toBeInstanceOf(Error)
    expect([String(shown), shown.stack, inspect(shown)]).toEqual([text, text, text])
    expect(printed(shown)).not.toContain("s3cret")
    expect(shown.original).toBe(error)
  })

  it("writes class, code and causes as JSON", () => {
    const shown = Untrusted.inBrief(Object.assign(new Error("x", { cause: refused }), { code: 7 }))
    expect(JSON.parse(JSON.stringify(shown))).toEqual({
      name: "Error",
      code: 7,
      message: "7: x, caused by Error ECONNREFUSED"
    })
  })

  it("is bounded in depth, whatever an error refers to", () => {
    const cycle: Error & { cause?: unknown } = new Error("cycle")
    cycle.cause = cycle
    expect(printed(Untrusted.inBrief(cycle)).length).toBeLessThan(2_000)
  })
})

describe("Untrusted.inFull", () => {
  const error = new Error("broken", { cause: new RangeError("far") })

  it("adds the message to an error that is shown without it", () => {
    for (const given of [error, Untrusted.inBrief(error)]) {
      const shown = Untrusted.inFull(given)
      expect([shown.original, shown.message, shown.cause?.message]).toEqual([error, "broken", "far"])
    }
    expect(Untrusted.inFull(Untrusted.inBrief(undefined)).name).toBe("undefined")
  })

  it("adds the messages of causes that are shown without them", () => {
    const stopped = new Retry.AttemptRefused({ attempt: 1, cause: error })
    expect(inspect(Untrusted.inFull(stopped))).toMatch(/\[cause\]: Error: broken[^]*\[cause\]: RangeError: far/)
  })

  it("leaves an error that is shown with its message as it is", () => {
    const shown = Untrusted.shown(error, () => ({ messages: "none" }))
    expect(Untrusted.inFull(shown)).toBe(shown)
  })
})

describe("Untrusted.shown", () => {
  it("shows class, code, message, place and causes", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" })
    const both = Object.assign(new AggregateError([refused, new RangeError("far")], "all"), { code: "EALL" })
    const shown = Untrusted.shown(new TypeError("fetch failed", { cause: both }))
    expect(shown).toBeInstanceOf(Error)
    expect(JSON.parse(JSON.stringify(shown))).toEqual({
      name: "TypeError",
      message: "fetch failed",
      cause: {
        name: "AggregateError",
        code: "EALL",
        message: "all",
        errors: [
          { name: "Error", code: "ECONNREFUSED", message: "connect ECONNREFUSED 127.0.0.1:1" },
          { name: "RangeError", message: "far" }
        ]
      }
    })
    expect(String(shown)).toBe("TypeError: fetch failed")
    const text = inspect(shown)
    expect(text).toMatch(/^TypeError: fetch failed\n {4}at /)
    expect(text).toMatch(/\n {2}\[cause\]: AggregateError \[EALL\]: all\n/)
    expect(text).toMatch(/\n {4}\[error\]: RangeError: far\n/)
    expect(Cause.pretty(Cause.fail(shown), { renderErrorCause: true })).toContain("[cause]: AggregateError: all")
  })

  it("gives code the error itself, which no printing shows", () => {
    const error = Object.assign(new Error("broken"), { password: "s3cret", request: { headers: { cookie: "s3cret" } } })
    const shown = Untrusted.shown(error)
    expect(shown.original).toBe(error)
    expect(printed(shown)).not.toContain("s3cret")
    expect(printed({ ...shown })).not.toContain("s3cret")
    expect(Object.keys(shown)).toEqual([])
  })

  it("shows nothing through an object that only inherits from it", () => {
    const heir = Object.create(Untrusted.shown(new Error("s3cret"))) as Untrusted.ShownError
    expect([heir.original, heir.name, heir.message, heir.cause]).toEqual([undefined, "undefined", "", undefined])
  })

  it.each([
    ["a text that does not parse", new Error("x", { cause: parse("s3cret") })],
    ["a value that does not fit its schema", fits("s3cret")],
    ["a stack that is a part of the message", new SyntaxError("x\n    at s3cret (x:1:1)")],
    ["a stack of its own", Object.assign(new Error("x"), { stack: "s3cret\n    at f (http://h/x.js?s3cret:1:1)" })],
    ["a name", Object.assign(new Error("x"), { _tag: "the s3cret", code: "the s3cret" })],
    ["a property", Object.assign(new Error("x"), { q: new URLSearchParams({ upload_id: "s3cret" }) })],
    ["a text", "s3cret"]
  ])("does not show %s", (_, error) => {
    expect(printed(Untrusted.shown(error))).not.toContain("s3cret")
  })

  it("shows the messages that it is told to", () => {
    const error = new Error("outer", { cause: new Error("inner") })
    const text = (messages: "all" | "outermost" | "none") =>
      JSON.stringify(Untrusted.shown(error, () => ({ messages })))
    expect(text("all")).toContain("inner")
    expect(text("outermost")).toContain("outer")
    expect(text("outermost")).not.toContain("inner")
    expect(text("none")).not.toContain("outer")
  })

  it("shows an error that is already shown as it was", () => {
    const inner = Untrusted.shown(new Error("s3cret"), () => ({ messages: "none" }))
    for (const outer of [Untrusted.shown(inner), Untrusted.shown(new Error("x", { cause: inner }))]) {
      expect(printed(outer)).not.toContain("s3cret")
    }
    expect(Untrusted.shown(inner).original).toBe(inner)
    expect(Untrusted.asCause(inner).cause).toBe(inner)
  })

  it("reads an error only when it is shown", () => {
    expect(Untrusted.shown(hostile).original).toBe(hostile)
  })

  it("is bounded in depth and number, whatever an error refers to", () => {
    let deep = new Error("0")
    for (let i = 1; i < 10_000; i++) deep = new Error(String(i), { cause: deep })
    const cycle: Error & { cause?: unknown; errors?: unknown } = new Error("cycle")
    cycle.cause = cycle
    const wide: Error & { errors?: unknown } = new Error("wide")
    wide.errors = Array.from({ length: 10_000 }, (_, i) =>
      Object.assign(new Error(String(i)), { errors: [wide, deep] })
    )
    const stopped = (error: unknown) => new Retry.AttemptRefused({ attempt: 1, cause: error })
    let wrapped: unknown = "x"
    for (let i = 0; i < 10_000; i++) wrapped = stopped(wrapped)
    for (const error of [
      deep,
      cycle,
      wide,
      wrapped,
      new Error("x".repeat(1e7)),
      new Error("x", { cause: revoked() })
    ]) {
      expect(printed(Untrusted.shown(error)).length).toBeLessThan(100_000)
    }
    expect(Untrusted.shown(cycle).cause).toBeUndefined()
  })
})

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

function fits(text: string): unknown {
  try {
    return Schema.decodeUnknownSync(Schema.Number)(text)
  } catch (error) {
    return error
  }
}
