/**
 * What the figures of the page draw: positions in units of their own, worked out from what was run. Pure, and
 * without Effect, which only `Packages.ts` brings to the page.
 */

/** A delay, as a band from the least to the most that is drawn. */
export interface Band {
  readonly attempt: number
  readonly leastMillis: number
  readonly meanMillis: number
  readonly mostMillis: number
}

/** More do not fit the figure. */
export const mostBands = 12

/** Parts into which a band is divided. */
const bins = 24

/** How often each part of a band is drawn, the most frequent one as 1; nothing where the band has no width. */
export const distribution = (
  { leastMillis, mostMillis }: Band,
  delays: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const width = mostMillis - leastMillis
  if (width <= 0 || delays.length === 0) return []
  const counts = Array.from({ length: bins }, () => 0)
  for (const delay of delays) {
    const bin = Math.floor(((delay - leastMillis) / width) * bins)
    counts[Math.max(0, Math.min(bins - 1, bin))]! += 1
  }
  const highest = Math.max(...counts)
  return counts.map((count) => count / highest)
}

/** Those of bands, of the delays that were drawn for each. */
export const distributions = (
  bands: ReadonlyArray<Band>,
  drawn: ReadonlyArray<ReadonlyArray<number>>
): ReadonlyArray<ReadonlyArray<number>> => bands.map((band, i) => distribution(band, drawn[i] ?? []))

/** The table of a plan, out of its text: one row for an attempt. */
export const table = (
  text: string
): { readonly head: ReadonlyArray<string>; readonly rows: ReadonlyArray<ReadonlyArray<string>> } => {
  const [head = [], ...rows] = text
    .slice(0, text.indexOf("\n\n"))
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/))
  return { head, rows }
}

/** Round values of an axis from 0 that reaches `most`, five or fewer after it. */
export const ticks = (most: number): ReadonlyArray<number> => {
  if (!(most > 0)) return [0]
  const step = [1, 2, 5, 10]
    .map((factor) => factor * 10 ** Math.floor(Math.log10(most / 5)))
    .find((step) => most / step <= 5)
  const width = step ?? most
  return Array.from({ length: Math.floor(most / width) + 1 }, (_, i) => Number((i * width).toPrecision(12)))
}

/** A time as a label: `250 ms`, `1.5 s`, `2 min`. */
export const label = (millis: number): string => {
  if (millis < 1000) return `${round(millis)} ms`
  return millis < 120_000 ? `${round(millis / 1000)} s` : `${round(millis / 60_000)} min`
}

const round = (value: number): number => Math.round(value * 10) / 10

/** The path of a curve through points. */
export const path = (points: ReadonlyArray<readonly [x: number, y: number]>): string =>
  points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("")

/** The mean of each value and its neighbours: the traffic of single seconds is noise. */
export const smooth = (values: ReadonlyArray<number>, reach: number): ReadonlyArray<number> =>
  values.map((_, i) => {
    const near = values.slice(Math.max(0, i - reach), i + reach + 1)
    return near.reduce((sum, value) => sum + value, 0) / near.length
  })
