import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Net from "node:net"
import { type Ask, asking, type Sent, started } from "./Asking.ts"

const kib = 1024
const object = "/storage/v1/b/pictures/o/cat"
const insert = "POST /upload/storage/v1/b/pictures/o?uploadType=media&name=cat"

/** An emulator with an object, and a client of it whose requests carry the id of a retry test. */
const faulty = (method: string, ...instructions: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const emulator = yield* started({ buckets: ["pictures"], millisPerSecond: 1 })
    yield* Effect.promise(() => emulator.ask(insert, { body: new Uint8Array(300 * kib) }))
    const { id } = emulator.retryTest({ [method]: instructions })
    const ask = (line: string, sent: Sent = {}) =>
      emulator.ask(line, { ...sent, headers: { ...sent.headers, "x-retry-test-id": id } })
    return { ...emulator, id, faulted: ask, left: () => emulator.remaining(id).instructions[method]?.length }
  })

/** What comes over the connection, and how it ends. */
const raw = (url: string, lines: ReadonlyArray<string>): Promise<{ readonly text: string; readonly ended: string }> =>
  new Promise((resolve) => {
    const socket = Net.connect(Number(new URL(url).port), "127.0.0.1")
    let text = ""
    let ended = "closed"
    socket.on("data", (data) => void (text += data.toString("latin1")))
    socket.on("error", (error) => void (ended = "code" in error ? String(error.code) : error.message))
    socket.on("close", () => resolve({ text, ended }))
    socket.write([...lines, "Host: here", "", ""].join("\r\n"))
  })

describe("Faults.reply", () => {
  it.scoped("answers with a status before the operation, one instruction after the other", () =>
    Effect.gen(function* () {
      const { faulted, id, left, remaining } = yield* faulty("storage.objects.delete", "return-503", "return-429")
      yield* Effect.promise(async () => {
        expect(await faulted(`DELETE ${object}`)).toMatchObject({
          status: 503,
          json: { error: { code: "503", message: { error: { message: "Retry Test: Caused a 503" } } } }
        })
        expect(left()).toBe(1)
        // Other methods are served.
        expect(await faulted(`GET ${object}`)).toMatchObject({ status: 200 })
        expect(await faulted(`DELETE ${object}`)).toMatchObject({ status: 429 })
        expect(remaining(id).completed).toBe(true)
        expect(await faulted(`DELETE ${object}`)).toMatchObject({ status: 204 })
      })
    })
  )

  it.scoped("resets the connection without a byte", () =>
    Effect.gen(function* () {
      const { id, left, url } = yield* faulty("storage.objects.delete", "return-reset-connection")
      const lines = [`DELETE ${object} HTTP/1.1`, `x-retry-test-id: ${id}`]
      expect(yield* Effect.promise(() => raw(url, lines))).toEqual({ text: "", ended: "ECONNRESET" })
      expect(left()).toBe(0)
    })
  )

  it.scoped.each([
    { instruction: "return-broken-stream", range: undefined, body: 4 },
    { instruction: "return-broken-stream", range: "bytes=10-", body: 4 },
    { instruction: "return-broken-stream-after-256K", range: undefined, body: 256 * kib }
  ])("breaks a body off: $instruction of $range", ({ body, instruction, range }) =>
    Effect.gen(function* () {
      const { id, left, url } = yield* faulty("storage.objects.get", instruction)
      const lines = [`GET ${object}?alt=media HTTP/1.1`, `x-retry-test-id: ${id}`]
      const { ended, text } = yield* Effect.promise(() =>
        raw(url, range === undefined ? lines : [...lines, `range: ${range}`])
      )
      const [head = "", sent] = text.split("\r\n\r\n")
      expect([head.split("\r\n")[0], sent?.length, ended]).toEqual(["HTTP/1.1 200 OK", body, "closed"])
      expect(head).toContain(`content-length: ${300 * kib - (range === undefined ? 0 : 10)}\r\n`)
      expect(left()).toBe(0)
    })
  )

  it.scoped("leaves a body that is shorter than the instruction says", () =>
    Effect.gen(function* () {
      const { faulted, left } = yield* faulty("storage.objects.get", "return-broken-stream-after-512K")
      const reply = yield* Effect.promise(() => faulted(`GET ${object}?alt=media`))
      expect([reply.text.length, left()]).toEqual([300 * kib, 1])
    })
  )

  it.scoped("breaks an answer off that was not asked for data, and carries out the operation", () =>
    Effect.gen(function* () {
      const { faulted, state } = yield* faulty("storage.objects.insert", "return-broken-stream")
      yield* Effect.promise(() => expect(faulted(insert, { body: "meow" })).rejects.toThrow("terminated"))
      expect(state.written).toHaveLength(2)
    })
  )

  it.scoped("goes on after a stall", () =>
    Effect.gen(function* () {
      const { faulted, left } = yield* faulty("storage.objects.get", "stall-for-1s-after-1K")
      const reply = yield* Effect.promise(() => faulted(`GET ${object}?alt=media`))
      expect([reply.text.length, left()]).toEqual([300 * kib, 0])
    })
  )

  it.scoped("stalls an upload that comes so far", () =>
    Effect.gen(function* () {
      const { faulted, left } = yield* faulty("storage.objects.insert", "stall-for-1s-after-1K")
      yield* Effect.promise(async () => {
        expect(await faulted(insert, { body: "short" })).toMatchObject({ status: 200 })
        expect(left()).toBe(1)
        expect(await faulted(insert, { body: "x".repeat(2 * kib) })).toMatchObject({ status: 200 })
        expect(left()).toBe(0)
      })
    })
  )

  it.scoped("names buckets out of reach where a part of the list will do", () =>
    Effect.gen(function* () {
      const { faulted, left } = yield* faulty("storage.buckets.list", "return-unreachable-buckets-pictures")
      yield* Effect.promise(async () => {
        expect((await faulted("GET /storage/v1/b")).json["items"]).toHaveLength(1)
        expect(left()).toBe(1)
        expect((await faulted("GET /storage/v1/b?returnPartialSuccess=true")).json).toMatchObject({
          items: [],
          unreachable: ["projects/_/buckets/pictures"]
        })
        expect(left()).toBe(0)
      })
    })
  )

  it.scoped.each(["apply-then-503", "apply-then-reset-connection"])("carries out and loses the answer: %s", (fault) =>
    Effect.gen(function* () {
      const { faulted, left, state } = yield* faulty("storage.objects.insert", fault)
      const status = yield* Effect.promise(() =>
        faulted(insert, { body: "meow" }).then(
          ({ status }) => status,
          () => "reset"
        )
      )
      expect(status).toBe(fault === "apply-then-503" ? 503 : "reset")
      expect([state.written.length, left()]).toEqual([2, 0])
    })
  )

  it.scoped("does not consume an instruction with an operation that is refused", () =>
    Effect.gen(function* () {
      const { faulted, left, state } = yield* faulty("storage.objects.insert", "apply-then-503")
      const reply = yield* Effect.promise(() => faulted(`${insert}&ifGenerationMatch=0`, { body: "meow" }))
      expect([reply.status, left(), state.written.length]).toEqual([412, 1, 1])
    })
  )
})

