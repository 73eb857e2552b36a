/**
 * What was sent of an object, drawn to scale: a row for every stretch that ended in a failure, below where its bytes belong.
 * Pure.
 */
import type { Line, Style } from "./Paint.ts"
import * as Paint from "./Paint.ts"

/**
 * A request with a part of an object.
 *
 * @category models
 */
export interface Piece {
  /** The place of its first byte; `undefined` where it asks how much the server has. */
  readonly first: number | undefined
  readonly bytes: number
  /** Its status, 308 where the server waits for more, or `reset`. */
  readonly answer: string
}

/**
 * @category models
 */
export interface Track {
  readonly name: string
  readonly pieces: ReadonlyArray<Piece>
  readonly succeeded: boolean
  /** What came of it, in words. */
  readonly ending: string
}

const nameWidth = 11

/** Room for the last answer of a stretch, and a blank before it. */
const answerWidth = 9

/**
 * Draws the tracks one below the other, on a common axis.
 *
 * @category destructors
 */
export const draw = (style: Style, tracks: ReadonlyArray<Track>, totalBytes: number): ReadonlyArray<Line> => {
  const columns = style.width - nameWidth - answerWidth
  const at = (bytes: number) => Math.round((bytes / totalBytes) * columns)
  return [
    ...tracks.flatMap(({ ending, name, pieces, succeeded }): ReadonlyArray<Line> => [
      ...stretchesOf(pieces, succeeded).map((marks, i): Line => [
        Paint.span((i === 0 ? `   ${name}` : "").padEnd(nameWidth), "strong"),
        ...row(style, at, marks)
      ]),
      ...Paint.paragraph(style, nameWidth, ending, succeeded ? "good" : "bad")
    ]),
    [Paint.span(" ".repeat(nameWidth)), ...ticks(style, at, totalBytes)]
  ]
}

interface Mark {
  readonly first: number
  readonly bytes: number
  readonly answer: string
  readonly failed: boolean
}

/** The answer after which bytes are to follow. */
const more = "308"

/** A stretch ends with a request that failed. An answer that says that all is well is no success where it was cut. */
const stretchesOf = (pieces: ReadonlyArray<Piece>, succeeded: boolean): ReadonlyArray<ReadonlyArray<Mark>> => {
  const stretches: Array<Array<Mark>> = [[]]
  for (const [i, { answer, bytes, first }] of pieces.entries()) {
    const isLast = i === pieces.length - 1
    const failed = isLast ? !succeeded : answer !== more
    const text = failed && answer.startsWith("2") ? `${answer}, cut` : answer
    stretches.at(-1)?.push({ first: first ?? askedAt(pieces, i), bytes, answer: text, failed })
    if (failed && !isLast) stretches.push([])
  }
  return stretches
}

/** A question stands where the bytes go on, or where they have ended. */
const askedAt = (pieces: ReadonlyArray<Piece>, i: number): number => {
  const next = pieces.slice(i).find(({ first }) => first !== undefined)
  const last = pieces.slice(0, i).findLast(({ first }) => first !== undefined)
  return next?.first ?? (last?.first ?? 0) + (last?.bytes ?? 0)
}

type At = (bytes: number) => number

const row = ({ glyphs, width }: Style, at: At, marks: ReadonlyArray<Mark>): Line => {
  const cells = Paint.blank(width - nameWidth)
  for (const { bytes, failed, first } of marks) {
    const tone = failed ? "bad" : "good"
    const [from, to] = [at(first), at(first + bytes)]
    Paint.put(cells, from, glyphs.running.repeat(to - from), tone)
    Paint.put(cells, from, failed ? glyphs.failed : glyphs.succeeded, tone)
  }
  const last = marks.at(-1)
  if (last !== undefined) {
    const end = Math.max(at(last.first) + 1, at(last.first + last.bytes))
    Paint.put(cells, end + 1, last.answer, last.failed ? "bad" : "good")
  }
  return cells
}

const steps = [64, 128, 256, 512, 1024, 2048, 4096].map((kib) => kib * 1024)

/** Of a tick with its text and a blank. */
const tickWidth = 10

const ticks = ({ glyphs, width }: Style, at: At, totalBytes: number): Line => {
  const cells = Paint.blank(width - nameWidth)
  const step = steps.find((step) => at(step) >= tickWidth) ?? Infinity
  for (let bytes = 0; bytes <= totalBytes; bytes += step) {
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
