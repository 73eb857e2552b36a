/**
 * Operations drawn to scale, one below the other. Pure.
 */
import { Timeline } from "@effect-retry/testing"
import { Duration, Exit } from "effect"
import type { Line, Span, Style, Tone } from "./Paint.ts"
import * as Paint from "./Paint.ts"
import type { Run } from "./Run.ts"

const nameWidth = 11

/** Room for the label of an attempt that starts at the very end. */
const lastLabelWidth = 5

/**
 * Draws each run with its attempts and waits, what the server answered, and how the toolkit judged it; below them, how all
 * of them ended.
 *
 * @category destructors
 */
export const draw = (style: Style, runs: ReadonlyArray<Run>): ReadonlyArray<Line> => {
  const columns = style.width - nameWidth
  const endMillis = Math.max(1, ...runs.flatMap(marksOf).map((mark) => mark.endMillis))
  const at = (millis: number) => Math.round((millis / endMillis) * (columns - lastLabelWidth))
  const indent = Paint.span(" ".repeat(nameWidth))
  return [
    ...runs.flatMap((run): ReadonlyArray<Line> => {
      const { bar, labels } = rows(style, { columns, at }, marksOf(run))
      return [
        [Paint.span(`   ${run.name}`.padEnd(nameWidth), "strong"), ...bar],
        [indent, ...labels]
      ]
    }),
    ...Paint.paragraph(style, 3, runs.map(ending).join("; "), "plain")
  ]
}

const ending = ({ name, timeline }: Run): string => {
  const made = Paint.count(Timeline.attempts(timeline).length, "attempt")
  const took = Paint.millis(Duration.toMillis(timeline.elapsed))
  return `${name}: ${Exit.isSuccess(timeline.exit) ? "succeeded" : "failed"}, ${made}, ${took}`
}

/** One attempt. Times count from the start of the first one. */
interface Mark {
  readonly startMillis: number
  readonly endMillis: number
  readonly outcome: "succeeded" | "failed" | "cut"
  /** What to write below it, the longest text first; the first that fits is taken. */
  readonly labels: readonly [string, ...ReadonlyArray<string>]
}

const marksOf = ({ arrivals, timeline, verdicts }: Run): ReadonlyArray<Mark> => {
  const [first] = Timeline.startsMillis(timeline)
  return Timeline.attempts(timeline).map(({ end, number, outcome, start }): Mark => {
    const answer = arrivals.find(({ attempt }) => attempt === number)?.answer ?? "lost"
    const verdict = verdicts.get(number)
    const judged = verdict?._tag === "Retryable" ? verdict.kind : verdict?._tag
    return {
      startMillis: Duration.toMillis(start) - (first ?? 0),
      endMillis: Duration.toMillis(end) - (first ?? 0),
      outcome: outcome === "interrupted" ? "cut" : answer === "200" ? "succeeded" : "failed",
      labels: judged === undefined ? [answer] : [`${answer}: ${judged}`, answer]
    }
  })
}

/** `at` is the column of a time. */
type Axis = { readonly columns: number; readonly at: (millis: number) => number }

const rows = ({ glyphs }: Style, axis: Axis, marks: ReadonlyArray<Mark>) => {
  const bar = Paint.blank(axis.columns)
  const labels = Paint.blank(axis.columns)
  const starts = place(axis, marks)
  for (const [i, mark] of marks.entries()) {
    const tone = tones[mark.outcome]
    const from = starts[i] ?? 0
    const end = starts[i + 1] ?? axis.columns
    const to = Math.min(Math.max(from, axis.at(mark.endMillis)) + 1, end)
    const next = marks[i + 1]
    fill(bar, from + 1, to, glyphs.running, tone, mark.endMillis - mark.startMillis)
    Paint.put(bar, from, mark.outcome === "succeeded" ? glyphs.succeeded : glyphs.failed, tone)
    if (mark.outcome === "cut") Paint.put(bar, to - 1, glyphs.cut, tone)
    if (next !== undefined) fill(bar, to, end, glyphs.waiting, "dim", next.startMillis - mark.endMillis)
    const room = end - from - (next === undefined ? 0 : 1)
    Paint.put(labels, from, mark.labels.find(({ length }) => length <= room) ?? "", tone)
  }
  return { bar, labels }
}

/** The columns where attempts start: to scale, but never so close that the shortest labels touch, if there is room. */
const place = ({ at, columns }: Axis, marks: ReadonlyArray<Mark>): ReadonlyArray<number> => {
  const most = Math.max(1, Math.floor(columns / Math.max(1, marks.length)))
  const widths = marks.map(({ labels }) => Math.min((labels.at(-1) ?? "").length + 1, most))
  let least = 0
  let latest = columns - widths.reduce((sum, width) => sum + width, 0)
  return marks.map(({ startMillis }, i) => {
    const from = Math.max(least, Math.min(at(startMillis), latest))
    least = from + (widths[i] ?? 0)
    latest += widths[i] ?? 0
    return from
  })
}

const tones: { readonly [O in Mark["outcome"]]: Tone } = { succeeded: "good", failed: "bad", cut: "running" }

/** A run of one character, with its length in the middle if that leaves two of them on either side. */
const fill = (cells: Array<Span>, from: number, to: number, char: string, tone: Tone, millis: number): void => {
  const text = ` ${Paint.millis(millis)} `
  const around = to - from - text.length
  Paint.put(cells, from, char.repeat(Math.max(0, to - from)), tone)
  if (around >= 4) Paint.put(cells, from + Math.floor(around / 2), text, tone)
}
