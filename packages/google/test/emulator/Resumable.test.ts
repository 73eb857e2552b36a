import { describe, expect, it } from "@effect/vitest"
import { origin, type Reply, type Request, server } from "./Direct.ts"

const objects = "/upload/storage/v1/b/pictures/o"
const bytes = (from: number, to: number) => Uint8Array.from({ length: to - from }, (_, index) => (from + index) % 251)

/** A session, started with a query and headers, and its server. */
const session = (query = "", sent: Request = {}) => {
  const { ask, state } = server("pictures")
  const start = ask(`POST ${objects}?uploadType=resumable&name=cat${query}`, sent)
  const path = String(start.headers["location"]).slice(origin.length)
  const put = (range: string | undefined, body: Request["body"] = "", headers: Request["headers"] = {}): Reply =>
    ask(`PUT ${path}`, { body, headers: range === undefined ? headers : { ...headers, "content-range": range } })
  const stored = () => state.buckets.get("pictures")?.objects.get("cat")?.[0]?.data
  return { ask, path, put, state, stored }
}

describe("Resumable.chunk", () => {
  it("stores what is in its chunks, with bytes that were sent twice once", () => {
    const { put, state, stored } = session()
    expect(put("bytes */100").headers["range"]).toBeUndefined()
    expect(put("bytes 0-59/*", bytes(0, 60)).headers["range"]).toBe("bytes=0-59")
    expect(put("bytes 40-79/100", bytes(40, 80))).toMatchObject({ status: 308 })
    expect(put("bytes */*").headers["range"]).toBe("bytes=0-79")
    const last = put("bytes 80-99/100", bytes(80, 100))
    expect(last).toMatchObject({ status: 200, json: { name: "cat", size: "100" } })
    // A complete upload answers anything with its object.
    expect(put("bytes */100").json).toEqual(last.json)
    expect(put("bytes 0-59/100", bytes(0, 60)).json).toEqual(last.json)
    expect(stored()).toEqual(Buffer.from(bytes(0, 100)))
    expect(state.written).toHaveLength(1)
  })

  it("ends an upload of unknown size by its size", () => {
    const { put, stored } = session()
    const statuses = [put("bytes 0-59/*", bytes(0, 60)), put("bytes */61"), put("bytes */60")].map(
      ({ status }) => status
    )
    expect([statuses, stored()?.length]).toEqual([[308, 308, 200], 60])
  })

  it.each([{ range: undefined }, { range: "bytes 0-*/*" }, { range: "bytes *-*/60" }])(
    "takes the body of the range $range for the whole object",
    ({ range }) => {
      const { put, stored } = session()
      expect(put(range, bytes(0, 60))).toMatchObject({ status: 200 })
      expect(stored()).toHaveLength(60)
    }
  )

  it("does not say how far it is with a single byte", () => {
    const { put } = session()
    expect(put("bytes 0-0/*", bytes(0, 1)).headers["range"]).toBeUndefined()
    expect(put("bytes 1-1/*", bytes(1, 2)).headers["range"]).toBe("bytes=0-1")
  })

  it("reports an incomplete upload with another status if asked to", () => {
    const { put } = session()
    expect(put("bytes 0-9/*", bytes(0, 10), { "x-guploader-no-308": "yes" })).toMatchObject({
      status: 200,
      headers: { "x-http-status-code-override": "308", range: "bytes=0-9" }
    })
  })

  it("checks preconditions when the upload completes", () => {
    const { ask, put, stored } = session("&ifGenerationMatch=0")
    ask(`POST ${objects}?uploadType=media&name=cat`, { body: "other" })
    expect(put("bytes 0-9/10", bytes(0, 10))).toMatchObject({ status: 412 })
    expect(put("bytes */10")).toMatchObject({ status: 412 })
    expect(stored()?.toString()).toBe("other")
  })

  it.each([
    { range: "bytes 0-9/20", why: "its body is longer", status: 400 },
    { range: "bytes 0-19/10", why: "it ends after the size", status: 400 },
    { range: "0-19/20", why: "it has no unit", status: 400 },
    { range: "bytes 5-24/*", why: "bytes before it are missing", status: 503 }
  ])("refuses $range, as $why", ({ range, status }) => {
    const { put, stored } = session()
    expect(put(range, bytes(0, 20))).toMatchObject({ status })
    expect(put("bytes */*").headers["range"]).toBeUndefined()
    expect(stored()).toBeUndefined()
  })

  it("refuses a size that is not the announced one", () => {
    const { put } = session("", { headers: { "x-upload-content-length": "20" } })
    expect(put("bytes 0-9/10", bytes(0, 10))).toMatchObject({ status: 400 })
  })

  it.each([
    { where: "of the session", body: { crc32c: "AAAAAA==" }, headers: {} },
    { where: "of the last chunk", body: {}, headers: { "x-goog-hash": "crc32c=AAAAAA==" } }
  ])("refuses data that does not match a checksum $where", ({ body, headers }) => {
    const { put, state } = session("", { body })
    expect(put(undefined, "meow", headers)).toMatchObject({ status: 400 })
    expect(state.written).toEqual([])
  })
})

describe("Resumable.cancel", () => {
  it("ends a session", () => {
    const { ask, path, put } = session()
    expect([ask(`DELETE ${path}`).status, put("bytes */*").status]).toEqual([499, 404])
  })
})
