import { describe, expect, it } from "@effect/vitest"
import * as Validators from "../../src/decide/Validators.ts"

const date = "Sun, 22 Nov 2026 12:00:00 GMT"
const earlier = "Sun, 22 Nov 2026 11:59:59 GMT"

describe("Validators.strongTag", () => {
  it.each([
    ['"a"', '"a"'],
    ['""', '""'],
    [' "a-b:c/d" ', '"a-b:c/d"'],
    ['W/"a"', undefined],
    ["a", undefined],
    ['"a', undefined],
    ['"a b"', undefined],
    ['"a", "b"', undefined],
    ['"a"b"', undefined],
    ["", undefined],
    [" ", undefined],
    [undefined, undefined]
  ])("finds in %j %j", (etag, found) => {
    expect(Validators.strongTag({ etag })).toBe(found)
  })
})

describe("Validators.strongDate", () => {
  it.each([
    ["a date of the second before", { date, "last-modified": earlier }, earlier],
    ["one of another form", { date, "last-modified": "Sunday, 22-Nov-26 11:00:00 GMT" }, undefined],
    ["the obsolete form of asctime", { date, "last-modified": "Sun Nov 22 11:00:00 2026" }, "Sun Nov 22 11:00:00 2026"],
    ["the same second", { date, "last-modified": date }, undefined],
    ["a later second", { date: earlier, "last-modified": date }, undefined],
    ["no date of the response", { "last-modified": earlier }, undefined],
    ["no date of the version", { date }, undefined],
    ["what is no date", { date, "last-modified": "yesterday" }, undefined],
    ["a response whose date is none", { date: "now", "last-modified": earlier }, undefined],
    ["a blank tag beside it", { date, "last-modified": earlier, etag: "" }, earlier],
    ["a weak tag beside it", { date, "last-modified": earlier, etag: 'W/"a"' }, undefined]
  ])("judges %s", (_, headers, found) => {
    expect(Validators.strongDate(headers)).toBe(found)
  })
})

describe("Validators.isSameVersion", () => {
  const first = { etag: '"a"', "last-modified": earlier }
  it.each([
    ["the tag", first, { etag: '"a"', "last-modified": date }, true],
    ["the tag with blanks", first, { etag: ' "a" ' }, true],
    ["another tag", first, { etag: '"b"', "last-modified": earlier }, false],
    ["a weak tag", first, { etag: 'W/"a"' }, false],
    ["the date alone", first, { "last-modified": earlier }, true],
    ["the date beside a blank tag", first, { etag: " ", "last-modified": earlier }, true],
    ["another date alone", first, { "last-modified": date }, false],
    ["nothing", first, {}, undefined],
    ["a blank date", first, { "last-modified": "" }, undefined],
    ["a date that the first answer has not", { etag: '"a"' }, { "last-modified": earlier }, undefined]
  ])("goes by %s", (_, first, later, expected) => {
    expect(Validators.isSameVersion(first, later)).toBe(expected)
  })
})
