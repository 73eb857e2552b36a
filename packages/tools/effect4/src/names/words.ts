/** Words of prose about Effect 3, and those for Effect 4. */
export const words: Readonly<Record<string, string>> = {
  " of `@effect/platform`, which is an optional peer of this package: only this module needs it": "",
  "Context.GenericTag": "Context.Service",
  "Context.Tag": "Context.Service",
  "Effect.dieMessage": "Effect.die",
  "Effect.repeatN": "Effect.repeat",
  "Effect.runtime": "Effect.context",
  "Effect.timeoutFail": "Effect.timeoutOrElse",
  "Effect.withClock": "Effect.provideService",
  "Effect.yieldNow()": "Effect.yieldNow",
  "LogLevel.Debug": '"Debug"',
  "LogLevel.Info": '"Info"',
  "LogLevel.None": '"None"',
  "LogLevel.Warning": '"Warn"',
  "Metric.Metric.": "Metric.",
  "effect's `FastCheck`": "`fast-check`",
  EffectPrimitive: "Object",
  "RuntimeException:": "Error:",
  "clock.unsafeCurrentTimeNanos": "clock.monotonicTimeNanosUnsafe",
  "a `RequestError`": "an `HttpClientError`",
  "Schedule.intersect": "Schedule.max",
  "Schedule.union": "Schedule.min"
}
