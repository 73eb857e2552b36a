/**
 * The arithmetic of the AWS SDKs' adaptive rate limiter: measure, cut, grow as a cubic. Pure.
 *
 * Times are in milliseconds, rates in attempts per second. A level is never negative, and a clock that steps back
 * neither makes tokens nor moves the curve. Source: smithy-lang/smithy-kotlin, `AdaptiveRateLimiter.kt`;
 * smithy-lang/smithy-rs, `client_rate_limiter.rs`, both read 2026-11-20.
 */
import * as Option from "effect/Option"
import * as Tokens from "./Tokens.ts"

export interface Settings {
  readonly beta: number
  readonly scaleConstant: number
  readonly smoothing: number
  readonly minFillRate: number
  readonly minCapacity: number
  readonly measurementBucketMillis: number
  /** How long after a cut no further cut is made; zero for one cut per throttle. */
  readonly cutAtMostEveryMillis: number
  /** A silence this long is left out of the measured rate; `Infinity` to count every silence. */
  readonly idleAfterMillis: number
  /** The limit is removed after this long without a throttle; `Infinity` for never. */
  readonly offAfterMillis: number
}

export interface Cubic {
  /** Whether there is a limit; the first throttle sets one. */
  readonly enabled: boolean
  /** The smoothed send rate. */
  readonly measuredRate: number
  /** How many results the current measurement bucket has counted. */
  readonly count: number
  /** The index of that bucket, counted from time zero. */
  readonly measurementBucket: number
  readonly recordedAtMillis: number
  /** The rate before the last cut. */
  readonly wMax: number
  readonly cutAtMillis: number
  readonly throttledAtMillis: number
  readonly fillRate: number
  readonly capacity: number
  readonly tokens: Tokens.Tokens
}

/** The limit is at most this many times the measured rate, so a client that sends little gets no limit far above its rate. */
const growthLimit = 2

/** The initial state, without a limit. Measuring begins at a whole second, as in the SDKs. */
export const make = (settings: Settings, nowMillis: number): Cubic => ({
  enabled: false,
  measuredRate: 0,
  count: 0,
  measurementBucket: Math.floor((Math.floor(nowMillis / 1000) * 1000) / settings.measurementBucketMillis),
  recordedAtMillis: nowMillis,
  wMax: 0,
  cutAtMillis: nowMillis,
  throttledAtMillis: nowMillis,
  fillRate: settings.minFillRate,
  capacity: settings.minCapacity,
  // The first access comes before that time, and refills nothing.
  tokens: { level: 0, atMillis: Infinity }
})

/** Seconds from a cut of `wMax` until the curve is back there. Formula: `cbrt(wMax * (1 - beta) / scaleConstant)`. */
const recoverySeconds = (wMax: number, { beta, scaleConstant }: Settings): number =>
  Math.cbrt((wMax * (1 - beta)) / scaleConstant)

/**
 * The rate `seconds` after a cut of `wMax`. Formula: `scaleConstant * (seconds - K)^3 + wMax`, where `K` is
 * `recoverySeconds`: `beta * wMax` at first, `wMax` after `K`, then growing ever faster.
 */
const rateAfter = (wMax: number, seconds: number, settings: Settings): number =>
  settings.scaleConstant * (seconds - recoverySeconds(wMax, settings)) ** 3 + wMax

/**
 * The state after a result: the measurement is updated, and the rate cut or raised.
 *
 * A cut multiplies the lower of measured rate and limit by `beta` (the measured rate alone if there was no limit); the curve
 * then returns to the rate before the cut.
 */
export const recorded = (self: Cubic, settings: Settings, nowMillis: number, throttled: boolean): Cubic => {
  const { enabled } = switched(self, settings, nowMillis)
  const { cutAtMillis, throttledAtMillis, wMax } = self
  const measurement = measured(self, settings, nowMillis)
  if (!throttled) {
    const rate = rateAfter(wMax, Math.max(0, nowMillis - cutAtMillis) / 1000, settings)
    return limited(self, measurement, { enabled, wMax, cutAtMillis, throttledAtMillis }, settings, nowMillis, rate)
  }
  if (enabled && nowMillis - cutAtMillis < settings.cutAtMostEveryMillis) {
    return { ...self, ...measurement, throttledAtMillis: nowMillis }
  }
  const cut = enabled ? Math.min(measurement.measuredRate, self.fillRate) : measurement.measuredRate
  const throttle = { enabled: true, wMax: cut, cutAtMillis: nowMillis, throttledAtMillis: nowMillis }
  return limited(self, measurement, throttle, settings, nowMillis, settings.beta * cut)
}

