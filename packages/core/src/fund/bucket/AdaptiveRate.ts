/**
 * The adaptive rate limiter of the AWS SDKs: no limit until the server throttles, then one that each throttle cuts and
 * that grows back as a cubic.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import * as Cubic from "../count/Cubic.ts"
import * as Outcomes from "../port/Outcomes.ts"
import type { TokenBucket } from "../port/Port.ts"
import * as TokenStore from "../store/TokenStore.ts"
import * as Waiting from "../port/Waiting.ts"

/**
 * The options of `adaptive`, named as in the AWS SDK for Kotlin where that has a name; the defaults are those of all
 * the SDKs.
 */
interface Options extends Waiting.Options {
  /** The factor by which a cut multiplies the rate. In (0, 1). @default 0.7 */
  readonly beta?: number
  /** How fast the rate grows: in attempts per second, per second cubed. @default 0.4 */
  readonly scaleConstant?: number
  /** The weight of the newest measurement. In (0, 1]. @default 0.8 */
  readonly smoothing?: number
  /** The lower bound of the limit, in attempts per second. @default 0.5 */
  readonly minFillRate?: number
  /** The lower bound of the burst that can be sent after a pause. At least 1. @default 1 */
  readonly minCapacity?: number
  /** The period over which outcomes are counted for one measurement of the rate. @default 500 millis */
  readonly measurementBucketDuration?: Duration.DurationInput
  /**
   * For this long after a cut, throttles cause no further cut. Set to a round trip, it turns a burst of throttles into one
   * cut.
   *
   * @default one cut per throttle, as in the SDKs
   */
  readonly cutAtMostEvery?: Duration.DurationInput
  /**
   * A silence of this length is left out of the measured rate, which it would otherwise lower. At least
   * `measurementBucketDuration`.
   *
   * @default every silence counts, as in the SDKs
   */
  readonly idleAfter?: Duration.DurationInput
  /**
   * After this long without a throttle, removes the limit and releases all waiters; the next throttle brings it back.
   *
   * @default never, as in the SDKs
   */
  readonly offAfter?: Duration.DurationInput
}

const owner = "RateLimiter.adaptive"

const check = (given: Options): Cubic.Settings => {
  const options = Argument.options(owner, "{ beta: 0.7 }", given, {
    beta: false,
    scaleConstant: false,
    smoothing: false,
    minFillRate: false,
    minCapacity: false,
    measurementBucketDuration: false,
    cutAtMostEvery: false,
    idleAfter: false,
    offAfter: false,
    whenShort: false,
    maxWait: false
  })
  const measurementBucketMillis = Argument.millis(
    owner,
    "measurementBucketDuration",
    options.measurementBucketDuration ?? "500 millis",
    { min: 1 }
  )
  const millis = (field: "cutAtMostEvery" | "idleAfter" | "offAfter", otherwise: number, min: number) => {
    const value = options[field]
    return value === undefined ? otherwise : Argument.millis(owner, field, value, { min })
  }
  const beta = options.beta ?? 0.7
  return {
    beta: beta > 0 && beta < 1 ? beta : Argument.refuse(owner, "beta", "> 0 and < 1", beta),
    scaleConstant: Argument.number(owner, "scaleConstant", options.scaleConstant ?? 0.4, { min: 0, exclusive: true }),
    smoothing: Argument.number(owner, "smoothing", options.smoothing ?? 0.8, { min: 0, max: 1, exclusive: true }),
    minFillRate: Argument.number(owner, "minFillRate", options.minFillRate ?? 0.5, { min: 0, exclusive: true }),
    minCapacity: Argument.number(owner, "minCapacity", options.minCapacity ?? 1, { min: 1 }),
    measurementBucketMillis,
    cutAtMostEveryMillis: millis("cutAtMostEvery", 0, 1),
    idleAfterMillis: millis("idleAfter", Infinity, measurementBucketMillis),
    offAfterMillis: millis("offAfter", Infinity, 1)
  }
}

/**
 * The client-side rate limiter of the AWS SDKs' adaptive mode: no limit until the server throttles.
 *
 * Formula: a throttle takes the rate `w` (the lower of limit and measured rate) to `beta * w`; `t` seconds later it is
 * `scaleConstant * (t - K)^3 + w` with `K = cbrt(w * (1 - beta) / scaleConstant)`, at most twice the measured rate and at
 * least `minFillRate`. An attempt takes one token; tokens are refilled at the rate, up to one second's worth.
 * A failure of kind `Throttling` is a throttle, even if its verdict is terminal. Every outcome counts for the measured
 * rate, and makes the first waiter check again. Waiting is first come, first served. All attempts share the limit: make
 * one per server, or use `TokenBucket.keyed`. Its level is `Infinity` while there is no limit.
 * Source: AWS SDKs and Tools reference guide, "Retry behavior", adaptive mode,
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html; the constants are only in the SDKs:
 * https://github.com/smithy-lang/smithy-kotlin, `AdaptiveRateLimiter.kt`, read 2026-11-20.
 *
 * @category constructors
 */
export const adaptive = (options: Options = {}): Effect.Effect<TokenBucket> => {
  const settings = check(options)
  const arithmetic: TokenStore.Arithmetic<Cubic.Cubic> = {
    initial: (now) => Cubic.make(settings, now),
    free: ({ enabled }) => (enabled ? Option.none() : TokenStore.free),
    take: (cubic, now, cost) => Option.getOrUndefined(Cubic.taken(cubic, settings, now, cost)),
    put: Cubic.refunded,
    millisUntil: (cubic, now, cost) => Cubic.millisUntil(cubic, settings, now, cost),
    level: (cubic, now) => Cubic.level(cubic, settings, now)
  }
  return Effect.map(TokenStore.make(arithmetic, Waiting.check(owner, options, "wait")), (store) => {
    const recorded = store.change((cubic, now, throttled: boolean) => Cubic.recorded(cubic, settings, now, throttled))
    const throttle = recorded(true)
    const other = recorded(false)
    return {
      acquire: store.acquire,
      record: (outcome) => {
        if (outcome._tag === "Abandoned") return Effect.void
        return Outcomes.isThrottled(outcome) ? throttle : other
      },
      level: store.level
    }
  })
}
