/**
 * What a retried effect did and when: every attempt and every wait, with their virtual times.
 *
 * Wrap an effect in `Timeline.attempt` to record its attempts; the steps of a `Scripted` service already are. The time
 * between two attempts is a wait. Timelines are plain data: compare them, print them, or check them with `Expect`.
 * Setting the wall clock does not affect them.
 */
import * as Nanos from "@effect-retry/plan/unstable/Nanos"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Ending from "./Ending.ts"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"

/**
 * A recorded attempt. Times count from the start of the recording.
 *
 * @category models
 */
export interface Attempt extends Ending.Ending {
  readonly _tag: "Attempt"
  /** Its place in the order of starting, from 1. */
  readonly number: number
  readonly start: Duration.Duration
  readonly end: Duration.Duration
}

/**
 * A time in which no attempt ran.
 *
 * @category models
 */
export interface Wait {
  readonly _tag: "Wait"
  readonly start: Duration.Duration
  readonly end: Duration.Duration
}

/**
 * A recording. Attempts that outlive it are not included.
 *
 * @category models
 */
export interface Timeline<out A = unknown, out E = unknown> {
  readonly entries: ReadonlyArray<Attempt | Wait>
  /** How long the recorded effect took. */
  readonly elapsed: Duration.Duration
  /** How the recorded effect ended. */
  readonly exit: Exit.Exit<A, E>
}

interface Recorder {
  readonly attempts: Array<Attempt>
  started: number
  readonly sinceStart: Effect.Effect<Duration.Duration>
}

class CurrentRecorder extends Context.Reference<CurrentRecorder>()("@effect-retry/testing/CurrentRecorder", {
  defaultValue: (): Recorder | undefined => undefined
}) {}

/**
 * Marks an effect as one attempt of the recording around it.
 *
 * @category combinators
 */
export const attempt = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentRecorder, (recorder) =>
    recorder === undefined
      ? self
      : Effect.flatMap(recorder.sinceStart, (start) => {
          const number = ++recorder.started
          return Effect.onExit(self, (exit) =>
            Effect.map(recorder.sinceStart, (end) => {
              recorder.attempts.push({ _tag: "Attempt", number, start, end, ...Ending.fromExit(exit) })
            })
          )
        })
  )

/**
 * Runs an effect and returns its timeline. Never fails: the effect's own end is in `exit`.
 *
 * @category running
 */
export const record = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<Timeline<A, E>, never, R> =>
  Effect.gen(function* () {
    const recorder: Recorder = {
      attempts: [],
      started: 0,
      sinceStart: sinceNow(yield* Effect.clockWith(Effect.succeed))
    }
    const exit = yield* Effect.exit(Effect.provideService(self, CurrentRecorder, recorder))
    const elapsed = yield* recorder.sinceStart
    return { entries: withWaits(recorder.attempts, elapsed), elapsed, exit }
  })

/**
 * Whether two runs did the same at the same times and ended alike. Values and errors are compared as text, because an
 * error is a different object in every run.
 *
 * @category destructors
 */
export function equals(that: Timeline): (self: Timeline) => boolean
export function equals(self: Timeline, that: Timeline): boolean
export function equals(...given: Given): any {
  return dual(given, (self: Timeline, that: Timeline): boolean => exactly(self) === exactly(that))
}

/**
 * Only the attempts.
 *
 * @category destructors
 */
export const attempts = (self: Timeline): ReadonlyArray<Attempt> =>
  self.entries.filter((entry) => entry._tag === "Attempt")

/**
 * Only the waits.
 *
 * @category destructors
 */
export const waits = (self: Timeline): ReadonlyArray<Wait> => self.entries.filter((entry) => entry._tag === "Wait")

/**
 * How long an attempt or a wait took.
 *
 * @category destructors
 */
export const took = ({ end, start }: Attempt | Wait): Duration.Duration => Duration.subtract(end, start)

/**
 * When the attempts started, in milliseconds.
 *
 * @category destructors
 */
export const startsMillis = (self: Timeline): ReadonlyArray<number> =>
  attempts(self).map((entry) => Duration.toMillis(entry.start))

/**
 * How long the waits were, in milliseconds.
 *
 * @category destructors
 */
export const waitsMillis = (self: Timeline): ReadonlyArray<number> =>
  waits(self).map((wait) => Duration.toMillis(took(wait)))

/**
 * One line for each entry, such as `100ms  attempt 2  failed: Busy (20ms)`, and one for how the effect ended.
 *
 * @category destructors
 */
export const toText = ({ elapsed, entries, exit }: Timeline): string => {
  const lines = [
    ...entries.map((entry) => [Duration.format(entry.start), describe(entry)] as const),
    [Duration.format(elapsed), Ending.toText(Ending.fromExit(exit))] as const
  ]
  const width = Math.max(...lines.map(([at]) => at.length))
  return lines.map(([at, text]) => `${at.padStart(width)}  ${text}`).join("\n")
}

const describe = (entry: Attempt | Wait): string => {
  const lasted = Duration.format(took(entry))
  return entry._tag === "Wait" ? `wait ${lasted}` : `attempt ${entry.number}  ${Ending.toText(entry)} (${lasted})`
}

/** The same with times to the nanosecond. */
const exactly = ({ elapsed, entries, exit }: Timeline): string =>
  JSON.stringify([entries, elapsed, Ending.fromExit(exit)])

/** The clock of the recording, even if an attempt has another one. */
const sinceNow = (clock: Clock.Clock): Effect.Effect<Duration.Duration> => {
  const start = Nanos.read(clock)
  return Effect.sync(() => Nanos.toDuration(Nanos.read(clock) - start))
}

const withWaits = (recorded: ReadonlyArray<Attempt>, end: Duration.Duration): ReadonlyArray<Attempt | Wait> => {
  const entries: Array<Attempt | Wait> = []
  let idleSince = Duration.zero
  const waitUntil = (start: Duration.Duration) => {
    if (Duration.lessThan(idleSince, start)) entries.push({ _tag: "Wait", start: idleSince, end: start })
  }
  for (const entry of recorded.toSorted((a, b) => a.number - b.number)) {
    waitUntil(entry.start)
    entries.push(entry)
    idleSince = Duration.max(idleSince, entry.end)
  }
  waitUntil(end)
  return entries
}
