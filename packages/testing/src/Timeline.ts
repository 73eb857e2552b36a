/**
 * What a retried effect did and when: every attempt and every wait, with its virtual time.
 *
 * Attempts are noticed where an effect is wrapped by `Timeline.attempt`; the steps of a `Scripted` service are already.
 * What lies between two attempts is a wait. Timelines are plain data: compare them, or print them.
 */
import { Cause, Clock, Context, Duration, Effect, Exit, Option } from "effect"

/**
 * @category models
 */
export type Outcome = "succeeded" | "failed" | "died" | "interrupted"

/**
 * An attempt. Times count from the start of the recording.
 *
 * @category models
 */
export interface Attempt {
  readonly _tag: "Attempt"
  /** In the order of starting, from 1. */
  readonly number: number
  readonly start: Duration.Duration
  readonly end: Duration.Duration
  readonly outcome: Outcome
  /** The error, the defect or the value, in short. */
  readonly detail: string
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
 * @category models
 */
export interface Timeline<out A = unknown, out E = unknown> {
  readonly entries: ReadonlyArray<Attempt | Wait>
  /** What the recorded effect came to. */
  readonly exit: Exit.Exit<A, E>
}

interface Recorder {
  readonly attempts: Array<Attempt>
  started: number
  readonly startMillis: number
}

class CurrentRecorder extends Context.Reference<CurrentRecorder>()("@effect-retry/testing/CurrentRecorder", {
  defaultValue: (): Recorder | undefined => undefined
}) {}

/**
 * Marks an effect as one attempt of whatever is recorded around it.
 *
 * @category combinators
 */
export const attempt = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentRecorder, (recorder) =>
    recorder === undefined
      ? self
      : Effect.flatMap(sinceStart(recorder), (start) => {
          const number = ++recorder.started
          return Effect.onExit(self, (exit) =>
            Effect.map(sinceStart(recorder), (end) => {
              recorder.attempts.push({ _tag: "Attempt", number, start, end, ...ended(exit) })
            })
          )
        })
  )

/**
 * Runs an effect and answers its timeline. Never fails: the effect's own end is in `exit`.
 *
 * @category running
 */
export const record = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<Timeline<A, E>, never, R> =>
  Effect.gen(function* () {
    const recorder: Recorder = { attempts: [], started: 0, startMillis: yield* Clock.currentTimeMillis }
    const exit = yield* Effect.exit(Effect.provideService(self, CurrentRecorder, recorder))
    return { entries: withWaits(recorder.attempts, yield* sinceStart(recorder)), exit }
  })

/**
 * The attempts alone.
 *
 * @category destructors
 */
export const attempts = (self: Timeline): ReadonlyArray<Attempt> =>
  self.entries.filter((entry) => entry._tag === "Attempt")

/**
 * The waits alone.
 *
 * @category destructors
 */
export const waits = (self: Timeline): ReadonlyArray<Wait> => self.entries.filter((entry) => entry._tag === "Wait")

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
  waits(self).map(({ end, start }) => Duration.toMillis(end) - Duration.toMillis(start))

/**
 * One line an entry, such as `   100ms  attempt 2  failed: Busy (20ms)`.
 *
 * @category destructors
 */
export const toText = (self: Timeline): string =>
  self.entries
    .map((entry) => {
      const took = Duration.format(Duration.subtract(entry.end, entry.start))
      const at = Duration.format(entry.start).padStart(10)
      return entry._tag === "Wait"
        ? `${at}  wait ${took}`
        : `${at}  attempt ${entry.number}  ${entry.outcome}${entry.detail === "" ? "" : `: ${entry.detail}`} (${took})`
    })
    .join("\n")

const sinceStart = ({ startMillis }: Recorder): Effect.Effect<Duration.Duration> =>
  Effect.map(Clock.currentTimeMillis, (now) => Duration.millis(now - startMillis))

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

const ended = (exit: Exit.Exit<unknown, unknown>): Pick<Attempt, "outcome" | "detail"> => {
  if (Exit.isSuccess(exit)) return { outcome: "succeeded", detail: short(exit.value) }
  if (Cause.isInterruptedOnly(exit.cause)) return { outcome: "interrupted", detail: "" }
  const error = Cause.failureOption(exit.cause)
  return Option.isSome(error)
    ? { outcome: "failed", detail: short(error.value) }
    : { outcome: "died", detail: short(Cause.squash(exit.cause)) }
}

const short = (value: unknown): string => {
  if (value === undefined) return ""
  if (typeof value === "object" && value !== null && "_tag" in value) return String(value._tag)
  return (value instanceof Error ? value.name : String(value)).slice(0, 40)
}
