/**
 * The algorithm of Google's Java client libraries, step by step: delay, timeout and end of each attempt.
 *
 * The table of `RetrySettings.table` follows it exactly. A compiled policy leaves limits and remaining time to the
 * loop; its delays and timeouts grow by the same function.
 *
 * Source: https://github.com/googleapis/sdk-platform-java, gax-java, `ExponentialRetryAlgorithm`,
 * 56aa343.
 */
import type { Millis } from "../accept/RetrySettingsRecord.ts"

/** The settings of one attempt. All times in milliseconds. */
export interface TimedAttempt {
  /** Attempts before this one. */
  readonly attemptCount: number
  /** The delay before this attempt, before jitter. */
  readonly retryDelay: number
  readonly randomizedRetryDelay: number
  /** The timeout, at most what is left of the total timeout when the attempt starts; 0 for none. */
  readonly rpcTimeout: number
}

/** Why an attempt is not made: the setting that forbids it, or `noLimit` if neither of the two is set. */
export type Refusal = "noLimit" | "totalTimeout" | "maxAttempts"

export const first = (settings: Millis): TimedAttempt => ({
  attemptCount: 0,
  retryDelay: 0,
  randomizedRetryDelay: 0,
  rpcTimeout: firstRpcTimeout(settings)
})

const firstRpcTimeout = ({ initialRpcTimeout, totalTimeout }: Millis): number =>
  totalTimeout === 0 ? initialRpcTimeout : Math.min(initialRpcTimeout, totalTimeout)

/**
 * The attempt after `previous`, which failed `elapsedMillis` after the first one began. `u` is a draw in [0, 1);
 * without it the delay is its bound.
 */
export const next = (
  settings: Millis,
  previous: TimedAttempt,
  elapsedMillis: number,
  u: number | undefined
): TimedAttempt => {
  const retryDelay =
    previous.attemptCount === 0 ? settings.initialRetryDelay : grownDelay(settings, previous.retryDelay)
  const randomizedRetryDelay = settings.jittered && u !== undefined ? drawn(retryDelay, u) : retryDelay
  const rpcTimeout = grownTimeout(settings, previous.rpcTimeout)
  const leftMillis = Math.trunc(settings.totalTimeout - elapsedMillis - randomizedRetryDelay)
  return {
    attemptCount: previous.attemptCount + 1,
    retryDelay,
    randomizedRetryDelay,
    rpcTimeout: settings.totalTimeout === 0 ? rpcTimeout : Math.min(rpcTimeout, leftMillis)
  }
}

/**
 * Why `attempt` is not made, or `undefined` if it is; `elapsedMillis` counts from the start of the first attempt.
 *
 * An attempt that would not start before the total timeout is refused, not moved forward.
 */
export const refusal = (
  { maxAttempts, totalTimeout }: Millis,
  attempt: TimedAttempt,
  elapsedMillis: number
): Refusal | undefined => {
  if (totalTimeout === 0 && maxAttempts === 0) return "noLimit"
  const leftMillis = Math.trunc(totalTimeout - (elapsedMillis + attempt.randomizedRetryDelay))
  if (totalTimeout !== 0 && leftMillis <= 0) return "totalTimeout"
  return maxAttempts > 0 && attempt.attemptCount >= maxAttempts ? "maxAttempts" : undefined
}

/** The bound of the delay after one with the bound `millis`. */
export const grownDelay = ({ maxRetryDelay, retryDelayMultiplier }: Millis, millis: number): number =>
  grown(retryDelayMultiplier, maxRetryDelay, millis)

const grownTimeout = ({ maxRpcTimeout, rpcTimeoutMultiplier }: Millis, millis: number): number =>
  grown(rpcTimeoutMultiplier, maxRpcTimeout, millis)

/** Whole milliseconds at every step: 100 by 1.3 is 100, 130, 169, 219, 284. */
const grown = (multiplier: number, maximum: number, millis: number): number =>
  Math.min(Math.trunc(multiplier * millis), maximum)

/** A whole number of milliseconds from 0 to `bound - 1`; 0 for a bound of 0. The guide's text says 1 to `bound`. */
export const drawn = (bound: number, u: number): number => Math.max(0, Math.min(Math.floor(u * bound), bound - 1))

/** The bound of the delay before retry `n`, from 1. */
export const delayOf = (settings: Millis, n: number): number =>
  nth(settings.initialRetryDelay, (millis) => grownDelay(settings, millis), n)

/**
 * The timeout of attempt `n`, from 1, as if no time had passed. Clipped to the time left it equals that of `next`: once
 * a timeout has been clipped, its growth stays above the time left.
 */
export const rpcTimeoutOf = (settings: Millis, n: number): number =>
  nth(firstRpcTimeout(settings), (millis) => grownTimeout(settings, millis), n)

const nth = (initial: number, grow: (millis: number) => number, n: number): number => {
  let millis = initial
  for (let i = 1; i < n; i++) {
    const next = grow(millis)
    if (next === millis) break
    millis = next
  }
  return millis
}
