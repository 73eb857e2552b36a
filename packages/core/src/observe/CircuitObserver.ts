/**
 * Shows a circuit to operators: a log line and metrics for each state.
 */
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import type { State } from "../fund/bucket/CircuitSettings.ts"
import * as Readable from "../loop/run/Readable.ts"
import * as Metrics from "./Metrics.ts"
import * as Telemetry from "./TelemetryLine.ts"

/**
 * Logs each state of a named circuit and updates its metrics; for `onChange` of `CircuitBreaker.make`.
 *
 * `Open` and `Isolated` are logged as warnings. Names become labels of metrics, which Effect's registry keeps for as
 * long as the program runs, so use few names, known in advance.
 *
 * @category constructors
 */
export const circuit =
  (name: string) =>
  (state: State): Effect.Effect<void> => {
    const { _tag } = state
    const level = _tag === "Open" || _tag === "Isolated" ? LogLevel.Warning : LogLevel.Info
    return Effect.all(
      [
        Telemetry.log(level, `circuit ${Readable.inLine(name)}: ${words(state)}`),
        Telemetry.updateWith(Metrics.circuitChanges, 1, { "retry.circuit": name, "retry.circuit_state": _tag }),
        Telemetry.updateWith(Metrics.circuitState, values[_tag], { "retry.circuit": name })
      ],
      { discard: true }
    )
  }

const words = (state: State): string =>
  state._tag === "Open" ? `open for ${Readable.time(state.retryAfter)}` : texts[state._tag]

const texts = { Closed: "closed", HalfOpen: "half open", Isolated: "isolated" }

const values = { Closed: 0, HalfOpen: 1, Open: 2, Isolated: 3 }
