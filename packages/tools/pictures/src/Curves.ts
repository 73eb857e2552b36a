/**
 * Successes per second of several clients, through an outage and after it. Pure.
 */
import type { Load } from "@effect-retry/plan"
import * as Svg from "./Svg.ts"

/**
 * @category models
 */
interface Storm {
  readonly title: string
  readonly intro: string
  readonly clients: ReadonlyArray<StormClient>
  /** When the outage begins and ends, in seconds of the simulation. */
  readonly outage: { readonly from: number; readonly to: number }
  /** The first second to draw, and the one after the last. */
  readonly from: number
  readonly until: number
  /** The top of the scale, in requests per second. */
  readonly most: number
}

/**
 * @category models
 */
interface StormClient {
  readonly name: string
  readonly tone: "good" | "bad" | "plain"
  readonly seconds: ReadonlyArray<Load.Second>
}

const width = 760
const left = 56
const right = 24
const top = 134
const bottom = 310

/**
 * @category destructors
 */
export const draw = (storm: Storm): string => {
  const { from, intro, most, outage, title, until } = storm
  const x = (second: number) => left + ((second - from) / (until - from)) * (width - left - right)
  const y = (rate: number) => bottom - (rate / most) * (bottom - top)
  return Svg.picture({ width, height: bottom + 44 }, { title, intro, description: describe(storm) }, [
    ...legendOf(storm),
    Svg.band(x(outage.from), x(outage.to), top, bottom),
    Svg.text((x(outage.from) + x(outage.to)) / 2, top + 18, "quiet mid", "stands still"),
    ...rates(most).flatMap((rate) => [
      Svg.element("path", { class: rate === 0 ? "line" : "grid", d: `M${left} ${round(y(rate))}H${width - right}` }),
      Svg.text(left - 8, y(rate) + 4, "quiet end", `${rate}`)
    ]),
    Svg.text(left, top - 10, "quiet", "successful requests per second"),
    ...ticks(storm).map((second) => Svg.text(x(second), bottom + 20, "quiet mid", `${second - outage.from} s`)),
    ...storm.clients.map(({ seconds, tone }) =>
      Svg.element("path", { class: `curve ${tone}`, d: pathOf(smooth(seconds, storm), x, y) })
    )
  ])
}

const legendOf = (storm: Storm): ReadonlyArray<string> =>
  storm.clients.flatMap(({ name, seconds, tone }, i) => {
    const x = 16 + i * 236
    return [
      Svg.element("path", { class: `curve ${tone}`, d: `M${x} 72h26` }),
      Svg.text(x + 34, 76, "", name),
      Svg.text(x + 34, 93, "quiet", `the server gets ${lately(storm, seconds, "attempts")} per second`)
    ]
  })

/** The mean of the last five seconds. */
const lately = ({ until }: Storm, seconds: ReadonlyArray<Load.Second>, count: keyof Load.Second): number =>
  Math.round(seconds.slice(until - 5, until).reduce((sum, second) => sum + second[count], 0) / 5)

const rates = (most: number): ReadonlyArray<number> => [0, 0.5, 1].map((share) => share * most)

const ticks = ({ from, outage, until }: Storm): ReadonlyArray<number> =>
  Array.from({ length: until - from + 1 }, (_, i) => from + i).filter((second) => (second - outage.from) % 10 === 0)

/** Seconds on each side of the one that is drawn: a mean of five shows the curve and not the traffic. */
const around = 2

/** Seconds outside the outage do not blur its edges. */
const smooth = (seconds: ReadonlyArray<Load.Second>, { from, outage, until }: Storm) =>
  Array.from({ length: until - from }, (_, i): readonly [number, number] => {
    const second = from + i
    const part = (at: number) => (at < outage.from ? 0 : at < outage.to ? 1 : 2)
    const near = seconds
      .map((counts, at) => ({ ...counts, at }))
      .filter(({ at }) => Math.abs(at - second) <= around && part(at) === part(second))
    return [second, near.reduce((sum, { succeeded }) => sum + succeeded, 0) / near.length]
  })

const pathOf = (
  points: ReadonlyArray<readonly [number, number]>,
  x: (second: number) => number,
  y: (rate: number) => number
) => points.map(([second, rate], i) => `${i === 0 ? "M" : "L"}${round(x(second + 0.5))} ${round(y(rate))}`).join("")

const describe = (storm: Storm): string =>
  [
    storm.intro,
    ...storm.clients.map(
      ({ name, seconds }) =>
        `With ${name}, the server gets ${lately(storm, seconds, "attempts")} requests per second in the end, of which ${lately(storm, seconds, "succeeded")} are answered in time.`
    )
  ].join(" ")

const round = (pixels: number): number => Math.round(pixels * 10) / 10
