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

const height = 2
const nameWidth = 13

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

/** The most requests of one second, counted from the first on. */
const mostPerSecond = (untilMillis: number, track: Track): number =>
  Math.max(0, ...perColumn(Math.max(1, Math.round(untilMillis / 1000)), untilMillis, track))

/**
 * Draws the tracks one below the other on one scale, each with its name and its busiest second.
 *
 * @category constructors
 */
export const draw = (
  style: Style,
  tracks: ReadonlyArray<Track>,
  untilMillis: number,
  marked: Marked
): ReadonlyArray<Line> => {
  const columns = style.width - nameWidth
  const loads = tracks.map((track) => ({ ...track, counts: perColumn(columns, untilMillis, track) }))
  const highest = Math.max(1, ...loads.flatMap(({ counts }) => counts))
  return [
    ...loads.flatMap((track) => {
      const names = [`   ${track.name}`, `   max ${mostPerSecond(untilMillis, track)}/s`]
      return bars(style, track.tone, track.counts, highest).map((bar, row): Line => [
        Paint.span((names[row] ?? "").padEnd(nameWidth), row === 0 ? "strong" : "plain"),
        ...bar
      ])
    }),
    marks(style, (millis) => nameWidth + Math.round((millis / untilMillis) * columns), marked)
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
    return [Paint.span(drawn.join(""), tone)]
  })

const marks = ({ glyphs, width }: Style, at: (millis: number) => number, marked: Marked): Line => {
  const cells = Paint.blank(width)
  const [from, to] = [at(marked.fromMillis), at(marked.toMillis)]
  Paint.put(cells, nameWidth, `${glyphs.tick} 0`, "dim")
  Paint.put(cells, from, glyphs.running.repeat(to - from), "bad")
  Paint.put(cells, from + 2, ` ${marked.name} `, "bad")
  Paint.put(cells, to + 1, `${glyphs.tick} ${Paint.millis(marked.toMillis)}`, "dim")
  return cells
}
