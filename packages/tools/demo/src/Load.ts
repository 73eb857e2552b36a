/**
 * Requests over time as columns, several tracks on one scale. Pure.
 */
import type { Line, Style, Tone } from "./Paint.ts"
import * as Paint from "./Paint.ts"

/**
 * @category models
 */
export interface Track {
  readonly name: string
  readonly tone: Tone
  /** When each request came, counted from the same moment for all tracks. */
  readonly atMillis: ReadonlyArray<number>
}

/**
 * A stretch of time that is marked below the columns.
 *
 * @category models
 */
export interface Marked {
  readonly fromMillis: number
  readonly toMillis: number
  readonly name: string
}

const height = 4
const indent = 3

/**
 * How many requests came in each of so many parts of the time.
 *
 * @category destructors
 */
export const perColumn = (columns: number, untilMillis: number, { atMillis }: Track): ReadonlyArray<number> => {
  const counts = Array.from({ length: columns }, () => 0)
  for (const at of atMillis) {
    const column = Math.min(columns - 1, Math.max(0, Math.floor((at / untilMillis) * columns)))
    counts[column] = (counts[column] ?? 0) + 1
  }
  return counts
}

/**
 * Draws the tracks one below the other, each with its name and its highest column in words.
 *
 * @category constructors
 */
export const draw = (
  style: Style,
  tracks: ReadonlyArray<Track>,
  untilMillis: number,
  marked: Marked
): ReadonlyArray<Line> => {
  const columns = style.width - 2 * indent
  const loads = tracks.map((track) => ({ ...track, counts: perColumn(columns, untilMillis, track) }))
  const highest = Math.max(1, ...loads.flatMap(({ counts }) => counts))
  return [
    ...loads.flatMap(({ counts, name, tone }) => {
      const peak = Paint.count(Math.max(0, ...counts), "request")
      const head = `${name}: at most ${peak} per ${Paint.millis(untilMillis / columns)}`
      return [...Paint.paragraph(style, indent, head), ...bars(style, tone, counts, highest)]
    }),
    marks(style, (millis) => indent + Math.round((millis / untilMillis) * columns), marked)
  ]
}

const bars = ({ glyphs }: Style, tone: Tone, counts: ReadonlyArray<number>, highest: number): ReadonlyArray<Line> =>
  Array.from({ length: height }, (_, row): Line => {
    const below = height - 1 - row
    const drawn = counts.map((requests) => {
      const level = ((requests / highest) * height - below) * (glyphs.bars.length - 1)
      const least = requests > 0 && below === 0 ? 1 : 0
      return glyphs.bars[Math.max(least, Math.min(glyphs.bars.length - 1, Math.round(level)))] ?? " "
    })
    return [Paint.span(" ".repeat(indent)), Paint.span(drawn.join(""), tone)]
  })

const marks = ({ glyphs, width }: Style, at: (millis: number) => number, marked: Marked): Line => {
  const cells = Paint.blank(width)
  const [from, to] = [at(marked.fromMillis), at(marked.toMillis)]
  Paint.put(cells, indent, `${glyphs.tick} 0`, "dim")
  Paint.put(cells, from, glyphs.running.repeat(to - from), "bad")
  Paint.put(cells, from + 2, ` ${marked.name} `, "bad")
  Paint.put(cells, to + 1, `${glyphs.tick} ${Paint.millis(marked.toMillis)}`, "dim")
  return cells
}