describe("Faults.uploadFault", () => {
  const start = async (url: string, ask: Ask) => {
    const { headers } = await ask("POST /upload/storage/v1/b/pictures/o?uploadType=resumable&name=dog")
    return `PUT ${String(headers.get("location")).slice(url.length)}`
  }
  const chunk = (size: number) => new Uint8Array(size * kib)

  it.scoped("stores nothing of an upload in one request", () =>
    Effect.gen(function* () {
      const { faulted, left, state } = yield* faulty("storage.objects.insert", "return-503-after-256K")
      yield* Effect.promise(async () => {
        expect(await faulted(insert, { body: chunk(255) })).toMatchObject({ status: 200 })
        expect(left()).toBe(1)
        expect(await faulted(insert, { body: chunk(256) })).toMatchObject({ status: 503 })
      })
      expect([state.written.length, left()]).toEqual([2, 0])
    })
  )

  it.scoped("persists the bytes before it in a session", () =>
    Effect.gen(function* () {
      const { faulted, left, url } = yield* faulty("storage.objects.insert", "return-503-after-256K")
      yield* Effect.promise(async () => {
        const put = await start(url, asking(url))
        const range = (from: number, to: number) => ({ "content-range": `bytes ${from * kib}-${to * kib - 1}/*` })
        expect(await faulted(put, { body: chunk(100), headers: range(0, 100) })).toMatchObject({ status: 308 })
        expect(await faulted(put, { body: chunk(300), headers: range(100, 400) })).toMatchObject({ status: 503 })
        const asked = await faulted(put, { headers: { "content-range": "bytes */*" } })
        expect([asked.headers.get("range"), left()]).toEqual([`bytes=0-${256 * kib - 1}`, 0])
      })
    })
  )

  it.scoped("cuts the answer to the request that completes an upload", () =>
    Effect.gen(function* () {
      const instruction = "return-broken-stream-final-chunk-after-10B"
      const { faulted, left, state, url } = yield* faulty("storage.objects.insert", instruction)
      yield* Effect.promise(async () => {
        expect(await faulted(insert, { body: "meow" })).toMatchObject({ status: 200 })
        const put = await start(url, faulted)
        expect(left()).toBe(1)
        await expect(faulted(put, { body: "woof" })).rejects.toThrow(SyntaxError)
      })
      expect([state.written.length, left()]).toEqual([3, 0])
    })
  )
})
