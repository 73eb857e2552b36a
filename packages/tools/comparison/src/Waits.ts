/**
 * Waits that are cut short: those that a server asks for, and timeouts.
 *
 * A timer of 20 seconds or more is a wait that a server asked for: the clients are configured to delays of a millisecond, and
 * no other timer of theirs is that long. One of exactly `timeoutMillis` is a timeout. Other timers are left alone. What an
 * effect waits for goes through a `Clock` of its own, since all fibers share one scheduler and its asynchronous context.
 */
import { Clock, Duration, Effect } from "effect"
import * as Clock4 from "effect-4/Clock"
import * as Duration4 from "effect-4/Duration"
import * as Effect4 from "effect-4/Effect"
import { AsyncLocalStorage } from "node:async_hooks"

/** Hears of the waits of one operation. */
export interface Listener {
  /** Called with the length of a wait, in milliseconds. Its answer is asked every millisecond whether the wait is over. */
  readonly began: (millis: number) => () => boolean
}

/** The time that an attempt may take, if it is limited. */
export const timeoutMillis = 15_432

const isHeard = (millis: number): boolean => millis >= 20_000 || millis === timeoutMillis

/** A longer delay is set to 1. Source: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args. */
const longestTimerMillis = 2_147_483_647

const listeners = new AsyncLocalStorage<Listener>()

/** Tells `listener` the waits of everything that `run` starts. */
export const heard = <A>(listener: Listener, run: () => A): A => listeners.run(listener, run)

/** Replaces the timer of the process, until the answer is called. */
export const install = (): (() => void) => {
  const { setTimeout } = globalThis
  const replaced = (callback: (...args: Array<unknown>) => void, millis = 0, ...args: Array<unknown>) => {
    const listener = listeners.getStore()
    if (millis > longestTimerMillis) return setTimeout(callback, 1, ...args)
    if (listener === undefined || !isHeard(millis)) return setTimeout(callback, millis, ...args)
    return timer(listener, millis, () => callback(...args))
  }
  globalThis.setTimeout = Object.assign(replaced, setTimeout) as typeof setTimeout
  return () => {
    globalThis.setTimeout = setTimeout
  }
}

/** Cleared like any other: Node lets `clearTimeout` end an interval. */
const timer = (listener: Listener, millis: number, callback: () => void) => {
  const isOver = listener.began(millis)
  const interval = setInterval(() => {
    if (!isOver()) return
    clearInterval(interval)
    callback()
  }, 1)
  return interval
}

/** The clock of an effect, which tells `listener` its waits. */
export const clock = (listener: Listener): Clock.Clock => {
  const live = Clock.make()
  const sleep = (duration: Duration.Duration) => {
    const millis = Duration.toMillis(duration)
    if (!isHeard(millis)) return live.sleep(duration)
    return Effect.async<void>((resume) => {
      const interval = timer(listener, millis, () => resume(Effect.void))
      return Effect.sync(() => clearInterval(interval))
    })
  }
  return Object.assign(Object.create(live), { sleep })
}

/** The same for Effect 4. */
export const clock4 = (listener: Listener): Effect4.Effect<Clock4.Clock> =>
  Effect4.map(Clock4.Clock, (live) => {
    const sleep = (duration: Duration4.Duration) => {
      const millis = Duration4.toMillis(duration)
      if (!isHeard(millis)) return live.sleep(duration)
      return Effect4.callback<void>((resume) => {
        const interval = timer(listener, millis, () => resume(Effect4.void))
        return Effect4.sync(() => clearInterval(interval))
      })
    }
    return Object.assign(Object.create(live), { sleep })
  })
