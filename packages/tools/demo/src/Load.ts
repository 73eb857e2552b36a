/**
 * Requests over time as columns, several tracks on one scale. Pure.
 */
import type { Line, Style, Tone } from "./Paint.ts"
import * as Paint from "./Paint.ts"
import * as Words from "./Words.ts"

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
 * What the columns stand for.
 *
 * @category models
 */
export interface Scale {
  readonly binMillis: number
  readonly untilMillis: number
  /** A stretch of time that is marked below the columns. */
  readonly marked: { readonly fromMillis: number; readonly toMillis: number; readonly name: string }
}

const height = 4
const indent = 10

/**
 * How many requests came in each bin of time.
 *
 * @category destructors
 */
export const perBin = ({ binMillis, untilMillis }: Scale, atMillis: ReadonlyArray<number>): ReadonlyArray<number> => {
  const bins = Array.from({ length: Math.ceil(untilMillis / binMillis) }, () => 0)
  for (const at of atMillis) {
    const bin = Math.min(bins.length - 1, Math.max(0, Math.floor(at / binMillis)))
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return bins
}

/**
 * Draws the tracks one below the other, each with its highest column in words.
 *
 * @category constructors
 */
export const draw = (style: Style, tracks: ReadonlyArray<Track>, scale: Scale): ReadonlyArray<Line> => {
  const loads = tracks.map((track) => ({ track, bins: perBin(scale, track.atMillis) }))
  const highest = Math.max(1, ...loads.flatMap(({ bins }) => bins))
  return [...loads.flatMap(({ bins, track }) => columns(style, track, bins, highest)), marks(style, scale)]
}

const columns = (
  { glyphs: { bars } }: Style,
  { name, tone }: Track,
  bins: ReadonlyArray<number>,
  highest: number
): ReadonlyArray<Line> =>
  Array.from({ length: height }, (_, row): Line => {
    const below = height - 1 - row
    const drawn = bins.map((requests) => {
      const level = ((requests / highest) * height - below) * (bars.length - 1)
      const least = requests > 0 && below === 0 ? 1 : 0
      return bars[Math.max(least, Math.min(bars.length - 1, Math.round(level)))] ?? " "
    })
    const peak = row === 0 ? `  at most ${Math.max(0, ...bins)}` : ""
    return [
      Paint.span((row === height - 1 ? `   ${name}` : "").padEnd(indent)),
      Paint.span(drawn.join(""), tone),
      Paint.span(peak, "dim")
    ]
  })

const marks = ({ glyphs }: Style, { binMillis, marked, untilMillis }: Scale): Line => {
  const cells = Paint.blank(Math.ceil(untilMillis / binMillis) + 2 * indent)
  const at = (millis: number) => indent + Math.round(millis / binMillis)
  Paint.put(cells, indent, `${glyphs.tick} 0`, "dim")
  const text = ` ${marked.name} `
  const length = at(marked.toMillis) - at(marked.fromMillis)
  Paint.put(
    cells,
    at(marked.fromMillis),
    text.padStart(Math.floor((length + text.length) / 2), glyphs.running).padEnd(length, glyphs.running),
    "bad"
  )
  Paint.put(cells, at(marked.toMillis) + 1, `${glyphs.tick} ${Words.millis(marked.toMillis)}`, "dim")
  return Paint.spans(cells)
}
