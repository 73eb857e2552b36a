/**
 * Several clients in the same outage, one strip for each: what the server gets, and what it answers in time. Pure.
 */
import type { Load } from "@effect-retry/plan"
import * as Svg from "./Svg.ts"

/**
 * @category models
 */
export interface Strips {
  readonly title: string
  readonly intro: string
  readonly strips: ReadonlyArray<Strip>
  /** When the outage begins and ends, in seconds of the simulation. */
  readonly outage: { readonly from: number; readonly to: number }
  /** The first second to draw, and the one after the last. */
  readonly from: number
  readonly until: number
  /** The top of each scale, in requests per second. */
  readonly most: number
}

/**
 * @category models
 */
export interface Strip {
  readonly name: string
  /** How the sentence about it begins. @default "With" and the name */
  readonly phrase?: string
  readonly seconds: ReadonlyArray<Load.Second>
}

const width = 760
const left = 240
const right = 24
const top = 104
const height = 48
const gap = 22

/**
 * @category destructors
 */
export const draw = (strips: Strips): string => {
  const { from, intro, outage, title, until } = strips
  const x = (second: number) => left + ((second - from) / (until - from)) * (width - left - right)
  const bottom = top + strips.strips.length * (height + gap) - gap
  return Svg.picture({ width, height: bottom + 44 }, { title, intro, description: describe(strips) }, [
    Svg.element("path", { class: "curve bad", d: "M16 70h26" }),
    Svg.text(50, 74, "", "attempts that the server gets"),
    Svg.element("path", { class: "curve good", d: "M266 70h26" }),
    Svg.text(300, 74, "", "requests that succeed"),
    Svg.band(x(outage.from), x(outage.to), top - 10, bottom),
    ...strips.strips.flatMap((strip, i) => stripOf(strips, strip, x, top + i * (height + gap))),
    ...ticks(strips).map((second) => Svg.text(x(second), bottom + 20, "quiet mid", `${second - outage.from} s`))
  ])
}

const stripOf = (
  strips: Strips,
  { name, seconds }: Strip,
  x: (second: number) => number,
  y: number
): ReadonlyArray<string> => {
  const rate = (count: number) => y + height - (Math.min(count, strips.most) / strips.most) * height
  const path = (count: keyof Load.Second) =>
    smooth(seconds, strips, count)
      .map(([second, mean], i) => `${i === 0 ? "M" : "L"}${Math.round(x(second + 0.5))} ${Math.round(rate(mean))}`)
      .join("")
  return [
    Svg.text(16, y + 20, "", name),
    Svg.text(16, y + 37, "quiet", `${attemptsOf(strips, seconds).toFixed(2)} attempts per request`),
    Svg.element("path", { class: "line", d: `M${left} ${y + height}H${width - right}` }),
    Svg.element("path", { class: "curve bad", d: path("attempts") }),
    Svg.element("path", { class: "curve good", d: path("succeeded") })
  ]
}

const attemptsOf = ({ outage }: Strips, seconds: ReadonlyArray<Load.Second>): number => {
  const during = seconds.slice(outage.from, outage.to)
  const sum = (count: keyof Load.Second) => during.reduce((sum, second) => sum + second[count], 0)
  return sum("attempts") / sum("requests")
}

const ticks = ({ from, outage, until }: Strips): ReadonlyArray<number> =>
  Array.from({ length: until - from + 1 }, (_, i) => from + i).filter((second) => (second - outage.from) % 10 === 0)

/** A mean of three seconds shows the curve and not the traffic; the edges of the outage stay where they are. */
const smooth = (
  seconds: ReadonlyArray<Load.Second>,
  { from, outage, until }: Strips,
  count: keyof Load.Second
): ReadonlyArray<readonly [number, number]> =>
  Array.from({ length: until - from }, (_, i) => {
    const second = from + i
    const part = (at: number) => (at < outage.from ? 0 : at < outage.to ? 1 : 2)
    const near = [second - 1, second, second + 1].filter((at) => part(at) === part(second))
    return [second, near.reduce((sum, at) => sum + (seconds[at]?.[count] ?? 0), 0) / near.length]
  })

/** Seconds from the end of the outage until nine in ten requests of three seconds succeed. */
const backAfter = ({ outage, until }: Strips, seconds: ReadonlyArray<Load.Second>): number | undefined => {
  for (let second = outage.to; second + 3 <= until; second++) {
    const next = seconds.slice(second, second + 3)
    const sum = (count: keyof Load.Second) => next.reduce((sum, each) => sum + each[count], 0)
    if (sum("succeeded") >= 0.9 * sum("requests")) return second - outage.to
  }
  return undefined
}

const describe = (strips: Strips): string =>
  [
    strips.intro,
    ...strips.strips.map(({ name, phrase = `With ${name}`, seconds }) => {
      const after = backAfter(strips, seconds)
      const back =
        after === undefined ? "requests still fail at the end" : `requests succeed ${after} s after the outage`
      return `${phrase}, the server gets ${attemptsOf(strips, seconds).toFixed(2)} attempts per request in the outage, and ${back}.`
    })
  ].join(" ")
