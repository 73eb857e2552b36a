/**
 * Log lines, as a logger receives them.
 *
 * This is the file of Effect 3, in whose place the line for Effect 4 has its own.
 */
import { Context, Effect, FiberRef, FiberRefs, HashMap, HashSet, type Logger, Option, Tracer } from "effect"

export interface LogLine {
  readonly level: string
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
  /** The span around what logs. */
  readonly spanId: string | undefined
}

export const of = ({ annotations, context, logLevel, message }: Logger.Logger.Options<unknown>): LogLine => ({
  level: logLevel._tag,
  message,
  annotations: Object.fromEntries(HashMap.toEntries(annotations)),
  spanId: FiberRefs.get(context, FiberRef.currentContext).pipe(
    Option.flatMap((context) => Context.getOption(context, Tracer.ParentSpan)),
    Option.map(({ spanId }) => spanId),
    Option.getOrUndefined
  )
})

/** Runs an effect with these loggers and no others. */
export const seenBy =
  (...loggers: ReadonlyArray<Logger.Logger<unknown, unknown>>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(self, FiberRef.currentLoggers, HashSet.fromIterable(loggers))
