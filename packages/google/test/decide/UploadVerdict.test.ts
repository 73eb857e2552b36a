import { UploadVerdict } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"

const kib = 1024

/** An upload of 512 KiB, of which the first 384 KiB were sent. */
const asked = (asked: UploadVerdict.Asked, more: Partial<UploadVerdict.Situation> = {}): UploadVerdict.Situation => {
  const finishes = asked === "LastChunk" || asked === "Finish"
  return { asked, sent: finishes ? 512 * kib : 384 * kib, total: finishes ? 512 * kib : undefined, ...more }
}

const stored = (bytes: number): UploadVerdict.Answer => ({ status: 308, headers: { range: `bytes=0-${bytes - 1}` } })

const object = (fields: object, status = 200): UploadVerdict.Answer => ({
  status,
  headers: { "content-type": "application/json; charset=UTF-8" },
  body: JSON.stringify(fields)
})

const ahead =
  "Invalid request.  According to the Content-Range header, the upload offset is 524288 byte(s), which exceeds already uploaded size of 262144 byte(s)."
const text = (status: number, body: string): UploadVerdict.Answer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body
})

interface Row {
  readonly of: string
  readonly situation: UploadVerdict.Situation
  readonly answer: UploadVerdict.Answer | undefined
  readonly verdict: UploadVerdict.UploadVerdict["_tag"]
  readonly offset?: number
}

