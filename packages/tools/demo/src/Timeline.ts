/**
 * Operations as timelines, drawn to scale on a common axis. Pure.
 */
import { Duration, Option } from "effect"
import type { Cell, Line, Style, Tone } from "./Paint.ts"
import * as Paint from "./Paint.ts"
import type { Run } from "./Run.ts"
import * as Script from "./Script.ts"
import * as Words from "./Words.ts"

/**
 * One attempt on a timeline. Times count from the start of the first attempt.
 *
 * @category models
 */
export interface Attempt {
  readonly startedMillis: number
  readonly endedMillis: number
  readonly outcome: "succeeded" | "failed" | "cut"
  /** What it is called where there is no room for a label. */
  readonly letter: string
  /** What to write below it, the longest text first; the first that fits is taken. */
  readonly labels: ReadonlyArray<string>
}

/**
 * @category models
 */
export interface Track {
  readonly name: string
  readonly attempts: ReadonlyArray<Attempt>
  readonly succeeded: boolean
  readonly ending: string
}

/**
 * A moment that is marked across all tracks.
 *
 * @category models
 */
export interface Bound {
  readonly atMillis: number
  readonly name: string
}

/**
 * What the server saw of a run, with what the toolkit told about each failure.
 *
 * @category conversions
 */
export const fromRun = ({ attempts, elapsedMillis, ending, name }: Run): Track => {
  const succeeded = ending._tag === "Succeeded"
  const [word, why] = succeeded ? ["ok", ""] : Words.stopped(ending)
  const made = `${Words.count(attempts.length, "attempt")}, ${Words.seconds(elapsedMillis)}`
  return {
    name,
    attempts: attempts.map((attempt) => fromAttempt(attempt, elapsedMillis)),
    succeeded,
    ending: `${word} after ${made}${why === "" ? "" : `: ${why}`}`
  }
}

const fromAttempt = ({ seen, startedMillis, told }: Run["attempts"][number], elapsedMillis: number): Attempt => {
  const label = seen === undefined ? "lost" : Script.label(seen.answer)
  const hint = told?.verdict._tag === "Retryable" ? told.verdict.hint : Option.none()
  const judged = told === undefined ? [] : [`${label}: ${Words.verdict(told.verdict)}`]
  const hinted = Option.isNone(hint) ? [] : judged.map((text) => `${text}, hint ${Words.duration(hint.value)}`)
  const open = seen === undefined || seen.answer._tag === "Hang"
  return {
    startedMillis,
    endedMillis: Option.getOrElse(seen?.endedMillis ?? Option.none(), () =>
      told === undefined ? elapsedMillis : Duration.toMillis(told.failedAfter)
    ),
    outcome: open ? "cut" : Script.isSuccess(seen.answer) ? "succeeded" : "failed",
    letter: seen === undefined ? "?" : Script.letter(seen.answer),
    labels: [...hinted, ...judged, label]
  }
}

/**
 * Draws tracks below each other, with times, verdicts and endings.
 *
 * @category destructors
 */
export const draw = (style: Style, tracks: ReadonlyArray<Track>, bound?: Bound): ReadonlyArray<Line> => {
  const axis = axisOf(style.width - nameWidth, tracks, bound)
  const indent = Paint.span(" ".repeat(nameWidth))
  return [
    ...tracks.flatMap((track): ReadonlyArray<Line> => {
      const { bar, below } = rows(style, axis, track.attempts, "labels")
      const name = Paint.span(`   ${track.name}`.padEnd(nameWidth), "strong")
      return [
        [name, ...Paint.spans(bar)],
        [indent, ...Paint.spans(below)],
        ...Paint.paragraph(style, nameWidth, track.ending, track.succeeded ? "good" : "bad")
      ]
    }),
    [indent, ...Paint.spans(ticks(style, axis))]
  ]
}

/**
 * Draws one pair of tracks per line, side by side, with letters for attempts and a sign for what did not succeed.
 *
 * @category destructors
 */
export const drawSideBySide = (
  style: Style,
  names: readonly [left: string, right: string],
  pairs: ReadonlyArray<readonly [left: Track, right: Track]>
): ReadonlyArray<Line> => {
  const columns = Math.floor((style.width - numberWidth - gap.length) / 2)
  const axis = axisOf(columns, pairs.flat(), undefined)
  const half = ({ attempts, succeeded }: Track) => {
    const { bar } = rows(style, axis, attempts, "letters")
    return Paint.spans(succeeded ? bar : [...bar.slice(0, -1), { char: style.glyphs.broken, tone: "bad" }])
  }
  const indent = Paint.span(" ".repeat(numberWidth))
  const axisLine = Paint.spans(ticks(style, axis))
  return [
    [indent, Paint.span(names[0].padEnd(columns) + gap, "strong"), Paint.span(names[1], "strong")],
    ...pairs.map(([left, right], i): Line => {
      const number = Paint.span(`${String(i + 1).padStart(numberWidth - 2)}  `, "dim")
      return [number, ...half(left), Paint.span(gap), ...half(right)]
    }),
    [indent, ...axisLine, Paint.span(gap), ...axisLine]
  ]
}

const nameWidth = 11
const numberWidth = 7
const gap = "   "

interface Axis {
  readonly columns: number
  readonly endMillis: number
  readonly bound: Bound | undefined
}

/** Room for the label of an attempt that starts at the very end. */
const lastLabelWidth = 5

