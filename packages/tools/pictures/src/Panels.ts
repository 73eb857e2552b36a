/**
 * Small drawings of one size beside each other, each with its name and one scale for all. Pure.
 */
import * as Svg from "./Svg.ts"

/**
 * @category models
 */
interface Sheet {
  readonly title: string
  readonly intro: string
  readonly panels: ReadonlyArray<Panel>
  /** What is written below each panel, at its left and its right end. */
  readonly axis: readonly [from: string, to: string]
}

/**
 * What a panel shows, from 0 to 1 in both directions, and upwards.
 *
 * @category models
 */
export interface Panel {
  readonly name: string
  /** In words, for a screen reader. */
  readonly description: string
  /** The meaning of the upper edge. */
  readonly most: string
  /** Filled from the least to the most. */
  readonly bands: ReadonlyArray<{
    readonly from: number
    readonly to: number
    readonly least: number
    readonly most: number
  }>
  /** Drawn as one line. */
  readonly line: ReadonlyArray<readonly [x: number, y: number]>
  /** A stretch of time that all panels share. */
  readonly outage?: { readonly from: number; readonly to: number }
}

const width = 760
const columns = 4
const left = 16
const gap = 20
const panelWidth = (width - 2 * left - (columns - 1) * gap) / columns
const panelHeight = 96
const rowHeight = panelHeight + 62
const top = 88

const lineHeight = 17

/** Whether the name and the meaning of the upper edge fit on one line, in any font. */
const fits = ({ most, name }: Panel): boolean => 8 * name.length + 7 * most.length < panelWidth - 4

/**
 * @category destructors
 */
export const draw = ({ axis, intro, panels, title }: Sheet): string => {
  const rows = Math.ceil(panels.length / columns)
  const above = panels.every(fits) ? 0 : lineHeight
  const description = [intro, ...panels.map(({ description }) => description)].join(" ")
  return Svg.picture(
    { width, height: top + rows * (rowHeight + above) - 20 },
    { title, intro, description },
    panels.flatMap((panel, i) =>
      drawPanel(panel, {
        x0: left + (i % columns) * (panelWidth + gap),
        y0: top + above + Math.floor(i / columns) * (rowHeight + above),
        above,
        axis
      })
    )
  )
}

interface Place {
  readonly x0: number
  readonly y0: number
  /** From the meaning of the upper edge up to the name. */
  readonly above: number
  readonly axis: Sheet["axis"]
}

const drawPanel = (panel: Panel, { above, axis, x0, y0 }: Place): ReadonlyArray<string> => {
  const x = (share: number) => round(x0 + share * panelWidth)
  const y = (share: number) => round(y0 + (1 - share) * panelHeight)
  const box = ({ from, least, most, to }: Panel["bands"][number]) =>
    `M${x(from)} ${y(least)}H${x(to)}V${Math.min(y(most), round(y(least) - 1.5))}H${x(from)}z`
  const { bands, line, most, name, outage } = panel
  return [
    Svg.text(x0, y0 - 8 - above, "name", name),
    Svg.text(x0 + panelWidth, y0 - 8, "quiet end", most),
    ...(outage === undefined ? [] : [Svg.element("path", { class: "band", d: box({ ...outage, least: 0, most: 1 }) })]),
    Svg.element("path", { class: "line", d: `M${x(0)} ${y(0)}H${x(1)}` }),
    ...(bands.length === 0
      ? []
      : [Svg.element("path", { class: "good", opacity: "0.45", d: bands.map(box).join("") })]),
    ...(line.length === 0
      ? []
      : [Svg.element("path", { class: "curve good", d: `M${line.map(([a, b]) => `${x(a)} ${y(b)}`).join("L")}` })]),
    Svg.text(x0, y0 + panelHeight + 16, "quiet", axis[0]),
    Svg.text(x0 + panelWidth, y0 + panelHeight + 16, "quiet end", axis[1])
  ]
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10
