/**
 * Log lines of retried operations.
 */
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as AtOnce from "../fund/fiber/AtOnce.ts"
import type { Observer, RetryEvent } from "../loop/policy/RetryEvent.ts"
import { attributes } from "./Attributes.ts"
import { line } from "./EventText.ts"
import * as Telemetry from "./TelemetryLine.ts"

/** The log level of each event. */
type Levels = { readonly [T in RetryEvent["_tag"]]?: LogLevel.LogLevel }

/**
 * Logs each event as one line, such as `gave up: GET api.example → 503 after 4 attempts, 1.2 s (all attempts spent)`, with
 * its attributes as annotations.
 *
 * Events without a given level use the defaults below; `LogLevel.None` silences one. A line below the minimum log level
 * costs only a comparison: the bucket is not asked for its level, and no text is built. Texts from outside are cut at
 * 200 characters and have no line breaks.
 *
 * The lines go to every logger but `Logger.tracerLogger`, with which Effect turns log lines into events of the current span.
 * Adding events to spans is the task of `spanEvents`, so a policy with both writes each event once.
 *
 * @category constructors
 */
export const logs = (levels: Levels = {}): Observer => {
  const all = { ...defaults, ...levels }
  return (event) => (all[event._tag] === LogLevel.None ? Effect.void : logged(event, all[event._tag]))
}

const logged = (event: RetryEvent, level: LogLevel.LogLevel): Effect.Effect<void> =>
  AtOnce.suspend(() =>
    Telemetry.isBelowMinimum(level, AtOnce.currentFiber())
      ? Effect.void
      : Effect.flatMap(attributes(event), (shown) =>
          // Other loggers still see the span, and can show its trace.
          Telemetry.outsideOfSpans(Effect.annotateLogs(Telemetry.log(level, line(event)), shown))
        )
  )

const defaults: Required<Levels> = {
  AttemptFailed: LogLevel.Debug,
  RetryScheduled: LogLevel.Info,
  Succeeded: LogLevel.None,
  GaveUp: LogLevel.Warning,
  NestingNoticed: LogLevel.Warning,
  HedgeStarted: LogLevel.Debug,
  HedgeRefused: LogLevel.Debug
}
