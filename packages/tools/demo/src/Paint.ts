/**
 * Lines of text with tones, and how a terminal shows them.
 */

/**
 * @category models
 */
export type Tone = "plain" | "strong" | "dim" | "good" | "bad" | "running"

/**
 * @category models
 */
export interface Span {
  readonly text: string
  readonly tone: Tone
}

/**
 * @category models
 */
export type Line = ReadonlyArray<Span>

/**
 * What the place of output can show.
 *
 * @category models
 */
export interface Style {
  /** In columns. */
  readonly width: number
  readonly colour: boolean
  readonly glyphs: Glyphs
}

/**
 * @category constructors
 */
export const unicode = {
  failed: "■",
  succeeded: "●",
  cut: "╳",
  waiting: "─",
  running: "━",
  tick: "╵",
  kept: "✔",
  broken: "✘",
  rule: "─",
  /** Of growing height, the empty one first. */
  bars: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
}

/**
 * @category models
 */
export type Glyphs = typeof unicode

/**
 * @category constructors
 */
export const ascii: Glyphs = {
  failed: "#",
  succeeded: "o",
  cut: "X",
  waiting: "-",
  running: "=",
  tick: "'",
  kept: "+",
  broken: "!",
  rule: "-",
  bars: [" ", ".", "#"]
}

type Environment = { readonly [name: string]: string | undefined }

/**
 * Reads off the environment what the output can show: 80 columns, no colour and ASCII if nothing is known.
 *
 * Sources: `NO_COLOR`, https://no-color.org, "when present and not an empty string"; `FORCE_COLOR`,
 * https://nodejs.org/docs/latest-v20.x/api/tty.html, where it overrides `NO_COLOR`, and 0 turns colours off.
 *
 * @category constructors
 */
export const style = (
  env: Environment,
  output: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined }
): Style => ({
  width: Math.min(Math.max(output.columns || Number(env["COLUMNS"]) || 80, narrowest), widest),
  colour: forced(env) ?? (output.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb"),
  glyphs: /utf-?8/i.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "") ? unicode : ascii
})

const forced = ({ FORCE_COLOR: value }: Environment): boolean | undefined =>
  value === undefined ? undefined : value !== "0" && value !== "false"

const narrowest = 40

const widest = 120

/**
 * @category constructors
 */
export const span = (text: string, tone: Tone = "plain"): Span => ({ text, tone })

/**
 * Breaks a text into lines of at most so many columns.
 *
 * @category destructors
 */
export const wrapped = (columns: number, text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/**
 * A text in lines of the style's width, all of them indented.
 *
 * @category constructors
 */
export const paragraph = (style: Style, indent: number, text: string, tone: Tone = "plain"): ReadonlyArray<Line> =>
  wrapped(style.width - indent, text).map((line) => [span(" ".repeat(indent) + line, tone)])

/**
 * The text of a line, with codes of colour if the style has them, and without blanks at its end.
 *
 * @category destructors
 */
export const render = ({ colour }: Style, line: Line): string => {
  if (!colour)
    return line
      .map(({ text }) => text)
      .join("")
      .trimEnd()
  return line.map(({ text, tone }) => (tone === "plain" ? text : `\u001B[${codes[tone]}m${text}\u001B[0m`)).join("")
}

const codes: { readonly [T in Exclude<Tone, "plain">]: number } = { strong: 1, dim: 2, good: 32, bad: 31, running: 33 }

/**
 * A row to draw on, a span for each column.
 *
 * @category constructors
 */
export const blank = (columns: number): Array<Span> => Array.from({ length: columns }, () => span(" "))

/**
 * Writes on a row; what does not fit is lost.
 *
 * @category running
 */
export const put = (cells: Array<Span>, at: number, text: string, tone: Tone): void => {
  for (const [i, char] of Array.from(text).entries()) if (at + i < cells.length) cells[at + i] = span(char, tone)
}

/**
 * `187 ms`, `1.25 s`.
 *
 * @category destructors
 */
export const millis = (millis: number): string =>
  millis < 1000 ? `${Math.round(millis)} ms` : `${Number((millis / 1000).toFixed(2))} s`

/**
 * `1,204`.
 *
 * @category destructors
 */
export const grouped = (count: number): string => count.toLocaleString("en-US")

/**
 * `1 request`, `1,204 requests`.
 *
 * @category destructors
 */
export const count = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`
