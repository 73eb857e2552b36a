import { Status } from "@effect-retry/grpc"
import { describe, expect, it } from "@effect/vitest"
import { Metadata } from "@grpc/grpc-js"
import * as FastCheck from "effect/FastCheck"

const codes: ReadonlyArray<readonly [title: string, error: unknown, code: Status.Status["code"]]> = [
  ["a number", { code: 14 }, "UNAVAILABLE"],
  ["the number of success", { code: 0 }, "OK"],
  ["the last number", { code: 16 }, "UNAUTHENTICATED"],
  ["a number above the last", { code: 17 }, undefined],
  ["a number below the first", { code: -1 }, undefined],
  ["a fraction", { code: 14.5 }, undefined],
  ["a number of HTTP", { code: 503 }, undefined],
  ["a name", { code: "UNAVAILABLE" }, "UNAVAILABLE"],
  ["a name in lower case", { code: "deadline_exceeded" }, "DEADLINE_EXCEEDED"],
  ["a name of Node", { code: "ECONNRESET" }, undefined],
  ["a name in status", { status: "ABORTED" }, "ABORTED"],
  ["a name in status beside a code of another kind", { code: 409, status: "ABORTED" }, "ABORTED"],
  ["a name that is too long", { code: " ".repeat(2000) }, undefined],
  ["no object", "UNAVAILABLE", undefined]
]

const name = "grpc-retry-pushback-ms"

describe("Status.read", () => {
  it.each(codes)("reads the code by its shape: %s", (_, error, code) => {
    expect(Status.read(error)).toEqual({ code, pushback: undefined })
  })

  const metadata = new Metadata()
  metadata.add(name, "100")

  it.each([
    [metadata, 100],
    [{ [name]: "100" }, 100],
    [new Map([[name, "100"]]), 100],
    [new Headers({ [name]: "100" }), 100],
    [{ [name]: String(2 ** 31 - 1) }, 2 ** 31 - 1],
    [{ [name]: String(2 ** 31) }, "never"],
    [{ [name]: "007" }, "never"],
    [{ [name]: 100 }, "never"],
    [{ [name]: ["100", "200"] }, "never"],
    [new Headers(), undefined],
    [{ [name]: null }, undefined],
    [undefined, undefined]
  ])("reads the pushback of %j as %s", (metadata, pushback) => {
    expect(Status.read({ code: 14, metadata })).toEqual({ code: "UNAVAILABLE", pushback })
  })

  it("never throws, whatever an error does", () => {
    const fail = () => {
      throw new Error("no")
    }
    const { proxy, revoke } = Proxy.revocable([], {})
    revoke()
    const hostile = [
      new Proxy({}, { get: fail }),
      {
        get code() {
          return fail()
        },
        metadata: { get: fail }
      },
      { metadata: { get: () => new Proxy([], { get: fail }) } },
      { metadata: { get: () => proxy } },
      proxy
    ]
    for (const error of hostile) expect(Status.read(error)).toEqual({ code: undefined, pushback: undefined })
    FastCheck.assert(
      FastCheck.property(FastCheck.anything(), (error) => {
        Status.read(error)
      })
    )
  })
})

describe("Status.chain", () => {
  it("has the outermost first, and ten causes", () => {
    const wrapped = new Error("", { cause: { code: 14 } })
    expect(Status.chain(wrapped).map(({ code }) => code)).toEqual([undefined, "UNAVAILABLE"])
    const circle: { cause?: unknown } = {}
    circle.cause = circle
    expect(Status.chain(circle).length).toBe(11)
    expect(Status.chain("no")).toEqual([])
  })
})

describe("Status.first", () => {
  it("has each field from the first status that has it", () => {
    expect(Status.first([])).toEqual({ code: undefined, pushback: undefined })
    expect(
      Status.first([
        { code: undefined, pushback: 7 },
        { code: "ABORTED", pushback: "never" }
      ])
    ).toEqual({ code: "ABORTED", pushback: 7 })
  })
})

describe("Status.trailer", () => {
  it("has all values under a name", () => {
    const metadata = new Metadata()
    metadata.add("own", "1")
    metadata.add("own", "2")
    expect(Status.trailer({ metadata }, "own")).toEqual(["1", "2"])
    expect(Status.trailer({ metadata }, "other")).toEqual([])
    expect(Status.trailer("no", "own")).toEqual([])
  })
})