/** Section by section the table of java-storage at 679cddd, ResumableSessionFailureScenario.java, and what gsutil adds. */
const rows: ReadonlyArray<Row> = [
  {
    of: "308 without Range",
    situation: asked("Chunk"),
    answer: { status: 308, headers: {} },
    verdict: "Continue",
    offset: 0
  },
  {
    of: "308 without Range",
    situation: asked("LastChunk"),
    answer: { status: 308, headers: {} },
    verdict: "Continue",
    offset: 0
  },
  {
    of: "308 without Range",
    situation: asked("Status"),
    answer: { status: 308, headers: {} },
    verdict: "Continue",
    offset: 0
  },
  {
    of: "all that was sent",
    situation: asked("Chunk"),
    answer: stored(384 * kib),
    verdict: "Continue",
    offset: 384 * kib
  },
  {
    of: "a part of what was sent",
    situation: asked("Chunk"),
    answer: stored(256 * kib),
    verdict: "Continue",
    offset: 256 * kib
  },
  {
    of: "a part of what was sent",
    situation: asked("LastChunk"),
    answer: stored(256 * kib),
    verdict: "Continue",
    offset: 256 * kib
  },
  {
    of: "a part of what was sent",
    situation: asked("Status"),
    answer: stored(256 * kib),
    verdict: "Continue",
    offset: 256 * kib
  },
  { of: "a single byte", situation: asked("Status"), answer: stored(1), verdict: "Continue", offset: 1 },
  {
    of: "all, but not finished",
    situation: asked("LastChunk"),
    answer: stored(512 * kib),
    verdict: "Continue",
    offset: 512 * kib
  },
  {
    of: "all, but not finished",
    situation: asked("Finish"),
    answer: stored(512 * kib),
    verdict: "Continue",
    offset: 512 * kib
  },
  {
    of: "nothing of an empty object",
    situation: { asked: "Finish", sent: 0, total: 0 },
    answer: { status: 308, headers: {} },
    verdict: "Continue",
    offset: 0
  },
  {
    of: "what another process sent",
    situation: asked("Status", { sent: undefined }),
    answer: stored(2 ** 40),
    verdict: "Continue",
    offset: 2 ** 40
  },
  {
    of: "what another process sent, within the size",
    situation: asked("Status", { sent: undefined, total: 512 * kib }),
    answer: stored(512 * kib),
    verdict: "Continue",
    offset: 512 * kib
  },
  {
    of: "more than another process can have sent",
    situation: asked("Status", { sent: undefined, total: 512 * kib }),
    answer: stored(512 * kib + 1),
    verdict: "DataLoss"
  },
  { of: "more than was sent", situation: asked("Chunk"), answer: stored(384 * kib + 1), verdict: "DataLoss" },
  { of: "more than was sent", situation: asked("Status"), answer: stored(384 * kib + 1), verdict: "DataLoss" },
  {
    of: "more than was sent of a known size",
    situation: asked("Chunk", { total: 512 * kib }),
    answer: stored(512 * kib),
    verdict: "DataLoss"
  },
  { of: "a huge number of bytes", situation: asked("Chunk"), answer: stored(10 ** 15), verdict: "DataLoss" },
  {
    of: "finishing with fewer bytes than the server has",
    situation: asked("Finish"),
    answer: stored(512 * kib + 1),
    verdict: "Invalid"
  },
  {
    of: "finishing with fewer bytes than the server has",
    situation: asked("LastChunk"),
    answer: stored(512 * kib + 1),
    verdict: "Invalid"
  },
  {
    of: "finishing with more bytes than the server has",
    situation: asked("Finish"),
    answer: stored(256 * kib),
    verdict: "DataLoss"
  },
  {
    of: "finishing, and the server has none",
    situation: asked("Finish"),
    answer: { status: 308, headers: {} },
    verdict: "DataLoss"
  },
  {
    of: "200 with the size that was sent",
    situation: asked("LastChunk"),
    answer: object({ size: "524288" }),
    verdict: "Done"
  },
  {
    of: "201 with the size that was sent",
    situation: asked("LastChunk"),
    answer: object({ size: "524288" }, 201),
    verdict: "Done"
  },
  { of: "a size as a number", situation: asked("LastChunk"), answer: object({ size: 524288 }), verdict: "Done" },
  {
    of: "finishing a finished upload",
    situation: asked("Finish"),
    answer: object({ size: "524288" }),
    verdict: "Done"
  },
  {
    of: "a lost final answer, asked for again",
    situation: asked("Status", { sent: 512 * kib, total: 512 * kib }),
    answer: object({ size: "524288" }),
    verdict: "Done"
  },
  {
    of: "an upload that another process finished",
    situation: asked("Status", { sent: undefined }),
    answer: object({ size: "7" }),
    verdict: "Done"
  },
  {
    of: "an upload that another process finished otherwise",
    situation: asked("Status", { sent: undefined, total: 8 }),
    answer: object({ size: "7" }),
    verdict: "DataLoss"
  },
  {
    of: "no body, but a stored length",
    situation: asked("LastChunk"),
    answer: { status: 200, headers: { "x-goog-stored-content-length": "524288" } },
    verdict: "Done"
  },
  {
    of: "no body and another stored length",
    situation: asked("LastChunk"),
    answer: { status: 200, headers: { "x-goog-stored-content-length": "5" } },
    verdict: "DataLoss"
  },
  { of: "a smaller object", situation: asked("LastChunk"), answer: object({ size: "524287" }), verdict: "DataLoss" },
  { of: "a larger object", situation: asked("Finish"), answer: object({ size: "524289" }), verdict: "DataLoss" },
  { of: "an object without a size", situation: asked("LastChunk"), answer: object({ name: "o" }), verdict: "Invalid" },
  { of: "a size that is none", situation: asked("LastChunk"), answer: object({ size: "0x80000" }), verdict: "Invalid" },
  { of: "a negative size", situation: asked("LastChunk"), answer: object({ size: -1 }), verdict: "Invalid" },
  ...(["Chunk", "LastChunk", "Finish", "Status"] as const).map((asks): Row => ({
    of: "neither body nor stored length",
    situation: asked(asks),
    answer: { status: 200, headers: {}, body: " " },
    verdict: "QueryStatus"
  })),
  {
    of: "an empty object without a size",
    situation: { asked: "Finish", sent: 0, total: 0 },
    answer: object({ name: "o" }),
    verdict: "Done"
  },
  {
    of: "an empty object of an empty resource",
    situation: { asked: "Finish", sent: 0, total: 0 },
    answer: object({}),
    verdict: "Done"
  },
  {
    of: "an object without a size that another process finished",
    situation: asked("Status", { sent: undefined }),
    answer: object({ name: "o" }),
    verdict: "Done"
  },
  {
    of: "a size of 0 where bytes were sent",
    situation: asked("LastChunk"),
    answer: object({ size: "0" }),
    verdict: "DataLoss"
  },
  {
    of: "a stored length beside a resource without a size",
    situation: asked("LastChunk"),
    answer: { ...object({ name: "o" }), headers: { "x-goog-stored-content-length": "524288" } },
    verdict: "Invalid"
  },
  {
    of: "a cut resource",
    situation: asked("LastChunk"),
    answer: { ...object({}), body: '{"size": "5242' },
    verdict: "QueryStatus"
  },
  {
    of: "a body that is no record",
    situation: asked("LastChunk"),
    answer: { ...object({}), body: "[524288]" },
    verdict: "QueryStatus"
  },
  {
    of: "appending to a finished upload",
    situation: asked("Chunk"),
    answer: object({ size: "262144" }),
    verdict: "Invalid"
  },
  {
    of: "appending to a finished upload of the same size",
    situation: asked("Chunk"),
    answer: object({ size: "393216" }),
    verdict: "Invalid"
  },
  {
    of: "an upload that is finished before its end",
    situation: asked("Status"),
    answer: object({ size: "393216" }),
    verdict: "Invalid"
  },
  {
    of: "200 that stands for 308",
    situation: asked("Chunk"),
    answer: { status: 200, headers: { "x-http-status-code-override": "308", range: "bytes=0-262143" } },
    verdict: "Continue",
    offset: 256 * kib
  },
  {
    of: "200 that stands for 308 without Range",
    situation: asked("Status"),
    answer: { status: 200, headers: { "x-http-status-code-override": " 308 " } },
    verdict: "Continue",
    offset: 0
  },
  {
    of: "200 that stands for another status",
    situation: asked("Chunk"),
    answer: { ...object({ size: "262144" }), headers: { "x-http-status-code-override": "404" } },
    verdict: "Invalid"
  },
  { of: "503 with text about an offset", situation: asked("Chunk"), answer: text(503, ahead), verdict: "DataLoss" },
  { of: "400 with text about an offset", situation: asked("Chunk"), answer: text(400, ahead), verdict: "DataLoss" },
  {
    of: "503 with another text",
    situation: asked("Chunk"),
    answer: text(503, "Content-Range of an earlier request"),
    verdict: "QueryStatus"
  },
  {
    of: "503 with such a text in a record",
    situation: asked("Chunk"),
    answer: { ...object({ error: { message: ahead } }), status: 503 },
    verdict: "QueryStatus"
  },
  {
    of: "503 backendNotConnected",
    situation: asked("Chunk"),
    answer: { ...object({ error: { errors: [{ reason: "backendNotConnected" }] } }), status: 503 },
    verdict: "QueryStatus"
  },
  { of: "a reset connection", situation: asked("Chunk"), answer: undefined, verdict: "QueryStatus" },
  ...[408, 429, 500, 502, 503, 504, 599].map((status): Row => ({
    of: `${status}`,
    situation: asked("Chunk"),
    answer: { status, headers: {} },
    verdict: "QueryStatus"
  })),
  ...[404, 410].map((status): Row => ({
    of: `${status}`,
    situation: asked("Chunk"),
    answer: { status, headers: {} },
    verdict: "StartSession"
  })),
  ...[400, 401, 403, 412, 413, 416, 499].map((status): Row => ({
    of: `${status}`,
    situation: asked("Chunk"),
    answer: { status, headers: {} },
    verdict: "Refused"
  })),
  ...[100, 202, 204, 301, 307, 600].map((status): Row => ({
    of: `${status}`,
    situation: asked("Chunk"),
    answer: { status, headers: {} },
    verdict: "Invalid"
  })),
  ...[
    "bytes=1-9",
    "bytes 0-9",
    "bytes=0-",
    "bytes=0-9,20-29",
    "bytes=-9",
    "0-9",
    "",
    "bytes=0-9999999999999999",
    "bytes=0-9/10",
    "bytes=0--1",
    "bytes=0-1e3"
  ].map((range): Row => ({
    of: `Range: ${range}`,
    situation: asked("Chunk"),
    answer: { status: 308, headers: { range } },
    verdict: "Invalid"
  }))
]

