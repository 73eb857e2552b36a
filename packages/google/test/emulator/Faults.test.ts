import { describe, expect, it } from "@effect/vitest"
import { origin, server } from "./Direct.ts"

const kib = 1024
const cat = "/storage/v1/b/pictures/o/cat"
const upload = "POST /upload/storage/v1/b/pictures/o?uploadType=media&name=cat"

/** A server with an object, and how to ask it under instructions for a method. */
const faulty = (method: string, ...instructions: ReadonlyArray<string>) => {
  const { ask, state, under } = server("pictures")
  ask(upload, { body: new Uint8Array(300 * kib).fill(65) })
  return { plain: ask, state, ...under(method, ...instructions) }
}

describe("Faults.reply", () => {
  it("answers with a status before the operation, one instruction after the other", () => {
    const { ask, left } = faulty("storage.objects.delete", "return-503", "return-429")
    expect(ask(`DELETE ${cat}`)).toMatchObject({
      status: 503,
      json: { error: { code: "503", message: { error: { message: "Retry Test: Caused a 503" } } } }
    })
    expect(left()).toBe(1)
    // Other methods are served.
    expect(ask(`GET ${cat}`).status).toBe(200)
    expect([ask(`DELETE ${cat}`), ask(`DELETE ${cat}`)].map(({ status }) => status)).toEqual([429, 200])
  })

  it("resets the connection before the operation", () => {
    const { ask, left, state } = faulty("storage.objects.insert", "return-reset-connection")
    expect([ask(upload).kind, left(), state.written.length]).toEqual(["Reset", 0, 1])
  })

  it.each([
    { instruction: "return-broken-stream", range: undefined, sent: 4 },
    { instruction: "return-broken-stream", range: "bytes=10-", sent: 4 },
    { instruction: "return-broken-stream-after-256K", range: undefined, sent: 256 * kib }
  ])("breaks a body off with status 200: $instruction of $range", ({ instruction, range, sent }) => {
    const { ask, left } = faulty("storage.objects.get", instruction)
    const { kind, status, text } = ask(`GET ${cat}?alt=media`, { headers: { range } })
    expect([kind, status, text.length, left()]).toEqual(["Broken", 200, sent, 0])
  })

  it.each([
    { method: "storage.objects.get", line: `GET ${cat}?alt=media`, instruction: "return-broken-stream-after-512K" },
    { method: "storage.buckets.list", line: "GET /storage/v1/b", instruction: "return-broken-stream-after-0K" },
    { method: "storage.objects.delete", line: `DELETE ${cat}`, instruction: "return-broken-stream" },
    { method: "storage.objects.get", line: `GET ${cat}`, instruction: "return-503-after-0K" },
    { method: "storage.objects.get", line: `GET ${cat}`, instruction: "redirect-send-token-a" }
  ])("leaves alone requests that $instruction does not concern: $line", ({ instruction, line, method }) => {
    const { ask, left } = faulty(method, instruction)
    expect([ask(line).kind, left()]).toEqual(["Whole", 1])
  })

  it("breaks off an answer without data, after it carried out the operation", () => {
    const { ask, state } = faulty("storage.objects.insert", "return-broken-stream")
    expect([ask(upload).kind, state.written.length]).toEqual(["Broken", 2])
  })

  it("stalls an answer", () => {
    const { ask, left } = faulty("storage.objects.get", "stall-for-2s-after-1K")
    const { kind, stalled, text } = ask(`GET ${cat}?alt=media`)
    expect([kind, stalled, text.length, left()]).toEqual(["Stalled", 2, 300 * kib, 0])
  })

  it("stalls an upload that comes so far", () => {
    const { ask, left } = faulty("storage.objects.insert", "stall-for-2s-after-1K")
    const stalls = [1, 2].map((size) => [ask(upload, { body: new Uint8Array(size * kib) }).stalled, left()])
    expect(stalls).toEqual([
      [0, 1],
      [2, 0]
    ])
  })

  it("names buckets that cannot be reached when a part of the list will do", () => {
    const { ask, left } = faulty("storage.buckets.list", "return-unreachable-buckets-pictures")
    expect([ask("GET /storage/v1/b").json["items"], left()]).toEqual([[expect.anything()], 1])
    const part = ask("GET /storage/v1/b?returnPartialSuccess=true").json
    expect(part).toMatchObject({ items: [], unreachable: ["projects/_/buckets/pictures"] })
    expect(left()).toBe(0)
  })

  it.each([
    { instruction: "apply-then-503", kind: "Whole", status: 503 },
    { instruction: "apply-then-reset-connection", kind: "Reset", status: 0 }
  ])("carries out and loses the answer: $instruction", ({ instruction, kind, status }) => {
    const { ask, left, state } = faulty("storage.objects.insert", instruction)
    expect(ask(upload)).toMatchObject({ kind, status })
    expect([state.written.length, left()]).toEqual([2, 0])
  })

  it("corrupts data if a header of the request says so", () => {
    const { plain } = faulty("storage.objects.get", "return-503")
    const headers = { "x-goog-emulator-instructions": "return-corrupted-data" }
    expect(plain(`GET ${cat}?alt=media`, { headers }).text).toBe(`@${"A".repeat(300 * kib - 1)}`)
    expect(plain(`GET ${cat}`, { headers }).json).toMatchObject({ name: "cat" })
  })

  it("does not consume an instruction with an operation that is refused", () => {
    const { ask, left, state } = faulty("storage.objects.insert", "apply-then-503")
    expect([ask(`${upload}&ifGenerationMatch=0`).status, left(), state.written.length]).toEqual([412, 1, 1])
  })
})

