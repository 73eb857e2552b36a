/**
 * Two operations drawn on one axis: when each called the server, what it waited, and how it ended. Pure.
 */
import { Timeline } from "@effect-retry/testing"
import { Duration, Exit } from "effect"
import * as Svg from "./Svg.ts"

/**
 * @category models
 */
interface Scene {
  readonly title: string
  readonly intro: string
  /** The operations, by the name of the function that retries. */
  readonly runs: Readonly<Record<string, Timeline.Timeline>>
  /** The length of the axis, and the distance between two ticks, in seconds. */
  readonly axis: { readonly until: number; readonly step: number }
  /** A stretch of time that both share. */
  readonly band?: { readonly until: number; readonly name: string }
  /** The time after which the caller has no use for an answer. */
  readonly deadline?: number
}

const width = 760
const left = 124
const right = 28
const top = 74
const laneHeight = 64

/**
 * @category destructors
 */
export const draw = (scene: Scene): string => {
  const runs = Object.entries(scene.runs)
  const bottom = top + laneHeight * runs.length
  const at = (seconds: number) => left + (seconds / scene.axis.until) * (width - left - right)
  return Svg.picture({ width, height: bottom + 34 }, { ...scene, description: describe(scene) }, [
    ...bandOf(scene, at, bottom),
    ...axisOf(scene, at, bottom),
    ...runs.flatMap(([name, timeline], lane) => laneOf({ name, timeline, at, y: top + lane * laneHeight })),
    ...deadlineOf(scene, at, bottom)
  ])
}

type Axis = (seconds: number) => number

const bandOf = ({ band }: Scene, at: Axis, bottom: number): ReadonlyArray<string> =>
  band === undefined
    ? []
    : [
        Svg.element("rect", {
          class: "band",
          x: at(0),
          y: top - 12,
          width: at(band.until) - at(0),
          height: bottom - top + 12
        }),
        Svg.text(at(band.until) - 6, top + 2, "quiet end", band.name)
      ]

const deadlineOf = ({ deadline }: Scene, at: Axis, bottom: number): ReadonlyArray<string> =>
  deadline === undefined
    ? []
    : [
        Svg.element("path", { class: "cut", d: `M${at(deadline)} ${top - 12}V${bottom}` }),
        Svg.text(at(deadline) + 6, top - 2, "", `the caller waits ${deadline} s`)
      ]

const axisOf = ({ axis }: Scene, at: Axis, bottom: number): ReadonlyArray<string> => [
  Svg.element("path", { class: "line", d: `M${at(0)} ${bottom}H${width - right}` }),
  ...Array.from({ length: Math.floor(axis.until / axis.step) + 1 }, (_, i) => i * axis.step).flatMap((seconds) => [
    Svg.element("path", { class: "line", d: `M${round(at(seconds))} ${bottom}v5` }),
    Svg.text(at(seconds), bottom + 20, "quiet mid", `${seconds} s`)
  ])
]

interface Lane {
  readonly name: string
  readonly timeline: Timeline.Timeline
  readonly at: Axis
  readonly y: number
}

const laneOf = ({ at, name, timeline, y }: Lane): ReadonlyArray<string> => {
  const bar = y + 18
  return [
    Svg.text(at(0) - 12, bar + 4, "name end", name),
    Svg.element("path", { class: "line", d: `M${at(0)} ${bar}H${round(at(seconds(timeline.elapsed)))}` }),
    ...Timeline.attempts(timeline).flatMap((attempt) => attemptOf(attempt, at, bar)),
    ...Timeline.waits(timeline).flatMap((wait) => waitOf(wait, at, bar)),
    Svg.text(at(0), bar + 30, Exit.isSuccess(timeline.exit) ? "good" : "bad", ending(timeline))
  ]
}

const attemptOf = ({ end, outcome, start }: Timeline.Attempt, at: Axis, y: number): ReadonlyArray<string> => {
  const [from, to] = [at(seconds(start)), at(seconds(end))]
  const tone = outcome === "succeeded" ? "good" : "bad"
  return [Svg.element("rect", { class: tone, x: from, y: y - 8, width: Math.max(5, to - from - 1), height: 16, rx: 2 })]
}

/** The length of a wait, if there is room for it. */
const waitOf = (wait: Timeline.Wait, at: Axis, y: number): ReadonlyArray<string> => {
  const [from, to] = [at(seconds(wait.start)), at(seconds(wait.end))]
  const words = to - from < 90 ? [] : [`waits ${toText(Timeline.took(wait))}`]
  return words.map((text) => Svg.text((from + to) / 2, y - 6, "quiet mid", text))
}

const ending = (timeline: Timeline.Timeline): string => {
  const count = Timeline.attempts(timeline).length
  const how = Exit.isSuccess(timeline.exit) ? "succeeds" : "fails"
  return `${how} after ${toText(timeline.elapsed)}, ${count} requests`
}

const describe = ({ intro, runs }: Scene): string =>
  [
    intro,
    ...Object.entries(runs).map(
      ([name, timeline]) =>
        `${name} calls at ${Timeline.startsMillis(timeline).map(Math.round).join(", ")} ms and ${ending(timeline)}.`
    )
  ].join(" ")

const seconds = (duration: Duration.Duration): number => Duration.toMillis(duration) / 1000

const toText = (duration: Duration.Duration): string => `${seconds(duration).toFixed(1)} s`

const round = (pixels: number): number => Math.round(pixels * 10) / 10
