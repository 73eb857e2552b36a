/**
 * Why a client gave up, beside the outcome that it gave up on.
 */
import { Retry } from "@effect-retry/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Redaction from "../classify/Redaction.ts"

type Stopped = Retry.RetryStopped<unknown>

/**
 * The same stop, of another outcome. `outcomeOf` gives the outcome of each failed attempt.
 *
 * @category conversions
 */
export const of = (stopped: Stopped, outcome: unknown, outcomeOf: (error: unknown) => unknown): Stopped => {
  const { attempts, delay, elapsed, level, reason } = stopped
  const history = stopped.history.map((failed) => ({ ...failed, error: outcomeOf(failed.error) }))
  return new Retry.RetryStopped({ reason, error: outcome, attempts, elapsed, delay, level, history, ...shown(outcome) })
}

/** A cause is printed with the error: a response would show its body, and an error the whole URL. */
const shown = (outcome: unknown): { readonly cause: unknown } => ({
  cause: HttpClassifier.isResponse(outcome) ? undefined : Redaction.error(outcome)
})

/**
 * The stop of an operation whose request could not be prepared.
 *
 * @category constructors
 */
export const unprepared = (error: unknown): Stopped =>
  new Retry.RetryStopped({
    reason: { _tag: "Terminal", why: "the request could not be prepared" },
    error,
    attempts: 0,
    elapsed: Duration.zero,
    delay: Option.none(),
    level: Effect.succeedNone,
    history: [],
    ...shown(error)
  })
