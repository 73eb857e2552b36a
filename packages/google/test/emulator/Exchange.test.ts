/**
 * What goes over a connection. What the emulator answers is tested without one.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Net from "node:net"
import * as Emulator from "./Emulator.ts"

/** Sends the lines of a request, and answers what comes back and how the connection ends. */
const raw = (url: string, ...lines: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<{ readonly head: string; readonly body: string; readonly ended: string }>((resolve) => {
        const socket = Net.connect(Number(new URL(url).port), "127.0.0.1")
        let text = ""
        let ended = "closed"
        socket.on("data", (data) => void (text += data.toString("latin1")))
        socket.on("error", (error) => void (ended = "code" in error ? String(error.code) : error.message))
        socket.on("close", () => {
          const [head = "", body = ""] = text.split("\r\n\r\n")
          resolve({ head, body, ended })
        })
        socket.write([...lines, "Host: here", "", ""].join("\r\n"))
      })
  )

const upload = "POST /upload/storage/v1/b/pictures/o?uploadType=media&name=cat HTTP/1.1"
const media = "GET /storage/v1/b/pictures/o/cat?alt=media HTTP/1.1"
const data = "meow meow meow"

describe("Emulator.start", () => {
  it.live("answers, stalls, breaks off and resets as its retry tests say", () =>
    Effect.gen(function* () {
      const { requests, retryTest, state, url } = yield* Emulator.start({ buckets: ["pictures"], millisPerSecond: 1 })
      const under = (method: string, instruction: string) =>
        `x-retry-test-id: ${retryTest({ [method]: [instruction] }).id}`
      const put = yield* Effect.promise(() =>
        fetch(`${url}/upload/storage/v1/b/pictures/o?uploadType=media&name=cat`, { method: "POST", body: data })
      )
      expect(yield* Effect.promise(() => put.json())).toMatchObject({
        selfLink: `${url}/storage/v1/b/pictures/o/cat`,
        size: String(data.length)
      })
      const whole = yield* raw(url, media, "connection: close")
      expect([whole.head.split("\r\n")[0], whole.body, whole.ended]).toEqual(["HTTP/1.1 200 OK", data, "closed"])
      const stalled = yield* raw(url, media, under("storage.objects.get", "stall-for-1s-after-0K"), "connection: close")
      expect([stalled.body, stalled.ended]).toEqual([data, "closed"])
      const broken = yield* raw(url, media, under("storage.objects.get", "return-broken-stream"))
      expect([broken.head, broken.body, broken.ended]).toEqual([
        expect.stringContaining(`content-length: ${data.length}`),
        data.slice(0, 4),
        "closed"
      ])
      const reset = yield* raw(url, media, under("storage.objects.get", "return-reset-connection"))
      expect(reset).toEqual({ head: "", body: "", ended: "ECONNRESET" })
      const applied = yield* raw(url, upload, under("storage.objects.insert", "apply-then-reset-connection"))
      expect([applied.ended, state.written.length]).toEqual(["ECONNRESET", 2])
      expect([...state.retryTests.values()].every(({ completed }) => completed)).toBe(true)
      expect(requests.map(({ method }) => method)).toEqual([
        "storage.objects.insert",
        ...Array.from({ length: 4 }, () => "storage.objects.get"),
        "storage.objects.insert"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("takes a POST for a PATCH if a header says so", () =>
    Effect.gen(function* () {
      const { state, url } = yield* Emulator.start({ buckets: ["pictures"] })
      const options = { method: "POST", headers: { "x-http-method-override": "PATCH" }, body: `{"labels":{"a":"b"}}` }
      yield* Effect.promise(() => fetch(`${url}/storage/v1/b/pictures`, options).then((response) => response.text()))
      expect(state.buckets.get("pictures")?.fields).toEqual({ labels: { a: "b" } })
    }).pipe(Effect.scoped)
  )
})
