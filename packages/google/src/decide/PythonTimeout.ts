/**
 * The attempt timeouts of Python's clients, as the `attemptTimeout` of a policy.
 *
 * They are independent of the timeout of a `PythonRetry` and of a deadline; but if the policy has a deadline, an
 * attempt gets no more than the time left.
 *
 * @example
 * ```ts
 * import { Presets, PythonTimeout } from "@effect-retry/google"
 * import { Classifier, Retry } from "@effect-retry/core"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const policy = {
 *   ...Presets.python,
 *   classifier: Classifier.always,
 *   attemptTimeout: PythonTimeout.timeToDeadline("42 seconds")
 * }
 *
 * Effect.runPromise(Retry.retry(Effect.succeed("done"), policy)).then((answer) => assert.strictEqual(answer, "done"))
 * ```
 */
import { AttemptTimeout } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import type * as Duration from "effect/Duration"
import * as Options from "../accept/Options.ts"

/** One timer of the platform. */
const range = { min: 1, max: longestTimerMillis } satisfies Argument.Range

/**
 * `TimeToDeadlineTimeout`: each attempt gets what is left of `timeout` since the first one. If that is less than a
 * second, it gets the whole `timeout` again.
 *
 * The first millisecond is not counted.
 * Source: https://github.com/googleapis/python-api-core, bfc6651, google/api_core/timeout.py, and its issue 654.
 *
 * @category constructors
 */
export const timeToDeadline = (timeout: Duration.DurationInput): AttemptTimeout.AttemptTimeout => {
  const millis = Argument.millis("PythonTimeout.timeToDeadline", "timeout", timeout, range)
  return AttemptTimeout.fromFunction("timeToDeadline", (_, startMillis) => {
    const leftMillis = millis - (startMillis < 1 ? 0 : startMillis)
    return leftMillis < 1000 ? millis : leftMillis
  })
}

/**
 * `ExponentialTimeout`. Formula, for attempt `n`: `min(initial * multiplier^(n - 1), maximum)`, and with a deadline no more
 * than the whole seconds left until it.
 *
 * Departures: if no whole second is left, an attempt gets a millisecond instead of nothing. After the deadline it gets
 * the time without a deadline, as in that client, where the count of seconds left wraps around to a day. Source:
 * https://github.com/googleapis/python-api-core, bfc6651, google/api_core/timeout.py.
 *
 * @category constructors
 */
export const exponential = (
  options: {
    /** @default 5 seconds */
    readonly initial?: Duration.DurationInput
    /** @default 30 seconds */
    readonly maximum?: Duration.DurationInput
    /** At least 1. @default 2 */
    readonly multiplier?: number
    /** Counts from the first attempt, and ends nothing. @default none */
    readonly deadline?: Duration.DurationInput
  } = {}
): AttemptTimeout.AttemptTimeout => {
  const owner = "PythonTimeout.exponential"
  Options.check(owner, options)
  const initial = Argument.millis(owner, "initial", options.initial ?? "5 seconds", range)
  const maximum = Argument.millis(owner, "maximum", options.maximum ?? "30 seconds", range)
  const multiplier = Argument.number(owner, "multiplier", options.multiplier ?? 2, { min: 1 })
  const deadline =
    options.deadline === undefined ? Infinity : Argument.millis(owner, "deadline", options.deadline, { min: 0 })
  return AttemptTimeout.fromFunction("pythonExponential", (attempt, startMillis) => {
    const millis = Math.min(initial * multiplier ** (attempt - 1), maximum)
    if (startMillis > deadline) return millis
    return Math.max(1, Math.min(millis, Math.floor((deadline - startMillis) / 1000) * 1000))
  })
}
