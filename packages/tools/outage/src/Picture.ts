/**
 * Requests to the server over time, a curve for each kind of bucket. Pure.
 */
import * as Svg from "../../pictures/src/Svg.ts"
import type { Options, Run } from "./Fleet.ts"
import { isDown } from "./Server.ts"

const width = 760
const left = 56
const right = 24
const top = 134
const bottom = 310

/** The length of the part of time that a point of a curve counts. */
const binMillis = 500

const tones = { none: "bad", own: "plain", shared: "good" } as const

const legends = { none: "no buckets", own: "a bucket for each process", shared: "one shared bucket" } as const

type Drawn = keyof typeof tones

const drawnOf = (runs: ReadonlyArray<Run>) =>
  runs.flatMap(({ arrivals, kind }) => (kind === "part" ? [] : [{ arrivals, kind }]))

/**
 * The title of the picture, and what it shows in words.
 *
 * @category destructors
 */
export const words = (
  runs: ReadonlyArray<Run>,
  processes: number,
  { operationsPerSecond, outage }: Pick<Options, "operationsPerSecond" | "outage">
) => {
  const seconds = (outage.toMillis - outage.fromMillis) / 1000
  const intro = `${processes} processes begin ${operationsPerSecond} operations per second, and the server answers 503 for ${seconds} seconds.`
  const clauses = drawnOf(runs).map(
    (run) => `With ${legends[run.kind]}, it gets ${meanDown(run, outage)} requests per second then.`
  )
  return { title: "A fleet in an outage", intro, description: [intro, ...clauses].join(" ") }
}

const meanDown = ({ arrivals }: Pick<Run, "arrivals">, outage: Options["outage"]): number => {
  const count = arrivals.filter(({ atMillis }) => isDown(outage, atMillis)).length
  return Math.round((count * 1000) / (outage.toMillis - outage.fromMillis))
}

/**
 * Requests per second in each part of the time, from the middle of the part.
 *
 * @category destructors
 */
export const points = (
  { arrivals }: Pick<Run, "arrivals">,
  untilMillis: number
): ReadonlyArray<readonly [millis: number, perSecond: number]> => {
  const counts = Array.from({ length: Math.ceil(untilMillis / binMillis) }, () => 0)
  for (const { atMillis } of arrivals) {
    const bin = Math.floor(atMillis / binMillis)
    if (bin < counts.length) counts[bin] = (counts[bin] ?? 0) + 1
  }
  return counts.map((count, i) => [(i + 0.5) * binMillis, (count * 1000) / binMillis])
}

/**
 * @category destructors
 */
export const draw = (
  runs: ReadonlyArray<Run>,
  processes: number,
  options: Pick<Options, "operationsPerSecond" | "outage" | "untilMillis">
): string => {
  const { outage, untilMillis } = options
  const curves = drawnOf(runs).map((run) => ({ ...run, points: points(run, untilMillis) }))
  const most = Math.max(100, ...curves.flatMap(({ points }) => points.map(([, rate]) => Math.ceil(rate / 100) * 100)))
  const x = (millis: number) => left + (millis / untilMillis) * (width - left - right)
  const y = (rate: number) => bottom - (rate / most) * (bottom - top)
  return Svg.picture({ width, height: bottom + 44 }, words(runs, processes, options), [
    ...curves.flatMap((curve, i) => legendOf(curve.kind, `${meanDown(curve, outage)} per second in the outage`, i)),
    Svg.band(x(outage.fromMillis), x(outage.toMillis), top, bottom),
    Svg.text((x(outage.fromMillis) + x(outage.toMillis)) / 2, top + 18, "quiet mid", "answers 503"),
    ...[0, most / 2, most].flatMap((rate) => [
      Svg.element("path", { class: rate === 0 ? "line" : "grid", d: `M${left} ${round(y(rate))}H${width - right}` }),
      Svg.text(left - 8, y(rate) + 4, "quiet end", `${rate}`)
    ]),
    Svg.text(left, top - 10, "quiet", "requests per second to the server"),
    ...Array.from({ length: Math.floor(untilMillis / 1000) + 1 }, (_, second) =>
      Svg.text(x(second * 1000), bottom + 20, "quiet mid", `${second} s`)
    ),
    ...curves.map(({ kind, points }) =>
      Svg.element("path", {
        class: `curve ${tones[kind]}`,
        d: points.map(([at, rate], i) => `${i === 0 ? "M" : "L"}${round(x(at))} ${round(y(rate))}`).join("")
      })
    )
  ])
}

const legendOf = (kind: Drawn, load: string, i: number): ReadonlyArray<string> => {
  const x = 16 + i * 236
  return [
    Svg.element("path", { class: `curve ${tones[kind]}`, d: `M${x} 72h26` }),
    Svg.text(x + 34, 76, "", legends[kind]),
    Svg.text(x + 34, 93, "quiet", load)
  ]
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10
