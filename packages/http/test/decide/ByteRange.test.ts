import { describe, expect, it } from "@effect/vitest"
import * as ByteRange from "../../src/decide/ByteRange.ts"

describe("ByteRange.parse", () => {
  it.each([
    [undefined, undefined],
    ["bytes=0-0", { start: 0, end: 1 }],
    ["bytes=4-11", { start: 4, end: 12 }],
    ["bytes=10-19", { start: 10, end: 20 }],
    ["bytes=4-", { start: 4, end: undefined }],
    ["bytes=-5", { suffix: 5 }],
    [" Bytes=4-11 ", { start: 4, end: 12 }]
  ])("reads %j", (value, range) => {
    expect(ByteRange.parse("Owner.function", value)).toEqual(range)
  })

  it.each([
    "",
    "4-11",
    "bytes=",
    "bytes=-",
    "bytes=5-4",
    "bytes=0-1,4-5",
    "bytes=a-b",
    "lines=1-2",
    "kilobytes=1-2",
    "bytes=1.5-2"
  ])("refuses %j", (value) => {
    expect(() => ByteRange.parse("Owner.function", value)).toThrow(
      "Owner.function: request.headers.range must be one range of bytes"
    )
  })
})

describe("ByteRange.endOf", () => {
  it.each([
    { asked: "bytes=4-11", part: [4, 12, 20], end: 12 },
    { asked: "bytes=4-11", part: [4, 12, undefined], end: 12 },
    { asked: "bytes=4-11", part: [4, 8, 20], end: 12 },
    { asked: "bytes=4-99", part: [4, 20, 20], end: 20 },
    { asked: "bytes=4-", part: [4, 20, 20], end: 20 },
    { asked: "bytes=4-", part: [4, 8, 20], end: 20 },
    { asked: "bytes=4-", part: [4, 8, undefined], end: 8 },
    { asked: "bytes=-5", part: [15, 20, 20], end: 20 },
    { asked: "bytes=-50", part: [0, 20, 20], end: 20 },
    { asked: "bytes=-5", part: [15, 20, undefined], end: "Other" },
    { asked: "bytes=-5", part: [14, 20, 20], end: "Other" },
    { asked: "bytes=4-11", part: [5, 12, 20], end: "Other" },
    { asked: "bytes=4-11", part: [4, 13, 20], end: "Other" }
  ] as const)("says where $asked ends, by the part $part", ({ asked, end, part: [start, partEnd, total] }) => {
    const range = ByteRange.parse("Owner.function", asked)
    expect(range && ByteRange.endOf(range, { start, end: partEnd, total })).toBe(end)
  })
})
