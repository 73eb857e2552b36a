/**
 * Elements of an SVG as text, and the colours of all pictures, for light and for dark pages. Pure.
 */

/**
 * @category models
 */
type Attributes = Readonly<Record<string, string | number>>

/**
 * An element with attributes and what is in it; numbers have at most one decimal.
 *
 * @category constructors
 */
export const element = (name: string, attributes: Attributes, ...children: ReadonlyArray<string>): string => {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(value)}"`)
  const head = `${name}${written.join("")}`
  return children.length === 0 ? `<${head}/>` : `<${head}>${children.join("")}</${name}>`
}

/**
 * A line of text; `classes` says how it looks.
 *
 * @category constructors
 */
export const text = (x: number, y: number, classes: string, content: string): string =>
  element("text", { x, y, class: classes }, escape(content))

/**
 * A picture on a card of its own, since an image does not know the background of its page. Its title and its introduction
 * stand at the top; a screen reader reads `title` and `description`.
 *
 * @category constructors
 */
export const picture = (
  size: { readonly width: number; readonly height: number },
  { description, intro, title }: { readonly title: string; readonly intro: string; readonly description: string },
  content: ReadonlyArray<string>
): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img" aria-labelledby="title description">`,
    element("title", { id: "title" }, escape(title)),
    element("desc", { id: "description" }, escape(description)),
    element("style", {}, style),
    element("rect", { class: "card", x: 0.5, y: 0.5, width: size.width - 1, height: size.height - 1, rx: 6 }),
    text(16, 27, "head", title),
    text(16, 47, "quiet", intro),
    ...content,
    "</svg>",
    ""
  ].join("\n")

/**
 * A band between two moments of a curve, for the time of an outage.
 *
 * @category constructors
 */
export const band = (from: number, to: number, top: number, bottom: number): string =>
  element("rect", { class: "band", x: from, y: top, width: to - from, height: bottom - top })

const escape = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const attribute = (value: string | number): string =>
  typeof value === "number" ? String(Math.round(value * 10) / 10) : escape(value)

const colours = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value};`)
    .join("")

const light = {
  card: "#ffffff",
  edge: "#d1d9e0",
  text: "#1f2328",
  quiet: "#59636e",
  good: "#1a7f37",
  bad: "#cf222e",
  band: "#fff1e5"
}

const dark = {
  card: "#0d1117",
  edge: "#3d444d",
  text: "#f0f6fc",
  quiet: "#9198a1",
  good: "#3fb950",
  bad: "#ff7b72",
  band: "#2b1d12"
}

const style = `
svg{${colours(light)}}
@media (prefers-color-scheme:dark){svg{${colours(dark)}}}
text{font:13px system-ui,sans-serif;fill:var(--text)}
.head{font-weight:600;font-size:15px}
.name{font-family:ui-monospace,monospace;font-weight:600}
.quiet{fill:var(--quiet);font-size:12px}
.end{text-anchor:end}
.mid{text-anchor:middle}
.good{fill:var(--good)}
.bad{fill:var(--bad)}
.card{fill:var(--card);stroke:var(--edge)}
.band{fill:var(--band)}
.line{fill:none;stroke:var(--quiet);stroke-width:1}
.grid{fill:none;stroke:var(--edge);stroke-width:1}
.cut{fill:none;stroke:var(--text);stroke-width:1.5;stroke-dasharray:4 3}
.curve{fill:none;stroke-width:2.5;stroke-linejoin:round}
.curve.good{fill:none;stroke:var(--good)}
.curve.bad{fill:none;stroke:var(--bad)}
.curve.plain{stroke:var(--quiet);stroke-dasharray:5 4}
`
