/**
 * Log messages, including those of failed fibers that no other one waits for.
 */
import { Cause, Chunk, Effect, Logger, LogLevel } from "effect"

/** The messages that an effect logs, those of fibers that failed included, with what a defect was. */
export const logged = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<ReadonlyArray<unknown>, E, R> => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ cause, message }) => {
    const messages: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
    lines.push([...messages, ...Chunk.toReadonlyArray(Cause.defects(cause))])
  })
  return self.pipe(
    Effect.as(lines),
    Logger.withMinimumLogLevel(LogLevel.Debug),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
}
