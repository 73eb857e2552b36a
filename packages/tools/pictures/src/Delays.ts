/**
 * The delays of curves and jitters, as the plan has them.
 */
import { Backoff, Classic, Curve, Jitter } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"
import { Duration, Option } from "effect"
import * as Panels from "./Panels.ts"

const retries = 8

/** The delays of a back-off, on a scale up to `mostMillis`. */
export const panel = (name: string, backoff: Backoff.Backoff, mostMillis: number): Panels.Panel => {
  const delays = Plan.explain({ maxAttempts: retries + 1, backoff }).attempts.flatMap(({ delay }) =>
    Option.toArray(delay)
  )
  const share = (duration: Duration.Duration) => Math.min(1, Duration.toMillis(duration) / mostMillis)
  const last = delays.at(-1)
  const ends = last === undefined ? [] : [last.least, last.most].map(seconds)
  return {
    name,
    description: `${name}: the last delay is ${ends[0] === ends[1] ? ends[0] : `between ${ends.join(" and ")}`}.`,
    most: `${mostMillis / 1000} s`,
    bands: delays.map(({ least, most }, i) => ({
      from: (i + 0.12) / retries,
      to: (i + 0.88) / retries,
      least: share(least),
      most: share(most)
    })),
    line: delays.map(({ mean }, i) => [(i + 0.5) / retries, share(mean)])
  }
}

const seconds = (duration: Duration.Duration): string => `${Math.round(Duration.toMillis(duration) / 10) / 100} s`

const axis = ["retry 1", `retry ${retries}`] as const

const base = { base: "200 millis" } as const

const exponential = Backoff.exponential(base).pipe(Backoff.capped("4 seconds"))

/** The names are those of the constructors. */
export const curves = (): string =>
  Panels.draw({
    title: "Curves",
    intro: "The delay before each of eight retries, without jitter, from 200 ms and capped at 4 seconds.",
    axis,
    panels: (
      [
        ["constant", Backoff.constant({ delay: "1 second" })],
        ["linear", Backoff.fromCurve(Curve.linear({ ...base, step: "300 millis" }))],
        ["polynomial", Backoff.fromCurve(Curve.polynomial({ ...base, degree: 1.5 }))],
        ["fibonacci", Backoff.fromCurve(Curve.fibonacci(base))],
        ["exponential", Backoff.exponential(base)],
        ["factor 1.5", Backoff.exponential({ ...base, factor: 1.5 })],
        ["fromDelays", Backoff.fromDelays(["0 millis", "500 millis", "500 millis", "2 seconds", "3 seconds"])]
      ] as const
    ).map(([name, backoff]) => panel(name, Backoff.capped(backoff, "4 seconds"), 5000))
  })

/** The curves that draw by themselves are among the jitters. */
export const jitters = (): string =>
  Panels.draw({
    title: "Jitters",
    intro: "The delays that can be drawn, and their mean: exponential from 200 ms, capped at 4 seconds.",
    axis,
    panels: (
      [
        ["none", exponential],
        ["full", Backoff.jittered(exponential, Jitter.full)],
        ["equal", Backoff.jittered(exponential, Jitter.equal)],
        ["proportional", Backoff.jittered(exponential, Jitter.proportional({ ratio: 0.2 }))],
        ["additive", Backoff.jittered(exponential, Jitter.additive({ max: "1 second" }))],
        ["decorrelated", Backoff.capped(Backoff.fromCurve(Curve.decorrelated(base)), "4 seconds")],
        ["decorrelatedSmooth", Backoff.capped(Backoff.fromCurve(Curve.decorrelatedSmooth(base)), "4 seconds")]
      ] as const
    ).map(([name, backoff]) => panel(name, backoff, 5000))
  })

/** Each draws as its system does, or not at all. */
export const classics = (): string =>
  Panels.draw({
    title: "Classic",
    intro: "Delays of well-known systems: ethernet in slots of 500 ms, celery in seconds, connectRetry without chance.",
    axis,
    panels: (
      [
        ["ethernet", Classic.ethernet({ slot: "500 millis" })],
        ["celery", Classic.celery({ factor: 1 })],
        ["connectRetry", Classic.connectRetry({ maximum: "128 seconds" })]
      ] as const
    ).map(([name, backoff]) => panel(name, backoff, 128_000))
  })
