/**
 * Log lines of retried operations.
 */
import { Effect, LogLevel } from "effect"
import type { Observer, RetryEvent } from "../loop/RetryEvent.ts"
import { attributes } from "./Attributes.ts"

/**
 * At which level each event is logged.
 *
 * @category models
 */
export type Levels = { readonly [T in RetryEvent["_tag"]]?: LogLevel.LogLevel }

/**
 * Logs events with their attributes as annotations. Events without a level are logged as below; `LogLevel.None` silences
 * one.
 *
 * @category constructors
 */
export const logs = (levels: Levels = {}): Observer => {
  const all = { ...defaults, ...levels }
  return (event) =>
    all[event._tag] === LogLevel.None
      ? Effect.void
      : Effect.flatMap(attributes(event), (shown) =>
          Effect.annotateLogs(Effect.logWithLevel(all[event._tag], messages[event._tag]), shown)
        )
}

const defaults: Required<Levels> = {
  AttemptFailed: LogLevel.Debug,
  RetryScheduled: LogLevel.Info,
  Succeeded: LogLevel.None,
  GaveUp: LogLevel.Warning,
  NestingNoticed: LogLevel.Warning
}

const messages: { readonly [T in RetryEvent["_tag"]]: string } = {
  AttemptFailed: "attempt failed",
  RetryScheduled: "retry scheduled",
  Succeeded: "succeeded",
  GaveUp: "gave up",
  NestingNoticed: "retried inside an attempt that is retried too"
}