const axisOf = (columns: number, tracks: ReadonlyArray<Track>, bound: Bound | undefined): Axis => ({
  columns,
  endMillis: Math.max(
    1,
    bound?.atMillis ?? 0,
    ...tracks.flatMap(({ attempts }) => attempts.map(({ endedMillis }) => endedMillis))
  ),
  bound
})

const columnOf = ({ columns, endMillis }: Axis, millis: number): number =>
  Math.round((millis / endMillis) * (columns - lastLabelWidth))

interface Placed {
  readonly attempt: Attempt
  readonly from: number
  /** The column after its last. */
  readonly to: number
  /** Of the attempt after it. */
  readonly next: { readonly from: number; readonly startedMillis: number } | undefined
}

/** To scale, but never so close that the shortest labels touch, unless there are too many of them. */
const place = (axis: Axis, attempts: ReadonlyArray<Attempt>, kind: "labels" | "letters"): ReadonlyArray<Placed> => {
  const most = Math.max(1, Math.floor(axis.columns / Math.max(1, attempts.length)))
  const width = ({ labels }: Attempt) => Math.min(kind === "letters" ? 1 : (labels.at(-1) ?? "").length + 1, most)
  const leftmost: Array<number> = []
  let least = 0
  for (const attempt of attempts) {
    const from = Math.max(columnOf(axis, attempt.startedMillis), least)
    leftmost.push(from)
    least = from + width(attempt)
  }
  const placed: Array<Placed> = []
  let end = axis.columns
  for (const [i, attempt] of [...attempts.entries()].toReversed()) {
    const from = Math.max(0, Math.min(leftmost[i] ?? 0, end - width(attempt)))
    const following = attempts[i + 1]
    const next = following && { from: end, startedMillis: following.startedMillis }
    const to = Math.min(Math.max(from, columnOf(axis, attempt.endedMillis)) + 1, end)
    placed.unshift({ attempt, from, to, next })
    end = from
  }
  return placed
}

interface Rows {
  readonly bar: ReadonlyArray<Cell>
  readonly below: ReadonlyArray<Cell>
}

const rows = (style: Style, axis: Axis, attempts: ReadonlyArray<Attempt>, kind: "labels" | "letters"): Rows => {
  const { glyphs } = style
  const bar = Paint.blank(axis.columns)
  const below = Paint.blank(axis.columns)
  const timed = (millis: number) => (kind === "labels" ? Words.millis(millis) : "")
  for (const { attempt, from, next, to } of place(axis, attempts, kind)) {
    const { endedMillis, labels, letter, outcome, startedMillis } = attempt
    const tone = tones[outcome]
    fill(bar, from + 1, to, glyphs.running, tone, timed(endedMillis - startedMillis))
    if (outcome === "cut") Paint.put(bar, to - 1, glyphs.cut, tone)
    const glyph = outcome === "succeeded" ? glyphs.succeeded : kind === "letters" ? letter : glyphs.failed
    Paint.put(bar, from, glyph, tone)
    if (next !== undefined) {
      fill(bar, to, next.from, glyphs.waiting, "dim", timed(next.startedMillis - endedMillis))
    }
    const room = next === undefined ? axis.columns - from : next.from - from - 1
    Paint.put(below, from, labels.find(({ length }) => length <= room) ?? "", tone)
  }
  if (axis.bound !== undefined) {
    const column = columnOf(axis, axis.bound.atMillis)
    const around = bar.slice(Math.max(0, column - 1), column + 2)
    // Neither on an attempt nor in the middle of a text.
    if (around.every(({ char }) => char === " " || char === glyphs.waiting)) {
      Paint.put(bar, column, glyphs.bound, "running")
    }
  }
  return { bar, below }
}

const tones: { readonly [O in Attempt["outcome"]]: Tone } = { succeeded: "good", failed: "bad", cut: "running" }

/** A run of one character, with a text in its middle where that leaves two of them on either side. */
const fill = (cells: Array<Cell>, from: number, to: number, char: string, tone: Tone, text: string): void => {
  if (to <= from) return
  Paint.put(cells, from, char.repeat(to - from), tone)
  const around = to - from - text.length - 2
  if (text !== "" && around >= 4) Paint.put(cells, from + Math.floor(around / 2), ` ${text} `, tone)
}

const ticks = ({ glyphs }: Style, axis: Axis): ReadonlyArray<Cell> => {
  const cells = Paint.blank(axis.columns)
  const bound = placeBound(glyphs.bound, axis)
  const stepMillis = steps.find((step) => columnOf(axis, step) >= tickWidth) ?? Infinity
  for (let millis = 0; millis <= axis.endMillis; millis += stepMillis) {
    const column = columnOf(axis, millis)
    const text = `${glyphs.tick} ${millis === 0 ? "0" : Words.millis(millis)}`
    if (column + text.length < Math.min(bound.column, axis.columns + 1)) Paint.put(cells, column, text, "dim")
  }
  Paint.put(cells, bound.column, bound.text, "running")
  return cells
}

/** The sign stands where the bound is; its text on the side that has room. */
const placeBound = (sign: string, axis: Axis): { readonly column: number; readonly text: string } => {
  if (axis.bound === undefined) return { column: Infinity, text: "" }
  const { atMillis, name } = axis.bound
  const column = columnOf(axis, atMillis)
  const text = `${name} ${Words.millis(atMillis)}`
  return column + 2 + text.length <= axis.columns
    ? { column, text: `${sign} ${text}` }
    : { column: Math.max(0, column - text.length - 1), text: `${text} ${sign}` }
}

const steps = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]

/** Of a tick with its text and a blank. */
const tickWidth = 9
