/**
 * Log lines of buckets that a fleet shares: when the store goes away, and when it is back.
 */
import * as MonotonicTime from "@effect-retry/core/MonotonicTime"
import * as Readable from "@effect-retry/core/Readable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"
import type { FleetObserver } from "../fund/fleet/FleetEvent.ts"

/** At which level each line is logged; `LogLevel.None` for none. */
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
 * The keys of a bucket have these lines together: the first key that has no answer logs one, the first that has one again
 * the other. No key is shown, and of an error that is none of a store only the type.
 *
 * @category constructors
 */
export const logs = (levels: Levels = {}): Effect.Effect<FleetObserver> =>
  Effect.sync(() => {
    const nowMillis = MonotonicTime.makeReader()
    /** Since when the stores of the buckets are away, by name. */
    const awaySince = new Map<string, number>()
    return (event) =>
      Effect.clockWith((clock) => {
        const { name } = event
        const since = awaySince.get(name)
        if (event._tag === "StoreAway" && since === undefined) {
          awaySince.set(name, nowMillis(clock))
          return log(levels.StoreAway ?? LogLevel.Warning, `store away: ${messageOf(name, event.error)}`)
        }
        if (event._tag === "StoreBack" && since !== undefined) {
          awaySince.delete(name)
          const after = Readable.time(Duration.millis(nowMillis(clock) - since))
          return log(levels.StoreBack ?? LogLevel.Info, `store back: ${name} after ${after}`)
        }
        return Effect.void
      })
  })

const log = (level: LogLevel.LogLevel, line: string): Effect.Effect<void> =>
  level === LogLevel.None ? Effect.void : Effect.logWithLevel(level, Readable.inLine(line))

/** Errors of the stores name the bucket, and say nothing that is secret. */
const messageOf = (name: string, error: unknown): string =>
  Predicate.hasProperty(error, "reason") && error instanceof Error
    ? error.message
    : `${name}: ${Readable.typeOf(error)}`
