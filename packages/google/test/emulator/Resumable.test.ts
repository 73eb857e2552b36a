import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Ask, type Sent, started } from "./Asking.ts"

const objects = "/upload/storage/v1/b/pictures/o"
const bytes = (from: number, to: number) => Uint8Array.from({ length: to - from }, (_, index) => (from + index) % 251)

/** Runs a script against a session that was started with a query and headers. */
const session = (
  script: (put: (range: string | undefined, body?: Sent["body"]) => ReturnType<Ask>, ask: Ask) => Promise<void>,
  query = "",
  headers: Record<string, string> = {}
) =>
  Effect.gen(function* () {
    const emulator = yield* started({ buckets: ["pictures"] })
    const { ask, state, url } = emulator
    yield* Effect.promise(async () => {
      const start = await ask(`POST ${objects}?uploadType=resumable&name=cat${query}`, { headers })
      const path = String(start.headers.get("location")).slice(url.length)
      const put = (range: string | undefined, body: Sent["body"] = "") =>
        ask(`PUT ${path}`, { body, headers: range === undefined ? {} : { "content-range": range } })
      await script(put, ask)
    })
    return { state, stored: state.buckets.get("pictures")?.objects.get("cat")?.[0]?.data }
  })

describe("Resumable.chunk", () => {
  it.scoped("stores what is in its chunks, with bytes that were sent twice once", () =>
    Effect.gen(function* () {
      const { state, stored } = yield* session(async (put) => {
        expect((await put("bytes */100")).headers.get("range")).toBeNull()
        expect((await put("bytes 0-59/*", bytes(0, 60))).headers.get("range")).toBe("bytes=0-59")
        expect(await put("bytes 40-79/100", bytes(40, 80))).toMatchObject({ status: 308 })
        expect((await put("bytes */*")).headers.get("range")).toBe("bytes=0-79")
        const last = await put("bytes 80-99/100", bytes(80, 100))
        expect(last).toMatchObject({ status: 200, json: { name: "cat", size: "100" } })
        // A complete upload answers anything with its object.
        expect((await put("bytes */100")).json).toEqual(last.json)
        expect((await put("bytes 0-59/100", bytes(0, 60))).json).toEqual(last.json)
      })
      expect(stored).toEqual(Buffer.from(bytes(0, 100)))
      expect(state.written).toHaveLength(1)
    })
  )

  it.scoped("ends an upload of unknown size by its size", () =>
    Effect.gen(function* () {
      const { stored } = yield* session(async (put) => {
        expect(await put("bytes 0-59/*", bytes(0, 60))).toMatchObject({ status: 308 })
        expect(await put("bytes */61")).toMatchObject({ status: 308 })
        expect(await put("bytes */60")).toMatchObject({ status: 200 })
      })
      expect(stored).toHaveLength(60)
    })
  )

  it.scoped.each([{ range: undefined }, { range: "bytes 0-*/*" }, { range: "bytes *-*/60" }])(
    "takes the body of the range $range for the whole object",
    ({ range }) =>
      Effect.gen(function* () {
        const { stored } = yield* session(async (put) => {
          expect(await put(range, bytes(0, 60))).toMatchObject({ status: 200 })
        })
        expect(stored).toHaveLength(60)
      })
  )

  it.scoped("does not say how far it is with a single byte", () =>
    session(async (put) => {
      expect((await put("bytes 0-0/*", bytes(0, 1))).headers.get("range")).toBeNull()
      expect((await put("bytes 1-1/*", bytes(1, 2))).headers.get("range")).toBe("bytes=0-1")
    })
  )

  it.scoped("checks preconditions when the upload completes", () =>
    Effect.gen(function* () {
      const { stored } = yield* session(async (put, ask) => {
        await ask(`POST ${objects}?uploadType=media&name=cat`, { body: "other" })
        expect(await put("bytes 0-9/10", bytes(0, 10))).toMatchObject({ status: 412 })
        expect(await put("bytes */10")).toMatchObject({ status: 412 })
      }, "&ifGenerationMatch=0")
      expect(stored?.toString()).toBe("other")
    })
  )

  it.scoped.each([
    { range: "bytes 0-9/20", why: "its body is longer", status: 400 },
    { range: "bytes 0-19/10", why: "it ends after the size", status: 400 },
    { range: "0-19/20", why: "it has no unit", status: 400 },
    { range: "bytes 5-24/*", why: "bytes before it are missing", status: 503 }
  ])("refuses $range, as $why", ({ range, status }) =>
    Effect.gen(function* () {
      const { stored } = yield* session(async (put) => {
        expect(await put(range, bytes(0, 20))).toMatchObject({ status })
        expect((await put("bytes */*")).headers.get("range")).toBeNull()
      })
      expect(stored).toBeUndefined()
    })
  )

  it.scoped("refuses a size that is not the announced one", () =>
    session(
      async (put) => {
        expect(await put("bytes 0-9/10", bytes(0, 10))).toMatchObject({ status: 400 })
      },
      "",
      { "x-upload-content-length": "20" }
    )
  )

  it.scoped("refuses data that is not what its checksum says", () =>
    Effect.gen(function* () {
      const { ask, state, url } = yield* started({ buckets: ["pictures"] })
      yield* Effect.promise(async () => {
        const body = { crc32c: "AAAAAA==" }
        const start = await ask(`POST ${objects}?uploadType=resumable&name=cat`, { body })
        const path = String(start.headers.get("location")).slice(url.length)
        expect(await ask(`PUT ${path}`, { body: "meow" })).toMatchObject({ status: 400 })
      })
      expect(state.written).toEqual([])
    })
  )
})
