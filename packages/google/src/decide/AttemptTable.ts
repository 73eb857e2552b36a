/**
 * Computes the attempts of an operation under retry settings without running it: the tables of Google's guide.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Accepted from "../accept/Options.ts"
import type { Fields } from "../accept/RetrySettingsRecord.ts"
import { read } from "../accept/RetrySettingsRecord.ts"
import type { Refusal, TimedAttempt } from "./GaxAlgorithm.ts"
import * as GaxAlgorithm from "./GaxAlgorithm.ts"

/**
 * The attempts of an operation in which all of them fail.
 *
 * @category models
 */
export interface AttemptTable {
  readonly attempts: ReadonlyArray<Row>
  /** The attempt that is no longer made; `None` if the table ends before it. */
  readonly refused: Option.Option<RefusedRow>
}

/**
 * An attempt. Times count from the start of the first one.
 *
 * @category models
 */
export interface Row {
  /** From 1. */
  readonly attempt: number
  /** `None` for an attempt without a timeout. */
  readonly rpcTimeout: Option.Option<Duration.Duration>
  /** The delay before it. */
  readonly delay: Duration.Duration
  readonly invoked: Duration.Duration
  readonly ended: Duration.Duration
}

/**
 * The attempt that is not made, and the limit that forbids it.
 *
 * @category models
 */
export interface RefusedRow {
  readonly attempt: number
  readonly delay: Duration.Duration
  /** When it would have started. */
  readonly invoked: Duration.Duration
  readonly because: Refusal
}

/**
 * The assumptions of a table.
 *
 * @category models
 */
export interface Options {
  /** How long an attempt takes before it fails, at most its timeout. @default its timeout, or no time without one */
  readonly attemptsTake?: Duration.DurationInput | undefined
  /** The draw before retry `n`, from 1: a number in [0, 1). @default no draw: each delay is its bound, as in the guide */
  readonly draw?: ((n: number) => number) | undefined
  /** The largest number of attempts in the table, from 1 to 1000. @default 100 */
  readonly rows?: number | undefined
}

const owner = "RetrySettings.table"

/**
 * The table of attempts under settings if every attempt fails with a retryable error.
 *
 * By default it makes the tables of Google's guide to client-side retries: each attempt takes its whole timeout, and
 * there is no jitter. The guide contradicts itself once: its example with a total timeout of 10 seconds gives the third
 * attempt the remaining 4.9 seconds, although its own `maxRpcTimeout` allows only 3 seconds, with which the library
 * makes a fourth attempt. The printed table is that of a `maxRpcTimeout` of 6 seconds.
 *
 * Throws an `InvalidArgument` for settings and options out of their ranges.
 * Source: https://docs.cloud.google.com/java/docs/client-retries, "Configure client-side retries".
 *
 * @category destructors
 */
export const table = (settings: Fields, options: Options = {}): AttemptTable => {
  const { attemptsTake, draw, rows } = checked(options)
  const millis = read(owner, settings)
  const attempts: Array<Row> = []
  let attempt = GaxAlgorithm.first(millis)
  let elapsedMillis = 0
  while (attempts.length < rows) {
    const row = invoked(attempt, elapsedMillis, attemptsTake)
    attempts.push(row)
    elapsedMillis = Duration.toMillis(row.ended)
    attempt = GaxAlgorithm.next(millis, attempt, elapsedMillis, draw?.(attempts.length))
    const because = GaxAlgorithm.refusal(millis, attempt, elapsedMillis)
    if (because !== undefined) return { attempts, refused: Option.some(refusedRow(attempt, elapsedMillis, because)) }
  }
  return { attempts, refused: Option.none() }
}

interface Checked {
  readonly attemptsTake: number | undefined
  readonly draw: ((n: number) => number) | undefined
  readonly rows: number
}

const checked = (options: Options): Checked => {
  const { attemptsTake, draw, rows = 100 } = Accepted.check(owner, options)
  if (draw !== undefined && !Predicate.isFunction(draw)) {
    Argument.refuse(owner, "draw", "a function from a retry's number to a draw", draw)
  }
  return {
    attemptsTake:
      attemptsTake === undefined ? undefined : Argument.millis(owner, "attemptsTake", attemptsTake, { min: 0 }),
    draw: draw && ((n) => Argument.number(owner, `draw(${n})`, draw(n), { min: 0, max: 1 - Number.EPSILON / 2 })),
    rows: Argument.number(owner, "rows", rows, { min: 1, max: 1000, integer: true })
  }
}

const invoked = (attempt: TimedAttempt, elapsedMillis: number, attemptsTake: number | undefined): Row => {
  const { attemptCount, randomizedRetryDelay, rpcTimeout } = attempt
  const invokedMillis = elapsedMillis + randomizedRetryDelay
  const tookMillis = Math.min(attemptsTake ?? rpcTimeout, rpcTimeout === 0 ? Infinity : rpcTimeout)
  return {
    attempt: attemptCount + 1,
    rpcTimeout: rpcTimeout === 0 ? Option.none() : Option.some(Duration.millis(rpcTimeout)),
    delay: Duration.millis(randomizedRetryDelay),
    invoked: Duration.millis(invokedMillis),
    ended: Duration.millis(invokedMillis + tookMillis)
  }
}

const refusedRow = (attempt: TimedAttempt, elapsedMillis: number, because: Refusal): RefusedRow => ({
  attempt: attempt.attemptCount + 1,
  delay: Duration.millis(attempt.randomizedRetryDelay),
  invoked: Duration.millis(elapsedMillis + attempt.randomizedRetryDelay),
  because
})
