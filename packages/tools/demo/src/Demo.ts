/**
 * Plays scenes one after the other against one server, shows each as it ends, and sums up.
 */
import { HttpClientRequest } from "@effect/platform"
import { Clock, Effect } from "effect"
import type { Line, Style } from "./Paint.ts"
import * as Paint from "./Paint.ts"
import * as Client from "./Client.ts"
import type { Report, Scene, Tally } from "./Scene.ts"
import * as Deadline from "./scenes/Deadline.ts"
import * as Mixture from "./scenes/Mixture.ts"
import * as Keyed from "./scenes/Keyed.ts"
import * as NotFound from "./scenes/NotFound.ts"
import * as OneCounter from "./scenes/OneCounter.ts"
import * as Outage from "./scenes/Outage.ts"
import * as ResetAndHang from "./scenes/ResetAndHang.ts"
import * as Throttled from "./scenes/Throttled.ts"
import * as TwoFailures from "./scenes/TwoFailures.ts"
import * as Script from "./Script.ts"
import * as Server from "./Server.ts"
import * as Words from "./Words.ts"

/**
 * @category constructors
 */
export const scenes: ReadonlyArray<Scene> = [
  TwoFailures.scene(),
  Throttled.scene(),
  ResetAndHang.scene(),
  Deadline.scene(),
  NotFound.scene(),
  Keyed.scene(),
  OneCounter.scene(),
  Mixture.scene(),
  Outage.scene()
]

/**
 * @category models
 */
export interface Options {
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
export const run = ({ print, scenes, seed, style }: Options): Effect.Effect<boolean, Server.ServerFailed> =>
  Effect.gen(function* () {
    const show = (lines: ReadonlyArray<Line>) =>
      Effect.sync(() => print(lines.map((line) => `${Paint.render(style, line)}\n`).join("")))
    const startedMillis = yield* Clock.currentTimeMillis
    const server = yield* Server.make
    yield* warmUp(server)
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
    return played.every(({ report }) => report.promises.every(({ broken }) => broken === undefined))
  }).pipe(Effect.scoped)

/** The first call of a process is slow; no scene shall pay for it. */
const warmUp = (server: Server.ScriptedServer): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* server.play("/warm-up", Script.make(Script.status(200)))
    const client = yield* Client.make(Effect.succeed(1))
    yield* Effect.ignore(Client.send(client, HttpClientRequest.get(`${server.url}/warm-up`)))
  })

const opening = (style: Style, url: string, seed: string): ReadonlyArray<Line> => [
  [Paint.span("effect-retry", "strong"), Paint.span(" and plain Effect.retry, on real sockets")],
  Paint.line(`server ${url}, seed ${seed}; times to scale, in each scene on one axis`, "dim"),
  [
    Paint.span(`${style.glyphs.failed} failed`, "bad"),
    Paint.span(`  ${style.glyphs.cut} cut`, "running"),
    Paint.span(`  ${style.glyphs.succeeded} succeeded`, "good"),
    Paint.span(`  ${style.glyphs.waiting} waiting  `, "dim"),
    Paint.span(`${style.glyphs.running} running`)
  ],
  []
]

const heading = (style: Style, { intro, title }: Scene, number: number): ReadonlyArray<Line> => [
  [
    Paint.span(`${number}  ${title} `, "strong"),
    Paint.span(style.glyphs.rule.repeat(Math.max(0, style.width - title.length - 4)), "dim")
  ],
  ...intro.flatMap((text) => Paint.paragraph(style, 3, text, "dim"))
]

const findings = (style: Style, { notes, promises }: Report): ReadonlyArray<Line> => {
  const kept = promises.flatMap(({ broken, text }) => (broken === undefined ? [text] : []))
  const failed = promises.flatMap(({ broken, text }) => (broken === undefined ? [] : [`BROKEN: ${text}; ${broken}`]))
  return [
    ...notes.flatMap((note) => Paint.paragraph(style, 3, note, "dim")),
    ...(kept.length === 0 ? [] : signed(style, true, kept.join("; "))),
    ...failed.flatMap((text) => signed(style, false, text))
  ]
}

const signed = (style: Style, kept: boolean, text: string): ReadonlyArray<Line> =>
  Paint.paragraph(style, 5, text).map((line, i): Line => {
    if (i > 0) return line
    const sign = kept ? Paint.span(style.glyphs.kept, "good") : Paint.span(style.glyphs.broken, "bad")
    return [Paint.span("   "), sign, Paint.span(Paint.text(line).slice(4))]
  })

type Played = ReadonlyArray<{ readonly scene: Scene; readonly report: Report }>

const summary = (style: Style, played: Played, tookMillis: number): ReadonlyArray<Line> => {
  const promises = played.flatMap(({ report }) => report.promises)
  const broken = played.flatMap(({ report, scene }) =>
    report.promises.flatMap(({ broken, text }) => (broken === undefined ? [] : [`${scene.title}: ${text}; ${broken}`]))
  )
  const titleWidth = style.width - 2 * columnsWidth
  const total = (side: "ours" | "native"): Tally => sum(played.map(({ report }) => report[side]))
  return [
    [Paint.span("Summary".padEnd(titleWidth), "strong"), ...header("ours"), ...header("native")],
    ...played.map(({ report, scene }, i): Line => {
      const title = `${i + 1}  ${scene.title}`
      return [
        Paint.span((title.length < titleWidth ? title : `${title.slice(0, titleWidth - 4)}...`).padEnd(titleWidth)),
        ...cells(report.ours),
        ...cells(report.native)
      ]
    }),
    [Paint.span("   all".padEnd(titleWidth), "strong"), ...cells(total("ours")), ...cells(total("native"))],
    [],
    ...broken.flatMap((text) => signed(style, false, `BROKEN: ${text}`)),
    ...signed(
      style,
      broken.length === 0,
      `${promises.length} promises checked, ${broken.length === 0 ? "all kept" : `${broken.length} broken`}, in ${Words.seconds(tookMillis)}`
    )
  ]
}

/** Of result, requests and time on one side of the summary. */
const columnsWidth = 24

const header = (name: string): Line => [
  Paint.span(` ${name.padStart(7)}`, "strong"),
  Paint.span("  reqs    time", "dim"),
  Paint.span(" ")
]

const cells = ({ elapsedMillis, operations, requests, stopped, succeeded }: Tally): Line => {
  const one = succeeded === 1 ? "ok" : stopped === 1 ? "stopped" : "failed"
  const result = operations === 1 ? one : `${succeeded}/${operations}`
  return [
    Paint.span(` ${result.padStart(7)}`, succeeded === operations ? "good" : "bad"),
    Paint.span(`${String(requests).padStart(6)}${Words.seconds(elapsedMillis).padStart(8)}`),
    Paint.span(" ")
  ]
}

const sum = (tallies: ReadonlyArray<Tally>): Tally => {
  const total = (of: keyof Tally) => tallies.reduce((sum, tally) => sum + tally[of], 0)
  return {
    operations: total("operations"),
    succeeded: total("succeeded"),
    stopped: total("stopped"),
    requests: total("requests"),
    elapsedMillis: total("elapsedMillis")
  }
}