describe("Faults.uploadFault", () => {
  const chunk = (size: number) => new Uint8Array(size * kib)
  const start = (ask: ReturnType<typeof server>["ask"]): string => {
    const { headers } = ask("POST /upload/storage/v1/b/pictures/o?uploadType=resumable&name=dog")
    return `PUT ${String(headers["location"]).slice(origin.length)}`
  }

  it("stores nothing of an upload in one request", () => {
    const { ask, left, state } = faulty("storage.objects.insert", "return-503-after-256K")
    expect([ask(upload, { body: chunk(255) }).status, left()]).toEqual([200, 1])
    expect([ask(upload, { body: chunk(256) }).status, left()]).toEqual([503, 0])
    expect(state.written).toHaveLength(2)
  })

  it("persists the bytes before it in a session", () => {
    const { ask, left, plain } = faulty("storage.objects.insert", "return-503-after-256K")
    const put = start(plain)
    const range = (from: number, to: number) => ({ "content-range": `bytes ${from * kib}-${to * kib - 1}/*` })
    expect(ask(put, { body: chunk(100), headers: range(0, 100) }).status).toBe(308)
    expect([ask(put, { body: chunk(300), headers: range(100, 400) }).status, left()]).toEqual([503, 0])
    const asked = ask(put, { headers: { "content-range": "bytes */*" } })
    expect(asked.headers["range"]).toBe(`bytes=0-${256 * kib - 1}`)
  })

  it("fails later requests once so many bytes are persisted", () => {
    const { ask, left, plain } = faulty("storage.objects.insert", "return-503-after-256K")
    const put = start(plain)
    const range = (from: number, to: number) => ({ "content-range": `bytes ${from * kib}-${to * kib - 1}/*` })
    plain(put, { body: chunk(300), headers: range(0, 300) })
    expect([ask(put, { body: chunk(100), headers: range(300, 400) }).status, left()]).toEqual([503, 0])
    expect(plain(put, { headers: { "content-range": "bytes */*" } }).headers["range"]).toBe(`bytes=0-${300 * kib - 1}`)
  })

  it("cuts the answer to the request that completes an upload", () => {
    const { ask, left, state } = faulty("storage.objects.insert", "return-broken-stream-final-chunk-after-10B")
    expect(ask(upload, { body: "meow" }).status).toBe(200)
    const put = start(ask)
    expect(left()).toBe(1)
    expect(ask(put, { body: "woof" })).toMatchObject({ kind: "Whole", status: 200, text: `{"storageC` })
    expect([state.written.length, left()]).toEqual([3, 0])
  })
})
