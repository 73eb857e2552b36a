import { describe, expect, it } from "@effect/vitest"
import * as Resumption from "../../src/decide/Resumption.ts"

type Headers = Resumption.Answer["headers"]

const range = (value: string, more: Headers = {}): Headers => ({ "content-range": value, ...more })

describe("Resumption.first", () => {
  it.each([
    { headers: { "content-length": "10" }, part: { start: 0, end: 10, until: 10, total: 10 } },
    { headers: {}, part: { start: 0, end: undefined, until: undefined, total: undefined } },
    {
      headers: { "content-length": "10", "content-encoding": "gzip" },
      part: { start: 0, end: undefined, until: undefined, total: undefined }
    }
  ])("is the whole, of a known or unknown length: $headers", ({ headers, part }) => {
    expect(Resumption.first({ status: 200, headers }, undefined)).toEqual({ _tag: "Part", part })
  })

  it.each([
    {
      status: 206,
      headers: range("bytes 0-9/10"),
      decision: { _tag: "WrongPart", why: "a part that was not asked for" }
    },
    {
      asked: { start: 4, end: 8 },
      status: 200,
      headers: {},
      decision: { _tag: "RangeRefused", why: "status 200 instead of the range" }
    },
    {
      asked: { start: 4, end: 8 },
      status: 206,
      headers: {},
      decision: { _tag: "WrongPart", why: "a part without a valid Content-Range" }
    },
    {
      asked: { start: 4, end: 8 },
      status: 206,
      headers: range("bytes 5-7/10"),
      decision: { _tag: "WrongPart", why: "another range than the one asked for" }
    },
    {
      asked: { start: 4, end: 8 },
      status: 206,
      headers: range("bytes 4-6/10"),
      decision: { _tag: "Part", part: { start: 4, end: 7, until: 8, total: 10 } }
    }
  ])("is what was asked for, or refused: $status $headers for $asked", ({ asked, decision, headers, status }) => {
    expect(Resumption.first({ status, headers }, asked)).toEqual(decision)
  })

  it.each(["multipart/byteranges", " multipart/byteranges; boundary=a"])(
    "is refused if it has several parts: %j",
    (type) => {
      const headers = range("bytes 4-7/10", { "content-type": type })
      expect(Resumption.first({ status: 206, headers }, { start: 4, end: 8 })).toEqual({
        _tag: "WrongPart",
        why: "several parts in one body"
      })
    }
  )

  it("is one part, whatever else its type names", () => {
    const headers = range("bytes 4-7/10", { "content-type": 'message/http; of="multipart/byteranges"' })
    expect(Resumption.first({ status: 206, headers }, { start: 4, end: 8 })._tag).toBe("Part")
  })
})

