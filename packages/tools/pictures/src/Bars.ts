/**
 * The slowest answers of several clients, and the work that each of them makes, as bars. Pure.
 */
import * as Svg from "./Svg.ts"

/**
 * @category models
 */
export interface Bars {
  readonly title: string
  readonly intro: string
  readonly rows: ReadonlyArray<BarRow>
}

/**
 * @category models
 */
export interface BarRow {
  readonly name: string
  readonly tone: "good" | "bad" | "quiet"
  /** The 99th percentile of the latency. */
  readonly p99Millis: number
  /** The work of the servers beside what they would do without hedges. */
  readonly work: number
}

const width = 760
const top = 92
const height = 36
const latency = { x: 320, width: 170 }
const load = { x: 580, width: 100 }

/**
 * @category destructors
 */
export const draw = ({ intro, rows, title }: Bars): string => {
  const slowest = Math.max(...rows.map(({ p99Millis }) => p99Millis))
  const most = Math.max(...rows.map(({ work }) => work))
  return Svg.picture(
    { width, height: top + rows.length * height + 12 },
    { title, intro, description: describe(intro, rows) },
    [
      Svg.text(latency.x, 76, "quiet", "99 of 100 answers come within"),
      Svg.text(load.x, 76, "quiet", "work of the servers"),
      ...rows.flatMap(({ name, p99Millis, tone, work }, i) => {
        const y = top + i * height
        return [
          Svg.text(16, y + 17, "", name),
          bar(tone, latency.x, y, (p99Millis / slowest) * latency.width),
          Svg.text(latency.x + (p99Millis / slowest) * latency.width + 6, y + 17, "", `${Math.round(p99Millis)} ms`),
          bar(tone, load.x, y, (work / most) * load.width),
          Svg.text(load.x + (work / most) * load.width + 6, y + 17, "", percent(work))
        ]
      })
    ]
  )
}

const bar = (tone: BarRow["tone"], x: number, y: number, length: number): string =>
  Svg.element("rect", { class: tone, x, y, width: length, height: 24, rx: 3 })

const percent = (work: number): string => `${Math.round(work * 100)} %`

const describe = (intro: string, rows: ReadonlyArray<BarRow>): string =>
  [
    intro,
    ...rows.map(
      ({ name, p99Millis, work }) =>
        `${name[0]?.toUpperCase()}${name.slice(1)}: 99 of 100 answers come within ${Math.round(p99Millis)} ms, and the servers do ${percent(work)} of the work.`
    )
  ].join(" ")
