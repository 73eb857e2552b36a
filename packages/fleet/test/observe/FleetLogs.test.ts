import { FleetLogs, type FleetEvent } from "@effect-retry/fleet"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import * as LogLines from "../../../core/test/support/LogLines.ts"
import * as Events from "./Events.ts"

/** What an observer logs of events, one a second. */
const logged = (events: ReadonlyArray<FleetEvent.FleetEvent>, ...levels: Parameters<typeof FleetLogs.logs>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make((line) => {
      const { level, message } = LogLines.of(line)
      lines.push(`${level} ${String(message)}`)
    })
    const observer = yield* FleetLogs.logs(...levels)
    yield* Effect.forEach(events, (event) => Effect.zipRight(observer(event), Effect.sleep("1 second"))).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    return lines
  }).pipe(VirtualClock.run)

const away =
  "Warning store away: orders: Redis cannot be reached or does not serve now; see whether the server runs and takes writes (ECONNREFUSED)"

describe("FleetLogs.logs", () => {
  it.effect("logs a line when the store goes away and one when it is back, and none for its calls", () =>
    Effect.gen(function* () {
      const calls = [Events.asked(5), Events.asked(0), Events.returned]
      const events = [...calls, Events.away(), Events.back(), ...calls, Events.away()]
      expect(yield* logged(events)).toEqual([away, "Info store back: orders after 1 s", away])
    })
  )

  it.effect("logs them once for all keys of a bucket, and for each bucket", () =>
    Effect.gen(function* () {
      const [a, b, other] = [{ key: "a" }, { key: "b" }, { name: "pay\nments" }]
      const lines = yield* logged([
        Events.away(a),
        Events.away(b),
        Events.away({ ...other, error: Untrusted.shown(new TypeError("user:password")) }),
        Events.back(b),
        Events.back(a),
        Events.back(other)
      ])
      expect(lines).toEqual([
        away,
        "Warning store away: pay ments: TypeError",
        "Info store back: orders after 3 s",
        "Info store back: pay ments after 3 s"
      ])
    })
  )

  it.effect("takes other levels", () =>
    Effect.gen(function* () {
      const levels = { StoreAway: LogLevel.Error, StoreBack: LogLevel.None }
      expect(yield* logged([Events.away(), Events.back()], levels)).toEqual([away.replace("Warning", "Error")])
    })
  )
})
