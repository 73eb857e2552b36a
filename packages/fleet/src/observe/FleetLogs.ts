/**
 * Log lines of shared buckets for when the store goes away and when it is back. A bucket without observers logs these
 * by itself, once for all buckets of its store; this is for a bucket with observers, or for other levels.
 */
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import * as TelemetryLine from "@effect-retry/core/unstable/TelemetryLine"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import type { FleetObserver } from "../fund/fleet/FleetEvent.ts"
import * as OutageLines from "../fund/fleet/OutageLines.ts"

/** The level of each line; `LogLevel.None` for none. */
interface Levels {
  /** @default LogLevel.Warning */
  readonly StoreAway?: LogLevel.LogLevel
  /** @default LogLevel.Info */
  readonly StoreBack?: LogLevel.LogLevel
}

/**
 * Logs `store away: orders: Redis cannot be reached ...` when the store of a bucket goes away, and
 * `store back: orders after 5.2 s` when it answers again; nothing for its calls.
 *
 * The keys of a bucket share these lines: the first key without an answer logs one, the first with an answer again the
 * other. No key is shown, and of an error that does not come from a store only the type.
 *
 * @category constructors
 */
export const logs = (levels: Levels = {}): Effect.Effect<FleetObserver> =>
  Effect.sync(() => {
    const nowMillis = MonotonicTime.makeReader()
    /** Since when the stores of the buckets have been away, by name. */
    const awaySince = new Map<string, number>()
    return (event) =>
      Effect.clockWith((clock) => {
        const { name } = event
        const since = awaySince.get(name)
        if (event._tag === "StoreAway" && since === undefined) {
          awaySince.set(name, nowMillis(clock))
          return log(levels.StoreAway ?? LogLevel.Warning, OutageLines.away(name, event.error))
        }
        if (event._tag === "StoreBack" && since !== undefined) {
          awaySince.delete(name)
          return log(levels.StoreBack ?? LogLevel.Info, OutageLines.back(name, nowMillis(clock) - since))
        }
        return Effect.void
      })
  })

const log = (level: LogLevel.LogLevel, line: string): Effect.Effect<void> =>
  level === LogLevel.None ? Effect.void : TelemetryLine.log(level, line)
