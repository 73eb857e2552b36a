import { describe, expect, it } from "@effect/vitest"
import * as Paint from "../src/Paint.ts"
import * as Stretches from "../src/Stretches.ts"

const kib = 1024
const totalBytes = 1024 * kib

const piece = (firstKib: number, bytesKib: number, answer: string): Stretches.Piece => ({
  first: firstKib * kib,
  bytes: bytesKib * kib,
  answer
})
const question = (answer: string): Stretches.Piece => ({ first: undefined, bytes: 0, answer })

const track = (succeeded: boolean, ...pieces: ReadonlyArray<Stretches.Piece>): Stretches.Track => ({
  name: succeeded ? "ours" : "native",
  pieces,
  succeeded,
  ending: `it has ended after ${Paint.count(pieces.length, "request")}`
})

const resumed = track(
  true,
  piece(0, 512, "308"),
  piece(512, 256, "503"),
  question("308"),
  piece(640, 384, "200"),
  question("200")
)
const failed = track(false, piece(0, 512, "308"), piece(512, 512, "200"), piece(0, 512, "308"), question("reset"))

const drawn = (width: number, glyphs: Paint.Glyphs, ...tracks: ReadonlyArray<Stretches.Track>) => {
  const style = { width, colour: false, glyphs }
  return Stretches.draw(style, tracks, totalBytes).map((line) => Paint.render(style, line))
}

describe("Stretches.draw", () => {
  it("draws what was sent to scale, a row for each stretch, on one axis", () => {
    expect(drawn(60, Paint.ascii, resumed, failed)).toEqual([
      "   ours    o===================#========= 503",
      "                                    #============== 200, cut",
      "                                                   o 200",
      "           it has ended after 5 requests",
      "   native  o===================#=================== 200, cut",
      "           o===================# reset",
      "           it has ended after 4 requests",
      "           ' 0       ' 256 KiB ' 512 KiB ' 768 KiB ' 1 MiB"
    ])
  })

  it.each([40, 57, 80, 120])("stays within %d columns", (width) => {
    const lines = [Paint.ascii, Paint.unicode].flatMap((glyphs) => drawn(width, glyphs, resumed, failed))
    expect(lines.filter((line) => line.length > width)).toEqual([])
  })
})

describe("Stretches.size", () => {
  it.each([
    [0, "0 KiB"],
    [640 * kib, "640 KiB"],
    [1024 * kib, "1 MiB"],
    [1472 * kib, "1.44 MiB"]
  ])("writes %d as %s", (bytes, text) => {
    expect(Stretches.size(bytes)).toBe(text)
  })
})
