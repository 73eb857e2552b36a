/**
 * One virtual time and one source of chance, for the strategies of the SDK and for ours: every wait is recorded and takes
 * no real time.
 */
import { Clock, Duration, Effect, Layer } from "effect"
import * as RandomLine from "../../../../plan/src/chance/RandomLine.ts"

export interface SharedTime {
  /** Every wait so far, in milliseconds. */
  readonly waits: Array<number>
  nowMillis: number
  /** What is drawn, in [0, 1). */
  draw: number
}

export const startMillis = Date.UTC(2026, 10, 22)

export const make = (): SharedTime => ({ waits: [], nowMillis: startMillis, draw: 0 })

const passed = (time: SharedTime, millis: number): void => {
  if (millis > 0) time.waits.push(millis)
  time.nowMillis += millis
}

/** Clock and chance of effects. */
export const layer = (time: SharedTime): Layer.Layer<never> =>
  Layer.merge(
    Layer.setClock(clockOf(time)),
    RandomLine.layer(() => () => time.draw)
  )

const clockOf = (time: SharedTime): Clock.Clock => {
  const millis = () => time.nowMillis
  const nanos = () => BigInt(Math.round((time.nowMillis - startMillis) * 1e6))
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => Effect.sync(() => passed(time, Duration.toMillis(duration)))
  }
}

/** A timer of Node drops the fraction of its time, but not the last millisecond. */
const wholeMillis = (millis: number): number => (millis === 0 ? 0 : Math.max(1, Math.trunc(millis)))

/** The timers of the SDK's strategies, as they stand in a stack trace: those of its sockets are left alone. */
const strategies = /StandardRetryStrategy|DefaultRateLimiter/

/** Runs a promise with the clock, the chance and the timers of the SDK's strategies replaced. */
export const inSdk = async <A>(time: SharedTime, run: () => Promise<A>): Promise<A> => {
  const { now } = Date
  const { random } = Math
  const { setTimeout } = globalThis
  const wait = (wake: () => void, millis: number) => {
    if (!strategies.test(new Error().stack ?? "")) return setTimeout(wake, millis)
    passed(time, wholeMillis(millis))
    return queueMicrotask(wake)
  }
  try {
    Object.assign(Date, { now: () => time.nowMillis })
    Object.assign(Math, { random: () => time.draw })
    Object.assign(globalThis, { setTimeout: wait })
    return await run()
  } finally {
    Object.assign(Date, { now })
    Object.assign(Math, { random })
    Object.assign(globalThis, { setTimeout })
  }
}
