import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, FastCheck, type Scope, Stream } from "effect"
import { ResumableUpload } from "@effect-retry/google"
import * as Source from "../../../src/loop/upload/Source.ts"
import { content } from "../../support/UploadServer.ts"

const kib = 1024

/** The sources here require nothing. */
const scoped = <A, E>(self: Effect.Effect<A, E, unknown>) => Effect.scoped(self as Effect.Effect<A, E, Scope.Scope>)

/** A source that answers pieces of these sizes, over and over. */
const ofPieces = (bytes: Uint8Array, sizes: ReadonlyArray<number>) => {
  const pieces: Array<Uint8Array> = []
  let place = 0
  for (let index = 0; place < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1
    pieces.push(bytes.slice(place, place + size))
    place += size
  }
  return ResumableUpload.fromStream(Stream.fromChunk(Chunk.unsafeFromArray(pieces)))
}

const windows = (bytes: Uint8Array, sizes: ReadonlyArray<number>, chunkBytes: number, steps: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const reader = yield* Source.reader(ofPieces(bytes, sizes), chunkBytes, undefined)
    const found: Array<Source.Window> = []
    let offset = 0
    for (let step = 0; ; step += 1) {
      const window = yield* Source.window(reader, offset)
      found.push(window)
      if (window.isLast) return found
      offset += Math.min(steps[step % steps.length] ?? 1, window.bytes.length)
    }
  }).pipe(scoped)

describe("the kept part of a source", () => {
  it.effect.each([
    ["one byte", [1], 64 * kib],
    ["a few bytes", [7, 100, 3], 64 * kib],
    ["one byte beside larger ones", [1, 16 * kib], 512 * kib]
  ] as const)("is put together correctly when its pieces have %s", ([, sizes, chunkBytes]) =>
    Effect.gen(function* () {
      const most = { parts: 0, bytes: 0 }
      let reader: Source.Reader | undefined
      const noting = Stream.mapChunks(Stream.rechunk(ofPieces(content(chunkBytes), sizes).open(0), 8), (chunk) => {
        const parts = reader?.kept.parts ?? []
        const buffers = new Set(parts.map(({ buffer }) => buffer))
        most.parts = Math.max(most.parts, parts.length)
        most.bytes = Math.max(
          most.bytes,
          [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)
        )
        return chunk
      })
      reader = yield* Source.reader(ResumableUpload.fromStream(noting), chunkBytes, undefined)
      yield* Source.window(reader, 0)
      expect(most.parts).toBeGreaterThan(0)
      expect(most.parts).toBeLessThanOrEqual(64)
      expect(most.bytes).toBeLessThanOrEqual(1.5 * chunkBytes)
    }).pipe(scoped)
  )

  it.effect.prop(
    "is the bytes of the source, whatever its pieces are",
    [
      FastCheck.array(FastCheck.integer({ min: 1, max: 20 * kib }), { minLength: 1, maxLength: 5 }),
      FastCheck.array(FastCheck.integer({ min: 5 * kib, max: 40 * kib }), { minLength: 1, maxLength: 5 })
    ],
    ([sizes, steps]) =>
      Effect.gen(function* () {
        const bytes = content(100 * kib)
        const found = yield* windows(bytes, sizes, 32 * kib, steps)
        let offset = 0
        for (const [index, window] of found.entries()) {
          const expected = bytes.subarray(offset, offset + 32 * kib)
          expect(Buffer.compare(window.bytes, expected)).toBe(0)
          offset += Math.min(steps[index % steps.length] ?? 1, window.bytes.length)
        }
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.effect("does not change when its source overwrites a piece", () =>
    Effect.gen(function* () {
      const piece = content(100)
      const source = ResumableUpload.fromStream(Stream.succeed(piece))
      const reader = yield* Source.reader(source, 32 * kib, undefined)
      const { bytes } = yield* Source.window(reader, 0)
      piece.fill(0)
      expect(Buffer.compare(bytes, content(100))).toBe(0)
    }).pipe(scoped)
  )
})
