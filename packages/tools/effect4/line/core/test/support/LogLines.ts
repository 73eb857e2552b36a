/**
 * Log lines, as a logger is told them.
 *
 * This is the file of Effect 4: a logger is told the fiber, and levels are texts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

export interface LogLine {
  readonly level: string
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
  /** The span around what logs. */
  readonly spanId: string | undefined
}

/** Levels have the names that they have in tests. */
export const of = ({ fiber, logLevel, message }: Logger.Options<unknown>): LogLine => ({
  level: logLevel === "Warn" ? "Warning" : logLevel,
  message,
  annotations: fiber.getRef(References.CurrentLogAnnotations),
  spanId: Option.getOrUndefined(Option.map(Context.getOption(fiber.context, Tracer.ParentSpan), ({ spanId }) => spanId))
})

/** Runs an effect with these loggers and no others. */
export const seenBy =
  (...loggers: ReadonlyArray<Logger.Logger<unknown, unknown>>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(self, Logger.CurrentLoggers, new Set(loggers))