describe("Resumption.rest", () => {
  it.each([
    {
      headers: range("bytes 4-9/10"),
      known: { until: 10, total: 10 },
      part: { start: 4, end: 10, until: 10, total: 10 }
    },
    {
      headers: range("bytes 4-6/10"),
      known: { until: 10, total: 10 },
      part: { start: 4, end: 7, until: 10, total: 10 }
    },
    {
      headers: range("bytes 4-9/*"),
      known: { until: 10, total: 10 },
      part: { start: 4, end: 10, until: 10, total: 10 }
    },
    { headers: range("bytes 4-9/10"), known: {}, part: { start: 4, end: 10, until: 10, total: 10 } },
    { headers: range("bytes 4-7/10"), known: { until: 8 }, part: { start: 4, end: 8, until: 8, total: 10 } }
  ])("is the part that comes next: $headers, when $known is known", ({ headers, known, part }) => {
    const asked = { position: 4, until: known.until, total: known.total }
    expect(Resumption.rest({ status: 206, headers }, asked, true)).toEqual({ _tag: "Part", part })
  })

  it.each([
    { status: 412, headers: {}, isSame: true, tag: "OtherVersion", why: "status 412" },
    { status: 416, headers: {}, isSame: true, tag: "RangeRefused", why: "status 416 instead of the rest" },
    { status: 416, headers: {}, isSame: false, tag: "RangeRefused", why: "status 416 instead of the rest" },
    { status: 200, headers: {}, isSame: true, tag: "RangeRefused", why: "status 200 instead of the rest" },
    { status: 200, headers: {}, isSame: false, tag: "OtherVersion", why: "status 200 with another validator" },
    {
      status: 206,
      headers: range("bytes 4-9/10"),
      isSame: false,
      tag: "OtherVersion",
      why: "a part with another validator"
    },
    {
      status: 206,
      headers: range("bytes 4-9/11"),
      isSame: true,
      tag: "OtherVersion",
      why: "a part of a whole of another length"
    },
    {
      status: 206,
      headers: range("bytes 3-9/10"),
      isSame: true,
      tag: "WrongPart",
      why: "a part that begins elsewhere"
    },
    { status: 206, headers: range("bytes 4-10/*"), isSame: true, tag: "WrongPart", why: "a part that is too long" },
    { status: 206, headers: {}, isSame: true, tag: "WrongPart", why: "a part without a valid Content-Range" },
    {
      status: 206,
      headers: range("bytes 4-9/10", { "content-type": "Multipart/ByteRanges; boundary=a" }),
      isSame: true,
      tag: "WrongPart",
      why: "several parts in one body"
    },
    {
      status: 206,
      headers: range("bytes 4-9/10", { "content-encoding": "br" }),
      isSame: true,
      tag: "WrongPart",
      why: "a content coding"
    },
    {
      status: 206,
      headers: range("bytes 4-9/10", { "transfer-encoding": "gzip, chunked" }),
      isSame: true,
      tag: "WrongPart",
      why: "a transfer coding"
    }
  ])("is refused for $why", ({ headers, isSame, status, tag, why }) => {
    const asked = { position: 4, until: 10, total: 10 }
    expect(Resumption.rest({ status, headers }, asked, isSame)).toEqual({ _tag: tag, why })
  })

  const end = { position: 4, until: undefined, total: undefined }

  it.each([
    [416, range("bytes */4"), true, "Whole"],
    [416, range("bytes */4"), undefined, "Whole"],
    [416, range("bytes */4"), false, "RangeRefused"],
    [416, range("bytes */5"), true, "RangeRefused"],
    [416, range("bytes */3"), true, "RangeRefused"],
    [416, range("bytes 4-4/4"), true, "RangeRefused"],
    [416, {}, true, "RangeRefused"],
    [404, range("bytes */4"), true, "RangeRefused"]
  ] as const)(
    "is nothing when the whole ends at the next byte: %d %j, same: %s, is %s",
    (status, headers, isSame, tag) => {
      expect(Resumption.rest({ status, headers }, end, isSame)._tag).toBe(tag)
    }
  )

  it.each([
    { position: 4, until: 10, total: 10 },
    { position: 4, until: 8, total: undefined }
  ])("is not over before the end that is known, whatever a refusal says: $until of $total", (asked) => {
    expect(Resumption.rest({ status: 416, headers: range("bytes */4") }, asked, true)).toEqual({
      _tag: "RangeRefused",
      why: "status 416 instead of the rest"
    })
  })

  it.each([
    [206, range("bytes 4-9/10"), "WrongPart", "a part that does not say of which version it is"],
    [206, range("bytes 4-9/11"), "OtherVersion", "a part of a whole of another length"],
    [200, {}, "RangeRefused", "status 200 instead of the rest"],
    [412, {}, "OtherVersion", "status 412"]
  ] as const)("of an answer that does not say its version is refused: %d %j", (status, headers, _tag, why) => {
    const asked = { position: 4, until: 10, total: 10 }
    expect(Resumption.rest({ status, headers }, asked, undefined)).toEqual({ _tag, why })
  })

  it("is the same of a 200 that counts as a part, and as strict", () => {
    const asked = { position: 4, until: 10, total: 10 }
    const ofStatus = (status: number, value: string, isSame = true) =>
      Resumption.rest({ status, headers: range(value) }, asked, isSame, true)
    expect(ofStatus(200, "bytes 4-9/10")).toEqual(ofStatus(206, "bytes 4-9/10"))
    expect(ofStatus(200, "bytes 0-9/10")._tag).toBe("WrongPart")
    expect(ofStatus(200, "bytes 4-9/10", false)._tag).toBe("OtherVersion")
    expect(ofStatus(203, "bytes 4-9/10")._tag).toBe("RangeRefused")
  })

  it("is refused when neither answer knows the length of the whole", () => {
    const asked = { position: 4, until: undefined, total: undefined }
    expect(Resumption.rest({ status: 206, headers: range("bytes 4-9/*") }, asked, true)).toEqual({
      _tag: "WrongPart",
      why: "a part of a whole of unknown length"
    })
  })
})

describe("Resumption.isRefusal", () => {
  it("holds when the version is another one, and when there are no such bytes", () => {
    expect([200, 206, 404, 412, 416, 503].filter(Resumption.isRefusal)).toEqual([412, 416])
  })
})

describe("Resumption.whyNotResumable", () => {
  it.each([
    ["GET", 200, {}, undefined],
    ["GET", 206, {}, undefined],
    ["GET", 200, { "accept-ranges": "bytes" }, undefined],
    ["GET", 200, { "accept-ranges": "Bytes, lines" }, undefined],
    ["GET", 200, { "content-encoding": "Identity", "transfer-encoding": "Chunked" }, undefined],
    ["GET", 200, { "content-encoding": "" }, undefined],
    ["GET", 200, { "content-encoding": " " }, undefined],
    ["GET", 200, { "content-encoding": " identity ", "transfer-encoding": " chunked " }, undefined],
    ["GET", 200, { "accept-ranges": "lines , bytes , pages" }, undefined],
    ["GET", 200, { "accept-ranges": "bytes-of-another-kind" }, "the server accepts no ranges of bytes"],
    ["HEAD", 200, {}, "HEAD has no ranges"],
    ["GET", 203, {}, "status 203 has no ranges"],
    ["GET", 200, { "accept-ranges": "none" }, "the server accepts no ranges of bytes"],
    ["GET", 200, { "accept-ranges": "kilobytes" }, "the server accepts no ranges of bytes"],
    ["GET", 200, { "content-encoding": "gzip" }, "a content coding"],
    ["GET", 200, { "content-encoding": "identity, gzip" }, "a content coding"],
    ["GET", 200, { "transfer-encoding": "gzip" }, "a transfer coding"]
  ] as const)("of %s %i %j is %j", (method, status, headers, why) => {
    expect(Resumption.whyNotResumable(method, { status, headers })).toBe(why)
  })
})
