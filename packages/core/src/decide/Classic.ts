/**
 * Back-offs from textbooks and well-known systems, each with its own formula: whole slots, whole seconds, a built-in limit.
 */
import type * as Duration from "effect/Duration"
import * as Argument from "../accept/Argument.ts"
import type { Backoff } from "./Backoff.ts"
import { fromCurve } from "./Backoff.ts"
import * as Bounds from "./Bounds.ts"
import { bounds, known, stateless } from "./CurveShape.ts"
import { times } from "./Millis.ts"

/**
 * Truncated binary exponential back-off: after collision `c`, a whole number of slots from `0 ... 2^min(c, 10) - 1`;
 * ends at the 16th collision.
 *
 * Under a cap it draws at most as many whole slots as fit; a cap below one slot replaces the slot.
 * Delays are whole milliseconds, so a slot below one millisecond is rounded up after the draw.
 * Source: IEEE 802.3, CSMA/CD, attemptLimit 16 and backoffLimit 10.
 *
 * @category constructors
 */
export const ethernet = (options: { readonly slot: Duration.DurationInput }): Backoff => {
  const given = Argument.options("Classic.ethernet", '{ slot: "1 second" }', options, { slot: true })
  const slotMillis = Argument.millis("Classic.ethernet", "slot", given.slot, Bounds.width)
  const slots = (n: number, capMillis: number) =>
    Math.min(2 ** Math.min(n, 10), Math.floor(capMillis / Math.min(slotMillis, capMillis)) + 1)
  const slot = (capMillis: number) => Math.min(slotMillis, capMillis)
  return fromCurve(
    known(
      stateless({
        name: "ethernet",
        delayMillis: (n, capMillis, u) =>
          n >= 16 ? undefined : times(slot(capMillis), wholeBelow(slots(n, capMillis), u)),
        intervalMillis: (n, capMillis) => [0, n >= 16 ? 0 : times(slot(capMillis), slots(n, capMillis) - 1)]
      })
    )
  )
}

/**
 * Celery's countdown in whole seconds. Formula, for retry `n`: `min(maximum, factor * 2^(n - 1))` seconds; with jitter
 * a whole number of seconds from `0 ... countdown`.
 *
 * Under a cap it uses at most as many whole seconds as fit; a cap below one second replaces the second.
 * Source: https://github.com/celery/celery, `celery/utils/time.py`, `get_exponential_backoff_interval`.
 *
 * @category constructors
 */
export const celery = (options: {
  /** Celery's `retry_backoff`: a whole number of seconds. */
  readonly factor: number
  /** Celery's `retry_backoff_max`: at least one second. @default 10 minutes */
  readonly maximum?: Duration.DurationInput
  /** Celery's `retry_jitter`. If false, `Backoff.jittered` may add another jitter. @default true */
  readonly jitter?: boolean
}): Backoff => {
  const given = Argument.options("Classic.celery", "{ factor: 1 }", options, {
    factor: true,
    maximum: false,
    jitter: false
  })
  const { jitter = true, maximum = "10 minutes" } = given
  const factor = Argument.number("Classic.celery", "factor", given.factor, { min: 0, integer: true })
  const maximumMillis = Argument.millis("Classic.celery", "maximum", maximum, { min: 1000 })
  const second = (capMillis: number) => Math.min(1000, capMillis)
  const countdown = (n: number, capMillis: number) => {
    const most = Math.min(times(factor * 1000, 2 ** (n - 1)), maximumMillis, capMillis)
    return Math.floor(most / second(capMillis))
  }
  return fromCurve(
    known(
      stateless({
        name: "celery",
        draws: jitter,
        delayMillis: (n, capMillis, u) => {
          const seconds = countdown(n, capMillis)
          return (jitter ? wholeBelow(seconds + 1, u) : seconds) * second(capMillis)
        },
        intervalMillis: (n, capMillis) => {
          const most = countdown(n, capMillis) * second(capMillis)
          return [jitter ? 0 : most, most]
        }
      })
    )
  )
}

/**
 * Waits 1, 2, 4 ... seconds while the delay is at most half of `maximum`; there is no wait after the last attempt. With
 * `maximum` 128 seconds: 8 attempts and 127 seconds of waiting.
 *
 * Source: Stevens and Rago, Advanced Programming in the UNIX Environment, `connect_retry`.
 *
 * @category constructors
 */
export const connectRetry = (options?: {
  /** At least one second. @default 128 seconds */
  readonly maximum?: Duration.DurationInput
}): Backoff => {
  const maximum = Argument.millis("Classic.connectRetry", "maximum", options?.maximum ?? "128 seconds", { min: 1000 })
  const delayMillis = (n: number) => {
    const delay = times(1000, 2 ** (n - 1))
    return delay <= maximum / 2 ? delay : undefined
  }
  return fromCurve(bounds("connectRetry", delayMillis))
}

const wholeBelow = (count: number, u: number): number => Math.min(Math.floor(u * count), count - 1)
