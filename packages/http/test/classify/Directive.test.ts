import { Headers, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Verdict } from "@effect-retry/core"
import { Directive, HttpClassifier } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"

const request = HttpClientRequest.get("http://localhost/")
const judged = (status: number, headers: Record<string, string>, self = HttpClassifier.standard) =>
  self(HttpClientResponse.fromWeb(request, new Response(null, { status, headers })), {
    nowMillis: NaN,
    attempt: 1,
    elapsed: Duration.zero
  })

describe("Directive.trueOrFalse", () => {
  const values: ReadonlyArray<readonly [string, boolean | undefined]> = [
    ["true", true],
    ["false", false],
    [" TRUE ", true],
    ["False", false],
    ["1", undefined],
    ["", undefined],
    ["no", undefined],
    [`false${" ".repeat(95)}`, false],
    [`false${" ".repeat(96)}`, undefined]
  ]

  it.each(values)("reads %j", (value, expected) => {
    expect(Directive.trueOrFalse("x-should-retry").read(value)).toBe(expected)
  })
})

/** Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback". */
describe("Directive.grpcRetryPushback", () => {
  const says: ReadonlyArray<readonly [string, boolean | undefined]> = [
    ["0", undefined],
    ["1500", undefined],
    ["2147483647", undefined],
    ["-1", false],
    ["-0", false],
    ["2147483648", false],
    ["1.5", false],
    ["01", false],
    ["1e3", false],
    ["soon", false],
    ["", false],
    ["9".repeat(2_000), false]
  ]

  it.each(says)("forbids a retry if the value is negative or cannot be read: %j", (value, expected) => {
    expect(Directive.grpcRetryPushback.read(value)).toBe(expected)
  })

  it("makes a status terminal, and makes none retryable", () => {
    const forbidden = Verdict.terminal("grpc-retry-pushback-ms forbids a retry", { kind: "Server" })
    expect(judged(503, { "grpc-retry-pushback-ms": "-1" })).toEqual(forbidden)
    expect(judged(503, { "grpc-retry-pushback-ms": "70" })).toEqual(Verdict.retryable("Throttling", { hint: 70 }))
    expect(judged(404, { "grpc-retry-pushback-ms": "70" })).toEqual(Verdict.noOpinion)
    expect(judged(200, { "grpc-retry-pushback-ms": "-1" })).toEqual(Verdict.noOpinion)
  })
})

describe("Directive.read", () => {
  const own: Directive.Directive = { name: "x-again", read: (value) => (value === "yes" ? true : undefined) }
  const read = (headers: Record<string, string>) =>
    Directive.read(["x-should-retry", own, Directive.grpcRetryPushback], Headers.fromInput(headers))?.says

  it("takes the first header that says anything", () => {
    expect(read({})).toBe(undefined)
    expect(read({ "x-again": "no" })).toBe(undefined)
    expect(read({ "x-again": "yes", "grpc-retry-pushback-ms": "-1" })).toBe("x-again permits a retry")
    expect(read({ "x-should-retry": "false", "x-again": "yes" })).toBe("x-should-retry: false")
    expect(read({ "x-should-retry": "perhaps", "grpc-retry-pushback-ms": "-1" })).toBe(
      "grpc-retry-pushback-ms forbids a retry"
    )
  })

  it("ignores the properties that every object has", () => {
    expect(Directive.read(["constructor", "tostring"], Headers.fromInput({}))).toBe(undefined)
  })

  it("has its place in tables, with a name in lower case", () => {
    const tables = HttpClassifier.standardTables
    const self = HttpClassifier.make({ ...tables, directives: [own] })
    expect(judged(404, { "x-again": "yes" }, self)).toEqual(Verdict.client)
    expect(() => HttpClassifier.make({ ...tables, directives: [{ ...own, name: "X-Again" }] })).toThrow(
      'HttpClassifier.make: directives[0] must be the name of a header in lower case, got "X-Again"'
    )
  })
})
