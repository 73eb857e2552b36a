import { HttpBody } from "@effect/platform"
import { RequestBody } from "@effect-retry/http"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Blob as NodeBlob } from "node:buffer"
import { Readable } from "node:stream"
import { FormData as UndiciFormData } from "undici"

const bytes = new Uint8Array([1, 2, 3])

const again: ReadonlyArray<readonly [name: string, body: HttpBody.HttpBody]> = [
  ["nothing", HttpBody.empty],
  ["bytes", HttpBody.uint8Array(bytes)],
  ["text", HttpBody.text("text")],
  ["JSON", HttpBody.unsafeJson({ a: 1 })],
  ["a form", HttpBody.formDataRecord({ a: "1" })],
  ["a raw nothing", HttpBody.raw(undefined)],
  ["a raw null", HttpBody.raw(null)],
  ["a raw text", HttpBody.raw("")],
  ["a raw buffer", HttpBody.raw(Buffer.from("text"))],
  ["a raw array of bytes", HttpBody.raw(bytes)],
  ["a raw view", HttpBody.raw(new DataView(bytes.buffer))],
  ["a raw array of numbers", HttpBody.raw(new Float64Array(1))],
  ["a raw block of memory", HttpBody.raw(bytes.buffer)],
  ["a raw block of shared memory", HttpBody.raw(new SharedArrayBuffer(1))],
  ["a raw blob", HttpBody.raw(new Blob([bytes]))],
  ["a raw blob of Node", HttpBody.raw(new NodeBlob([bytes]))],
  ["a raw file", HttpBody.raw(new File([bytes], "a"))],
  ["raw parameters", HttpBody.raw(new URLSearchParams("a=1"))],
  ["a raw form", HttpBody.raw(new FormData())],
  ["a raw form of undici", HttpBody.raw(new UndiciFormData())]
]

function* chunks() {
  yield bytes
}
async function* laterChunks() {
  yield await Promise.resolve(bytes)
}

const once: ReadonlyArray<readonly [name: string, body: unknown, why: string]> = [
  ["a web stream", new ReadableStream(), "the body is a ReadableStream, which can be read only once"],
  ["the stream of a blob", new Blob([bytes]).stream(), "the body is a ReadableStream, which can be read only once"],
  ["a Node stream", Readable.from([bytes]), "the body is a Node stream, which can be read only once"],
  ["a generator", chunks(), "the body is an iterator, which can be read only once"],
  ["an async generator", laterChunks(), "the body is an iterator, which can be read only once"],
  ["an iterator of an array", [bytes].values(), "the body is an iterator, which can be read only once"],
  ["an iterable", { [Symbol.iterator]: chunks }, "the body is an iterable, which may be read only once"],
  [
    "an async iterable",
    { [Symbol.asyncIterator]: laterChunks },
    "the body is an iterable, which may be read only once"
  ],
  ["an object", { a: 1 }, "the body is of a kind that is not known to be replayable"],
  [
    "an object with a reader that is none",
    { getReader: true },
    "the body is of a kind that is not known to be replayable"
  ],
  ["a function", () => bytes, "the body is of a kind that is not known to be replayable"],
  ["a number", 7, "the body is of a kind that is not known to be replayable"],
  ["a promise", Promise.resolve(bytes), "the body is of a kind that is not known to be replayable"]
]

describe("RequestBody.whyNotReplayable", () => {
  it.each(again)("has nothing against a body that can be read again: %s", (_, body) => {
    expect([true, false].map((declared) => RequestBody.whyNotReplayable(body, declared))).toEqual([
      undefined,
      undefined
    ])
  })

  it.each(once)("says why not, whatever is declared: %s", (_, body, why) => {
    expect([true, false].map((declared) => RequestBody.whyNotReplayable(HttpBody.raw(body), declared))).toEqual([
      why,
      why
    ])
  })

  it("takes the caller's word on an Effect stream", () => {
    const body = HttpBody.stream(Stream.make(bytes))
    expect(RequestBody.whyNotReplayable(body, false)).toBe("the body is a Stream that is not declared replayable")
    expect(RequestBody.whyNotReplayable(body, true)).toBe(undefined)
  })

  it("reads nothing of the body that it looks at", () => {
    const readable = Readable.from([bytes])
    const generator = chunks()
    RequestBody.whyNotReplayable(HttpBody.raw(readable), false)
    RequestBody.whyNotReplayable(HttpBody.raw(generator), false)
    expect([readable.readableDidRead, [...generator]]).toEqual([false, [bytes]])
  })
})

describe("RequestBody.replayable", () => {
  it.effect("declares it for the effect alone", () =>
    Effect.gen(function* () {
      const declared = RequestBody.Declared
      expect([yield* declared, yield* RequestBody.replayable(declared), yield* declared]).toEqual([false, true, false])
      const piped = declared.pipe(RequestBody.replayable)
      expectTypeOf(piped).toEqualTypeOf<Effect.Effect<boolean>>()
      expectTypeOf(RequestBody.replayable(Effect.fail("no"))).toEqualTypeOf<Effect.Effect<never, string>>()
    })
  )
})
