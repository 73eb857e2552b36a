import { describe, expect, it } from "@effect/vitest"
import * as ContentRange from "../../src/classify/ContentRange.ts"

describe("ContentRange.parse", () => {
  it.each([
    ["bytes 0-0/1", { start: 0, end: 1, total: 1 }],
    ["bytes 500-999/8000", { start: 500, end: 1000, total: 8000 }],
    ["bytes 7000-7999/8000", { start: 7000, end: 8000, total: 8000 }],
    ["bytes 500-999/*", { start: 500, end: 1000, total: undefined }],
    ["BYTES 5-9/10", { start: 5, end: 10, total: 10 }],
    [" bytes 5-9/10 ", { start: 5, end: 10, total: 10 }]
  ])("reads %j", (value, range) => {
    expect(ContentRange.parse(value)).toEqual(range)
  })

  it.each([
    undefined,
    "",
    "bytes */8000",
    "bytes 9-5/10",
    "bytes 5-4/10",
    "bytes 5-10/10",
    "bytes 5-9",
    "bytes=5-9/10",
    "bytes 5-9/10, bytes 5-9/10",
    "lines 5-9/10",
    "bytes -5-9/10",
    "bytes 5.5-9/10",
    "bytes 0x5-9/10",
    "bytes 5 - 9/10",
    `bytes 5-9/${"9".repeat(16)}`,
    `bytes 5-${"9".repeat(400)}/*`
  ])("finds no range in %j", (value) => {
    expect(ContentRange.parse(value)).toBeUndefined()
  })
})

describe("ContentRange.lengthOf", () => {
  it.each([
    ["0", 0],
    ["8000", 8000],
    [" 10 ", 10],
    ["10, 10", undefined],
    ["-1", undefined],
    ["1e3", undefined],
    ["", undefined],
    ["9".repeat(16), undefined],
    [undefined, undefined]
  ])("reads %j as %j", (value, length) => {
    expect(ContentRange.lengthOf(value)).toBe(length)
  })
})

describe("ContentRange.wholeOf", () => {
  it.each([
    ["bytes */20", 20],
    [" Bytes */0 ", 0],
    ["bytes */999999999999999", 999_999_999_999_999],
    ["bytes */1000000000000000", undefined],
    ["bytes */*", undefined],
    ["bytes 0-1/20", undefined],
    ["bytes */-1", undefined],
    ["bytes */2.0", undefined],
    ["lines */20", undefined],
    ["bytes */20, bytes */20", undefined],
    ["", undefined],
    [undefined, undefined]
  ])("finds in %j %j", (value, whole) => {
    expect(ContentRange.wholeOf(value)).toBe(whole)
  })
})
