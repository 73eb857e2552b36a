/**
 * A value as programs print it: by Effect's own loggers, as a cause, by `inspect`, as JSON, and as an exception of a span.
 */
import { Cause, type Console, Effect, FiberId, Logger, LogLevel, Tracer } from "effect"
import { formatWithOptions, inspect } from "node:util"
import * as LogLines from "./LogLines.ts"

/** A way of printing, and what it printed. */
export type Printed = readonly [way: string, text: string]

const whole = { depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null, breakLength: 120 }

/** As the message, inside of it, as a cause and as an annotation. */
const logging = (value: unknown): Effect.Effect<void> =>
  Effect.all(
    [
      Effect.log(value),
      Effect.log("logged", { value }, [value]),
      Effect.logError("failed", Cause.fail(value)),
      Effect.logError(Cause.sequential(Cause.fail(value), Cause.die(value))),
      Effect.annotateLogs(Effect.log("annotated"), { value })
    ],
    { discard: true }
  )

/** Prints what it is given as the console of Node does. */
const recordingConsole = (texts: Array<string>): Console.Console => {
  const print = (...given: ReadonlyArray<unknown>) => void texts.push(formatWithOptions(whole, ...given))
  const unsafe = { ...console, log: print, error: print, info: print, group: print, groupCollapsed: print }
  return Object.assign({ ...Effect.runSync(Effect.console), unsafe }, unsafe)
}

/** Loggers that answer with what they print. */
const loggers = {
  "the string logger": Logger.stringLogger,
  "the logfmt logger": Logger.logfmtLogger,
  "the json logger": Logger.jsonLogger,
  "the structured logger": Logger.structuredLogger
}

/** Loggers that print to the console. */
const prettyLoggers = (["tty", "browser"] as const).map((mode) => Logger.prettyLogger({ mode, colors: false }))

/** `exception.type`, `exception.message` and `exception.stacktrace`, as the SDK of OpenTelemetry reads them. */
const recordException = (error: unknown): string => {
  const { code, message, name, stack } = Object(error) as {
    readonly [field: string]: unknown
  }
  return [code, name, message, stack].map(String).join("\n")
}

/** Keeps the attributes, events and exceptions of its spans. */
const recordingTracer = (texts: Array<string>): Tracer.Tracer =>
  Tracer.make({
    span: (name, parent, context, links, startTime, kind) => ({
      _tag: "Span",
      name,
      spanId: "1",
      traceId: "2",
      parent,
      context,
      status: { _tag: "Started", startTime },
      attributes: new Map(),
      links,
      sampled: true,
      kind,
      attribute: (key, value) => void texts.push(key, inspect(value, whole)),
      event: (name, _, attributes) => void texts.push(name, inspect(attributes, whole), JSON.stringify(attributes)),
      addLinks: () => {},
      end: (_, exit) => {
        if (exit._tag === "Failure") texts.push(...Cause.prettyErrors(exit.cause).map(recordException))
      }
    }),
    context: (execute) => execute()
  })

/** By every logger, and by a span that fails with the value, has it as an attribute, and has the log lines as events. */
const traced = (value: unknown): ReadonlyArray<Printed> => {
  const byLogger = Object.entries(loggers).map(([name, logger]) => ({ name, logger, texts: new Array<string>() }))
  const byConsole: Array<string> = []
  const bySpan: Array<string> = []
  const everyLogger = Logger.make<unknown, void>((options) => {
    for (const { logger, texts } of byLogger) {
      const out = logger.log(options)
      texts.push(typeof out === "string" ? out : inspect(out, whole))
    }
    for (const logger of prettyLoggers) logger.log(options)
  })
  const failing = Effect.zipRight(logging(value), Effect.fail(value)).pipe(
    Effect.withSpan("span", { attributes: { value } }),
    Effect.withTracer(recordingTracer(bySpan)),
    Effect.withConsole(recordingConsole(byConsole)),
    LogLines.seenBy(everyLogger, Logger.tracerLogger)
  )
  Effect.runSyncExit(Logger.withMinimumLogLevel(failing, LogLevel.All))
  return [
    ...byLogger.map(({ name, texts }): Printed => [name, texts.join("\n")]),
    ["the pretty loggers", byConsole.join("\n")],
    ["a span", bySpan.join("\n")]
  ]
}

/** The value in all ways. */
export const all = (value: unknown): ReadonlyArray<Printed> => {
  const causes = [Cause.fail(value), Cause.die(value), Cause.parallel(Cause.fail(value), Cause.interrupt(FiberId.none))]
  return [
    ["String", String(value)],
    ["inspect", inspect(value, whole)],
    ["inspect of a copy", inspect(Object.assign({}, value), whole)],
    ["JSON", JSON.stringify({ value })],
    ["recordException", recordException(value)],
    ["Cause.pretty", causes.map((cause) => Cause.pretty(cause)).join("\n")],
    ["Cause.pretty with causes", causes.map((cause) => Cause.pretty(cause, { renderErrorCause: true })).join("\n")],
    ["inspect of a cause", causes.map((cause) => inspect(cause, whole)).join("\n")],
    ["JSON of a cause", JSON.stringify(causes)],
    ...traced(value)
  ]
}

/** The ways that show one of the secrets, its beginning or its end. */
export const showing = (value: unknown, ...secrets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parts = secrets.flatMap((secret) => [secret.slice(0, 6), secret.slice(-6)])
  return all(value).flatMap(([way, text]) => (parts.some((part) => text.includes(part)) ? [way] : []))
}
