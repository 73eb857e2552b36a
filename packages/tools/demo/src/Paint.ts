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
 * @category models
 */
export interface Glyphs {
  readonly failed: string
  readonly succeeded: string
  readonly cut: string
  readonly waiting: string
  readonly running: string
  readonly bound: string
  readonly tick: string
  readonly kept: string
  readonly broken: string
  readonly rule: string
  /** Bars of growing height, the empty one first. */
  readonly bars: ReadonlyArray<string>
}

/**
 * @category constructors
 */
export const unicode: Glyphs = {
  failed: "■",
  succeeded: "●",
  cut: "╳",
  waiting: "─",
  running: "━",
  bound: "┊",
  tick: "╵",
  kept: "✔",
  broken: "✘",
  rule: "─",
  bars: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
}

/**
 * @category constructors
 */
export const ascii: Glyphs = {
  failed: "#",
  succeeded: "o",
  cut: "X",
  waiting: "-",
  running: "=",
  bound: ":",
  tick: "'",
  kept: "+",
  broken: "!",
  rule: "-",
  bars: [" ", ".", "#"]
}

/**
 * Reads off the environment what the output can show: 80 columns, no colour and ASCII where nothing is known.
 *
 * Source of `NO_COLOR`: https://no-color.org, "when present and not an empty string".
 *
 * @category constructors
 */
export const style = (
  env: { readonly [name: string]: string | undefined },
  output: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined }
): Style => ({
  width: Math.min(Math.max(output.columns || 80, narrowest), widest),
  colour: output.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb",
  glyphs: /utf-?8/i.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "") ? unicode : ascii
})

/** Below this a line of the table does not fit, and the terminal wraps it. */
const narrowest = 72

const widest = 120

/**
 * @category constructors
 */
export const span = (text: string, tone: Tone = "plain"): Span => ({ text, tone })

/**
 * @category constructors
 */
export const line = (text: string, tone: Tone = "plain"): Line => [span(text, tone)]

/**
 * Breaks a text into lines of the style's width, all of them indented.
 *
 * @category constructors
 */
export const paragraph = (
  { width }: Style,
  indent: number,
  text: string,
  tone: Tone = "plain"
): ReadonlyArray<Line> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && indent + last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.map((text) => line(" ".repeat(indent) + text, tone))
}

/**
 * The text of a line, with codes of colour where the style has it, and without blanks at its end.
 *
 * @category destructors
 */
export const render = ({ colour }: Style, line: Line): string => {
  if (!colour) return text(line).trimEnd()
  return line.map(({ text, tone }) => (tone === "plain" ? text : `\u001B[${codes[tone]}m${text}\u001B[0m`)).join("")
}

/**
 * @category destructors
 */
export const text = (line: Line): string => line.map(({ text }) => text).join("")

/**
 * One character of a row that is drawn on.
 *
 * @category models
 */
export interface Cell {
  readonly char: string
  readonly tone: Tone
}

/**
 * @category constructors
 */
export const blank = (columns: number): Array<Cell> =>
  Array.from({ length: columns }, () => ({ char: " ", tone: "plain" }))

/**
 * Writes on a row; what does not fit is lost.
 *
 * @category running
 */
export const put = (cells: Array<Cell>, at: number, text: string, tone: Tone): void => {
  for (const [i, char] of Array.from(text).entries()) if (at + i < cells.length) cells[at + i] = { char, tone }
}

/**
 * Neighbours of one tone become one span.
 *
 * @category conversions
 */
export const spans = (cells: ReadonlyArray<Cell>): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  for (const { char, tone } of cells) {
    const last = spans.at(-1)
    if (last?.tone === tone) spans[spans.length - 1] = span(last.text + char, tone)
    else spans.push(span(char, tone))
  }
  return spans
}

const codes: { readonly [T in Exclude<Tone, "plain">]: number } = { strong: 1, dim: 2, good: 32, bad: 31, running: 33 }
