import { Effect, Logger, References } from "effect"

/** What an effect logs at level `Info` and above: a line for each message, and one for each of its annotations. */
export const logLines = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
      const attributes = annotations.map(([key, value]) => `${key}=${String(value)}`).toSorted()
      lines.push(`${logLevel.toUpperCase()} ${String(message)}`, ...attributes)
    })
    yield* Effect.provide(self, Logger.layer([logger]))
    return lines
  })

export const program = logLines(Effect.annotateLogs(Effect.logWarning("busy"), "attempt", 2))

export const expected = ["WARN busy", "attempt=2"]
