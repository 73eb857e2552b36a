import { describe, expect, it } from "@effect/vitest"
import * as Paint from "../src/Paint.ts"
import * as Parts from "../src/Parts.ts"

const kib = 1024
const totalBytes = 1024 * kib

const piece = (firstKib: number, bytesKib: number, answer: string): Parts.Piece => ({
  first: firstKib * kib,
  bytes: bytesKib * kib,
  answer
})
const question: Parts.Piece = { first: 0, bytes: 0, answer: "308" }

const track = (succeeded: boolean, ...pieces: ReadonlyArray<Parts.Piece>): Parts.Track => ({
  name: succeeded ? "ours" : "native",
  pieces,
  succeeded,
  ending: `it has ended after ${Paint.count(pieces.length, "request")}`
})

const resumed = track(true, piece(0, 512, "308"), piece(512, 256, "503"), question, piece(640, 384, "200"), question)
const failed = track(false, piece(0, 512, "308"), piece(512, 384, "200"), piece(0, 512, "308"), question)

const drawn = (width: number, glyphs: Paint.Glyphs, ...tracks: ReadonlyArray<Parts.Track>) => {
  const style = { width, colour: false, glyphs }
  return Parts.draw(style, tracks, totalBytes).map((line) => Paint.render(style, line))
}

describe("Parts.draw", () => {
  it("says of each part how often it was sent, on one axis", () => {
    expect(drawn(60, Paint.ascii, resumed, failed)).toEqual([
      "   ours    111111111111111111111111111111222222111111111111",
      "           it has ended after 5 requests",
      "   native  222222222222222222222222111111111111111111",
      "           it has ended after 4 requests",
      "           ' 0         ' 256 KiB   ' 512 KiB   ' 768 KiB"
    ])
  })

  it.each([40, 57, 80, 120])("stays within %d columns", (width) => {
    const lines = [Paint.ascii, Paint.unicode].flatMap((glyphs) => drawn(width, glyphs, resumed, failed))
    expect(lines.filter((line) => line.length > width)).toEqual([])
  })
})

describe("Parts.size", () => {
  it.each([
    [0, "0 KiB"],
    [640 * kib, "640 KiB"],
    [1024 * kib, "1 MiB"],
    [1472 * kib, "1.44 MiB"]
  ])("writes %d as %s", (bytes, text) => {
    expect(Parts.size(bytes)).toBe(text)
  })
})
