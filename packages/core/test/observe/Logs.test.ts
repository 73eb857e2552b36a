import { Observe, Retry } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, HashMap, Logger, LogLevel } from "effect"
import * as Events from "./Events.ts"

interface Line {
  readonly level: string
  readonly message: unknown
  readonly annotations: Record<string, unknown>
}

/** What an observer logs of one event of each kind. */
const logged = (observer: Retry.Observer) =>
  Effect.gen(function* () {
    const lines: Array<Line> = []
    const logger = Logger.make(({ annotations, logLevel, message }) => {
      lines.push({ level: logLevel._tag, message, annotations: Object.fromEntries(HashMap.toEntries(annotations)) })
    })
    yield* Effect.forEach(Events.all, observer).pipe(
      Effect.provide(Logger.add(logger)),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
    return lines
  })

const levels = (lines: ReadonlyArray<Line>) => lines.map(({ level }) => level)

describe("Observe.logs", () => {
  it.effect("logs each event at its level, with its attributes as annotations, and no word of a success", () =>
    Effect.gen(function* () {
      expect(yield* logged(Observe.logs())).toEqual([
        {
          level: "Warning",
          message: ["retried inside an attempt that is retried too"],
          annotations: Events.attributes.NestingNoticed
        },
        { level: "Debug", message: ["attempt failed"], annotations: Events.attributes.AttemptFailed },
        { level: "Info", message: ["retry scheduled"], annotations: Events.attributes.RetryScheduled },
        { level: "Warning", message: ["gave up"], annotations: Events.attributes.GaveUp }
      ])
    })
  )

  it.effect("takes other levels, one by one, and None for silence", () =>
    Effect.gen(function* () {
      const own = Observe.logs({ Succeeded: LogLevel.Trace, GaveUp: LogLevel.Error, NestingNoticed: LogLevel.None })
      expect(levels(yield* logged(own))).toEqual(["Debug", "Info", "Trace", "Error"])
      const none = LogLevel.None
      const silent = Observe.logs({
        AttemptFailed: none,
        RetryScheduled: none,
        Succeeded: none,
        GaveUp: none,
        NestingNoticed: none
      })
      expect(yield* logged(silent)).toEqual([])
    })
  )

  it.effect("leaves the annotations and the level of the program as they were", () =>
    Effect.gen(function* () {
      const outside: Array<Record<string, unknown>> = []
      const logger = Logger.make(({ annotations }) => {
        outside.push(Object.fromEntries(HashMap.toEntries(annotations)))
      })
      const program = Effect.zipRight(Observe.logs()(Events.gaveUp), Effect.log("after"))
      yield* program.pipe(Effect.annotateLogs("request", "r1"), Effect.provide(Logger.add(logger)))
      expect(outside).toEqual([{ ...Events.attributes.GaveUp, request: "r1" }, { request: "r1" }])
    })
  )
})
