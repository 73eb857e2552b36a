import { Observe } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, LogLevel, Option, Struct } from "effect"
import * as LogLines from "../support/LogLines.ts"
import * as Events from "./Events.ts"
import * as Spans from "../support/Spans.ts"

/** What an observer logs of one event of each kind. */
const logged = (observer: Observe.Observer, least = LogLevel.All) =>
  Effect.gen(function* () {
    const lines: Array<LogLines.LogLine> = []
    const logger = Logger.make((line) => void lines.push(LogLines.of(line)))
    yield* Effect.forEach(Events.all, observer).pipe(
      Effect.provide(Logger.add(logger)),
      Logger.withMinimumLogLevel(least)
    )
    return lines
  })

const levels = (lines: ReadonlyArray<LogLines.LogLine>) => lines.map(({ level }) => level)

describe("Observe.logs", () => {
  it.effect("logs each event at its level, with its attributes as annotations, and no success", () =>
    Effect.gen(function* () {
      expect((yield* logged(Observe.logs())).map((line) => Struct.omit(line, "spanId"))).toEqual([
        {
          level: "Warning",
          message: [Events.lines.NestingNoticed],
          annotations: Events.attributes.NestingNoticed
        },
        { level: "Debug", message: [Events.lines.AttemptFailed], annotations: Events.attributes.AttemptFailed },
        { level: "Info", message: [Events.lines.RetryScheduled], annotations: Events.attributes.RetryScheduled },
        { level: "Debug", message: [Events.lines.HedgeStarted], annotations: Events.attributes.HedgeStarted },
        { level: "Debug", message: [Events.lines.HedgeRefused], annotations: Events.attributes.HedgeRefused },
        { level: "Warning", message: [Events.lines.GaveUp], annotations: Events.attributes.GaveUp }
      ])
    })
  )

  it.effect("takes other levels, for each event apart, and None for silence", () =>
    Effect.gen(function* () {
      const own = Observe.logs({ Succeeded: LogLevel.Trace, GaveUp: LogLevel.Error, NestingNoticed: LogLevel.None })
      expect(levels(yield* logged(own))).toEqual(["Debug", "Info", "Debug", "Debug", "Trace", "Error"])
      const none = LogLevel.None
      const silent = Observe.logs({
        AttemptFailed: none,
        RetryScheduled: none,
        HedgeStarted: none,
        HedgeRefused: none,
        Succeeded: none,
        GaveUp: none,
        NestingNoticed: none
      })
      expect(yield* logged(silent)).toEqual([])
    })
  )

  it.effect("leaves the annotations and the level of the program as they were", () =>
    Effect.gen(function* () {
      const outside: Array<Readonly<Record<string, unknown>>> = []
      const logger = Logger.make((line) => void outside.push(LogLines.of(line).annotations))
      const program = Effect.zipRight(Observe.logs()(Events.gaveUp), Effect.log("after"))
      yield* program.pipe(Effect.annotateLogs("request", "r1"), Effect.provide(Logger.add(logger)))
      expect(outside).toEqual([{ ...Events.attributes.GaveUp, request: "r1" }, { request: "r1" }])
    })
  )

  it.effect.each([
    { least: LogLevel.Debug, lines: ["Warning", "Debug", "Info", "Debug", "Debug", "Warning"], asked: 6 },
    { least: LogLevel.Info, lines: ["Warning", "Info", "Warning"], asked: 3 },
    { least: LogLevel.Warning, lines: ["Warning", "Warning"], asked: 2 },
    { least: LogLevel.Error, lines: [], asked: 0 }
  ])("asks the bucket for its level only for lines that are logged: from $least.label on", ({ asked, least, lines }) =>
    Effect.gen(function* () {
      let count = 0
      const level = Effect.sync(() => Option.some(++count))
      const observer: Observe.Observer = (event) => Observe.logs()({ ...event, level })
      expect(levels(yield* logged(observer, least))).toEqual(lines)
      expect(count).toBe(asked)
    })
  )

  it.effect("writes nothing to the current span, which its loggers see all the same", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      const seen: Array<string | undefined> = []
      const logger = Logger.make((line) => void seen.push(LogLines.of(line).spanId))
      const program = Effect.zipRight(Observe.logs()(Events.gaveUp), Effect.log("after"))
      yield* provide(Effect.withSpan(program, "request")).pipe(
        Effect.provide(Logger.add(logger)),
        Effect.provide(Logger.add(Logger.tracerLogger))
      )
      expect(seen).toEqual(["request 1", "request 1"])
      expect(spans.map(({ events }) => events.map(({ name }) => name))).toEqual([["after"]])
    })
  )

  it.effect("writes each event to the span once beside span events", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      const observers = [Observe.logs({ Succeeded: LogLevel.Info }), Observe.spanEvents]
      const program = Effect.forEach(Events.all, (event) => Effect.forEach(observers, (observer) => observer(event)))
      yield* provide(Effect.withSpan(program, "request")).pipe(
        Effect.provide(Logger.add(Logger.tracerLogger)),
        Logger.withMinimumLogLevel(LogLevel.All)
      )
      expect(spans.map(({ events }) => events.map(({ name }) => name))).toEqual([Events.names])
    })
  )
})
