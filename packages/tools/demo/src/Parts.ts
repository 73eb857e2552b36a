/**
 * How often each part of an object was sent, drawn to scale. Pure.
 */
import type { Line, Style } from "./Paint.ts"
import * as Paint from "./Paint.ts"

/**
 * A request with a part of an object; one that only asks how much the server has is of no bytes.
 *
 * @category models
 */
export interface Piece {
  readonly first: number
  readonly bytes: number
  /** Its status, 308 if the server waits for more, or `reset`. */
  readonly answer: string
}

/**
 * @category models
 */
export interface Track {
  readonly name: string
  readonly pieces: ReadonlyArray<Piece>
  readonly succeeded: boolean
  /** How it ended, in words. */
  readonly ending: string
}

const nameWidth = 11

/**
 * Draws the tracks one below the other on a common axis: a digit says how often its part of the object was sent.
 *
 * @category destructors
 */
export const draw = (style: Style, tracks: ReadonlyArray<Track>, totalBytes: number): ReadonlyArray<Line> => {
  const columns = style.width - nameWidth - 1
  return [
    ...tracks.flatMap(({ ending, name, pieces, succeeded }): ReadonlyArray<Line> => [
      [Paint.span(`   ${name}`.padEnd(nameWidth), "strong"), ...sent(pieces, columns, totalBytes)],
      ...Paint.paragraph(style, nameWidth, ending, succeeded ? "good" : "bad")
    ]),
    [Paint.span(" ".repeat(nameWidth)), ...ticks(style, columns, totalBytes)]
  ]
}

const sent = (pieces: ReadonlyArray<Piece>, columns: number, totalBytes: number): Line =>
  Array.from({ length: columns }, (_, column) => {
    const middle = ((column + 0.5) / columns) * totalBytes
    const times = pieces.filter(({ bytes, first }) => middle >= first && middle < first + bytes).length
    return Paint.span(times === 0 ? " " : `${Math.min(9, times)}`, times > 1 ? "bad" : "good")
  })

const steps = [64, 128, 256, 512, 1024, 2048, 4096].map((kib) => kib * 1024)

/** Of a tick with its text and a blank. */
const tickWidth = 10

const ticks = ({ glyphs }: Style, columns: number, totalBytes: number): Line => {
  const cells = Paint.blank(columns)
  const at = (bytes: number) => Math.round((bytes / totalBytes) * columns)
  const step = steps.find((step) => at(step) >= tickWidth) ?? Infinity
  for (let bytes = 0; bytes < totalBytes; bytes += step) {
    Paint.put(cells, at(bytes), `${glyphs.tick} ${bytes === 0 ? "0" : size(bytes)}`, "dim")
  }
  return cells
}

/**
 * `640 KiB`, `1.44 MiB`.
 *
 * @category destructors
 */
export const size = (bytes: number): string => {
  const kib = Math.round(bytes / 1024)
  return kib < 1024 ? `${kib} KiB` : `${Number((kib / 1024).toFixed(2))} MiB`
}
