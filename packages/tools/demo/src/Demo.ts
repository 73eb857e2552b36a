/**
 * Plays scenes one after the other against one server, shows each as it ends, and sums up the requests that were saved.
 */
import { Clock, Effect, identity } from "effect"
import * as SteppedClock from "../../../http/test/support/SteppedClock.ts"
import * as Calls from "./Calls.ts"
import * as Fleet from "./Fleet.ts"
import * as Outage from "./Outage.ts"
import type { Line, Span, Style, Tone } from "./Paint.ts"
import * as Paint from "./Paint.ts"
import type { Promised } from "./Promised.ts"
import * as Run from "./Run.ts"
import type { Report, Scene, Tally } from "./Scene.ts"
import * as Server from "./Server.ts"
import * as Throttling from "./Throttling.ts"
import * as Upload from "./Upload.ts"

/**
 * @category constructors
 */
export const scenes: ReadonlyArray<Scene> = [
  ...Calls.scenes(),
  Upload.scene(),
  Outage.scene(),
  Throttling.scene(),
  Fleet.scene()
]

/**
 * @category models
 */
interface Options {
  readonly scenes: ReadonlyArray<Scene>
  readonly seed: string
  readonly style: Style
  readonly print: (text: string) => void
}

/**
 * Plays the scenes and answers whether all promises were kept.
 *
 * @category running
 */
export const run = ({ print, scenes, seed, style }: Options): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const show = (lines: ReadonlyArray<Line>) =>
      Effect.sync(() => print(lines.map((line) => `${Paint.render(style, line)}\n`).join("")))
    const startedMillis = yield* Clock.currentTimeMillis
    const server = yield* Server.make
    // The first call of a process is slow, which no scene should show.
    yield* Run.native({ server, seed, path: "/warm-up", steps: [Server.status(200)] }, identity)
    yield* show(opening(style, server.url, seed))
    const played = yield* Effect.forEach(scenes, (scene, i) =>
      Effect.gen(function* () {
        yield* show(heading(style, scene, i + 1))
        const report = yield* scene.play({ server, seed, path: `/${i + 1}` })
        yield* show([...report.figure(style), ...findings(style, report), []])
        return { scene, report }
      })
    )
    const tookMillis = (yield* Clock.currentTimeMillis) - startedMillis
    yield* show(summary(style, played, tookMillis))
    return brokenIn(played).length === 0
  }).pipe(Effect.scoped, SteppedClock.inSteps)

const opening = (style: Style, url: string, seed: string): ReadonlyArray<Line> => {
  const { cut, failed, succeeded, waiting } = style.glyphs
  return [
    ...Paint.paragraph(style, 0, "effect-retry beside plain retries, against a failing server", "strong"),
    ...Paint.paragraph(style, 0, `server ${url}, seed ${seed}; times are drawn to scale`, "dim"),
    ...Paint.paragraph(style, 0, "ours: up to 4 attempts, with exponential delays and jitter", "dim"),
    ...Paint.paragraph(style, 0, "native: retries of Effect and its HttpClient, as programs often write them", "dim"),
    ...Paint.paragraph(
      style,
      0,
      `${failed} failed  ${cut} timed out  ${succeeded} succeeded  ${waiting} waiting`,
      "dim"
    ),
    []
  ]
}

const heading = (style: Style, { title }: Scene, number: number): ReadonlyArray<Line> => {
  const head = `${number}  ${title} `
  if (head.length > style.width) return Paint.paragraph(style, 0, head.trimEnd(), "strong")
  const rule = style.glyphs.rule.repeat(Math.max(0, style.width - head.length))
  return [[Paint.span(head, "strong"), Paint.span(rule, "dim")]]
}

/** Why one side did better, and the promises that were broken. */
const findings = (style: Style, { promises, why }: Report): ReadonlyArray<Line> => {
  const broken = promises.flatMap(({ broken, text }) => (broken === undefined ? [] : [`BROKEN: ${text}; ${broken}`]))
  return broken.length === 0
    ? signed(style, true, why)
    : [...Paint.paragraph(style, 3, why, "dim"), ...broken.flatMap((text) => signed(style, false, text))]
}

/** A paragraph with a sign before it. */
const signed = (style: Style, kept: boolean, text: string): ReadonlyArray<Line> => {
  const sign = kept ? Paint.span(`   ${style.glyphs.kept}`, "good") : Paint.span(`   ${style.glyphs.broken}`, "bad")
  const [first = "", ...rest] = Paint.wrapped(style.width - 5, text)
  return [[sign, Paint.span(` ${first}`)], ...rest.map((line) => [Paint.span(`     ${line}`)])]
}

type Played = ReadonlyArray<{ readonly scene: Scene; readonly report: Report }>

const brokenIn = (played: Played): ReadonlyArray<Promised> =>
  played.flatMap(({ report }) => report.promises.filter(({ broken }) => broken !== undefined))

const summary = (style: Style, played: Played, tookMillis: number): ReadonlyArray<Line> => {
  const total = (side: "ours" | "native") => played.reduce((sum, { report }) => sum + report[side].requests, 0)
  const [ours, native] = [total("ours"), total("native")]
  const percent = Math.round((100 * (native - ours)) / Math.max(1, native))
  const saving = `${Paint.grouped(native - ours)} saved, ${percent} %`
  const broken = brokenIn(played).length
  const checked = Paint.count(played.flatMap(({ report }) => report.promises).length, "promise")
  const result = `${checked} checked, ${broken === 0 ? "all kept" : `${broken} broken`}, in ${Paint.millis(tookMillis)}`
  return [
    ...row(style, "Requests to the server", "strong", [Paint.span("ours"), Paint.span("native"), Paint.span("saved")]),
    ...played.flatMap(({ report, scene }, i) => row(style, `${i + 1}  ${scene.title}`, "plain", cells(report))),
    ...row(style, "   all", "strong", cells({ ours: { requests: ours }, native: { requests: native } })),
    [],
    ...Paint.paragraph(
      style,
      0,
      `The server saw ${Paint.count(ours, "request")} instead of ${Paint.grouped(native)}: ${saving}.`,
      "strong"
    ),
    [],
    ...signed(style, broken === 0, result)
  ]
}

/** The widths of the numbers. */
const columns = [14, 14, 8] as const

/** The title, on its own line if it does not fit beside the numbers. */
const row = (style: Style, title: string, tone: Tone, numbers: ReadonlyArray<Span>): ReadonlyArray<Line> => {
  const width = style.width - columns.reduce((sum, column) => sum + column, 0)
  const padded = numbers.map(({ text, tone }, i) => Paint.span(text.padStart(columns[i] ?? 0), tone))
  return title.length < width
    ? [[Paint.span(title.padEnd(width), tone), ...padded]]
    : [...Paint.paragraph(style, 0, title, tone), [Paint.span(" ".repeat(width)), ...padded]]
}

const cells = ({ native, ours }: Pick<Report, "native" | "ours">): ReadonlyArray<Span> => {
  const saved = native.requests - ours.requests
  return [cell(ours), cell(native), Paint.span(Paint.grouped(saved), saved > 0 ? "good" : "plain")]
}

const cell = ({ requests, succeeded }: Tally): Span => {
  const text = Paint.grouped(requests).padStart(5)
  if (succeeded === undefined) return Paint.span(text)
  return succeeded ? Paint.span(`ok ${text}`, "good") : Paint.span(`failed ${text}`, "bad")
}