describe("UploadVerdict.judge", () => {
  it.each(rows)("makes $verdict of $of, asked for $situation.asked", ({ answer, offset, situation, verdict }) => {
    const judged = UploadVerdict.judge(situation, answer)
    expect(judged._tag).toBe(verdict)
    expect(judged._tag === "Continue" ? judged.offset : undefined).toBe(offset)
  })

  it("answers the resource as it was sent", () => {
    const resource = { kind: "storage#object", size: "524288", generation: "1", metadata: { a: "b" } }
    expect(UploadVerdict.judge(asked("LastChunk"), object(resource))).toEqual({
      _tag: "Done",
      size: 512 * kib,
      resource
    })
  })

  it.prop(
    "never throws, and goes on within the bytes that were sent",
    [
      fc.record({
        asked: fc.constantFrom<UploadVerdict.Asked>("Chunk", "LastChunk", "Finish", "Status"),
        sent: fc.nat(),
        total: fc.option(fc.nat(), { nil: undefined })
      }),
      fc.record({
        status: fc.oneof(fc.constant(308), fc.constant(200), fc.integer({ min: 100, max: 599 })),
        headers: fc.record({
          range: fc.oneof(
            fc.string(),
            fc.nat().map((end) => `bytes=0-${end}`)
          )
        }),
        body: fc.oneof(fc.string(), fc.json())
      })
    ],
    ([situation, answer]) => {
      const judged = UploadVerdict.judge(situation, answer)
      const offset = judged._tag === "Continue" ? judged.offset : 0
      expect(offset).toBeGreaterThanOrEqual(0)
      expect(offset).toBeLessThanOrEqual(situation.sent)
    }
  )
})