type Measurement = Pick<Cubic, "measuredRate" | "count" | "measurementBucket" | "recordedAtMillis">
type Throttle = Pick<Cubic, "enabled" | "wMax" | "cutAtMillis" | "throttledAtMillis">

const measured = (self: Cubic, settings: Settings, nowMillis: number): Measurement => {
  const { idleAfterMillis, measurementBucketMillis, smoothing } = settings
  const { measuredRate } = self
  const recordedAtMillis = nowMillis
  const measurementBucket = Math.floor(nowMillis / measurementBucketMillis)
  if (nowMillis - self.recordedAtMillis >= idleAfterMillis) {
    return { measuredRate, count: 1, measurementBucket, recordedAtMillis }
  }
  const count = self.count + 1
  if (measurementBucket <= self.measurementBucket) {
    return { measuredRate, count, measurementBucket: self.measurementBucket, recordedAtMillis }
  }
  const seconds = ((measurementBucket - self.measurementBucket) * measurementBucketMillis) / 1000
  const smoothed = smoothing * (count / seconds) + (1 - smoothing) * measuredRate
  return { measuredRate: smoothed, count: 0, measurementBucket, recordedAtMillis }
}

/**
 * Tokens refilled at the old rate stay, up to the new capacity.
 *
 * Every field is written out: spreading a record of numbers takes V8 ten times as long.
 */
const limited = (
  self: Cubic,
  { count, measuredRate, measurementBucket, recordedAtMillis }: Measurement,
  { cutAtMillis, enabled, throttledAtMillis, wMax }: Throttle,
  settings: Settings,
  nowMillis: number,
  rate: number
): Cubic => {
  const limitedRate = Math.min(rate, growthLimit * measuredRate)
  const capacity = Math.max(limitedRate, settings.minCapacity)
  return {
    enabled,
    measuredRate,
    count,
    measurementBucket,
    recordedAtMillis,
    wMax,
    cutAtMillis,
    throttledAtMillis,
    fillRate: Math.max(limitedRate, settings.minFillRate),
    capacity,
    tokens: Tokens.added(refilled(self, nowMillis), { capacity, refillPerSecond: 0 }, 0)
  }
}

const refilled = (self: Cubic, nowMillis: number): Tokens.Tokens =>
  Tokens.refilled(self.tokens, { capacity: self.capacity, refillPerSecond: self.fillRate }, nowMillis)

const switched = (self: Cubic, { offAfterMillis }: Settings, nowMillis: number): Cubic =>
  self.enabled && nowMillis - self.throttledAtMillis >= offAfterMillis ? { ...self, enabled: false } : self

/** Takes `cost` tokens, or nothing. Without a limit it takes zero tokens, and says so in its answer. */
export const taken = (
  self: Cubic,
  settings: Settings,
  nowMillis: number,
  cost: number
): Option.Option<readonly [tokens: number, Cubic]> => {
  const state = switched(self, settings, nowMillis)
  if (!state.enabled) return Option.some([0, state])
  return Option.map(Tokens.taken(refilled(state, nowMillis), cost), (tokens) => [cost, { ...state, tokens }])
}

/** Puts back tokens of an attempt that was not sent. */
export const refunded = (self: Cubic, nowMillis: number, tokens: number): Cubic =>
  self.enabled
    ? {
        ...self,
        tokens: Tokens.added(refilled(self, nowMillis), { capacity: self.capacity, refillPerSecond: 0 }, tokens)
      }
    : self

/** The tokens now; `Infinity` if there is no limit. */
export const level = (self: Cubic, settings: Settings, nowMillis: number): number =>
  switched(self, settings, nowMillis).enabled ? refilled(self, nowMillis).level : Infinity

/** Whole milliseconds until time alone has refilled `cost` tokens, or until the limit is removed. */
export const millisUntil = (self: Cubic, settings: Settings, nowMillis: number, cost: number): number => {
  const state = switched(self, settings, nowMillis)
  if (!state.enabled) return 0
  const { capacity, fillRate, throttledAtMillis } = state
  const untilTokens = Tokens.millisUntil(refilled(state, nowMillis), { capacity, refillPerSecond: fillRate }, cost)
  return Math.min(untilTokens, Math.ceil(throttledAtMillis + settings.offAfterMillis - nowMillis))
}
