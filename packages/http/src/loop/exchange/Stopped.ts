/**
 * Why a client gave up, with the outcome of its last attempt.
 */
import { Retry } from "@effect-retry/core"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Exchange } from "./Exchange.ts"
import * as Known from "./Known.ts"

type Stopped = Retry.RetryStopped<unknown>

/** The same stop with another outcome. `outcomeOf` gives the outcome of each failed attempt. */
export const of = (
  exchange: Exchange,
  stopped: Stopped,
  outcome: unknown,
  outcomeOf: (error: unknown) => unknown
): Stopped => {
  const { attempts, delay, elapsed, level, reason } = stopped
  const shown = (error: unknown) => Untrusted.shown(error, Known.of(exchange, error, exchange.latest !== undefined))
  const history = stopped.history.map((failed) => {
    const error = outcomeOf(failed.error)
    return new Retry.FailedAttempt({ ...failed, error, cause: shown(error) })
  })
  return new Retry.RetryStopped({
    reason,
    error: outcome,
    attempts,
    elapsed,
    delay,
    level,
    history,
    cause: shown(outcome)
  })
}

/** The stop of an operation if its request could not be prepared. */
export const unprepared = (error: unknown): Stopped =>
  new Retry.RetryStopped({
    reason: { _tag: "Terminal", why: "the request could not be prepared" },
    error,
    attempts: 0,
    elapsed: Duration.zero,
    delay: Option.none(),
    level: Effect.succeedNone,
    history: []
  })
