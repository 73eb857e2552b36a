import { Headers as PlatformHeaders } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import * as HeaderLines from "../../src/classify/HeaderLines.ts"
import * as Errors from "../support/Errors.ts"

const expected = [
  ["retry-after", "1"],
  ["x-amz-retry-after", "2"]
]

describe("HeaderLines.read", () => {
  const same: ReadonlyArray<readonly [name: string, headers: unknown]> = [
    ["a record", { "retry-after": "1", "x-amz-retry-after": "2" }],
    ["a record in any case", { "Retry-After": "1", "content-type": "text/plain", "X-Amz-Retry-After": "2" }],
    ["a record of Node, with lists", { "retry-after": ["1"], "x-amz-retry-after": "2" }],
    ["platform", PlatformHeaders.fromInput({ "Retry-After": "1", "X-Amz-Retry-After": "2" })],
    [
      "pairs",
      [
        ["Retry-After", "1"],
        ["x-other", "3"],
        ["x-amz-retry-after", "2"]
      ]
    ],
    ["lines read before", HeaderLines.read({ "retry-after": "1", "x-amz-retry-after": "2" })]
  ]
  it("reads headers of any form, in their order", () => {
    expect(same.map(([name, headers]) => [name, HeaderLines.read(headers)])).toEqual(
      same.map(([name]) => [name, expected])
    )
  })
  it("reads headers of fetch", () => {
    const headers = new Headers({ "Retry-After": "1", "X-Amz-Retry-After": "2" })
    expect(new Map(HeaderLines.read(headers))).toEqual(new Map(expected as Array<[string, string]>))
  })
  it("treats several or odd values as absent", () => {
    const values = [["1", "2"], [], 5, null, undefined, {}, "1".repeat(257)]
    expect(values.flatMap((value) => HeaderLines.read({ date: value }))).toEqual([])
    expect(HeaderLines.read({ date: "1".repeat(256) })).toHaveLength(1)
  })
  it("looks at a bounded number of headers", () => {
    const many = (count: number) =>
      Object.fromEntries([...Array.from({ length: count }, (_, index) => [`x-${index}`, ""]), ["age", "1"]])
    const pairs = (count: number) => Object.entries(many(count))
    expect([255, 256].map((count) => HeaderLines.read(many(count)).length)).toEqual([1, 0])
    expect([255, 256].map((count) => HeaderLines.read(pairs(count)).length)).toEqual([1, 0])
  })
  it("finds nothing in what is not a list of headers, and never throws", () => {
    expect(Errors.hostile.flatMap(([, value]) => HeaderLines.read(value))).toEqual([])
  })
})

describe("HeaderLines.get", () => {
  it("answers the first one of a name", () => {
    const lines = HeaderLines.read({ Age: "1", age: "2" })
    expect([HeaderLines.get(lines, "age"), HeaderLines.get(lines, "date")]).toEqual(["1", undefined])
  })
})
