/**
 * The adaptive send rate of the AWS SDKs: no limit until the server throttles, then one that is cut by each throttle and
 * grows as a cubic.
 */
import type { Context, Duration } from "effect"
import { Effect, Layer } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import * as Cubic from "./Cubic.ts"
import type { SendRate } from "./SendRate.ts"
import * as Timed from "./Timed.ts"
import * as Turn from "./Turn.ts"

/**
 * In the words of the AWS SDK for Kotlin as far as it has them; the defaults are those of all the SDKs.
 *
 * @category models
 */
export interface Adaptive extends Turn.Waiting {
  /** What a cut leaves of the rate. In (0, 1). @default 0.7 */
  readonly beta?: number
  /** How fast the rate grows: in attempts per second, per second cubed. @default 0.4 */
  readonly scaleConstant?: number
  /** The weight of the newest measurement. In (0, 1]. @default 0.8 */
  readonly smoothing?: number
  /** The least limit, in attempts per second. @default 0.5 */
  readonly minFillRate?: number
  /** The least number of attempts that can be sent at once after a pause. At least 1. @default 1 */
  readonly minCapacity?: number
  /** How long results are counted for one measurement of the rate. @default 500 millis */
  readonly measurementBucketDuration?: Duration.DurationInput
  /**
   * After a cut, throttles are no further cut for so long: one round trip's worth makes one cut of a burst of throttles.
   *
   * @default a cut per throttle, as in the SDKs
   */
  readonly cutAtMostEvery?: Duration.DurationInput
  /**
   * A silence of so long is left out of the measured rate, which the first attempt after it would otherwise pull down; at
   * least as long as a measurement bucket.
   *
   * @default every silence counts, as in the SDKs
   */
  readonly idleAfter?: Duration.DurationInput
  /**
   * Without a throttle for so long there is no limit any more, until the next one.
   *
   * @default never, as in the SDKs
   */
  readonly offAfter?: Duration.DurationInput
}

const owner = "SendRate.layerAdaptive"

const check = (options: Adaptive): Cubic.Settings => {
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
 * An adaptive send rate as a value; `layerAdaptive` puts it behind a tag.
 *
 * @category constructors
 */
export const makeAdaptive = (options: Adaptive = {}): Effect.Effect<SendRate> => {
  const settings = check(options)
  const maxWait = Turn.check(owner, options)
  return Effect.map(
    Timed.make((now) => Cubic.make(settings, now)),
    ({ modify }) => {
      const turns = Turn.make(
        {
          take: (cost) => modify((cubic, now) => Cubic.taken(cubic, settings, now, cost)),
          giveBack: (cost) => modify((cubic) => [undefined, Cubic.givenBack(cubic, cost)]),
          millisUntil: (cost) => modify((cubic, now) => [Cubic.millisUntil(cubic, settings, now, cost), cubic])
        },
        maxWait
      )
      const hear = (throttled: boolean) =>
        Effect.uninterruptible(
          Effect.zipRight(
            modify((cubic, now) => [undefined, Cubic.heard(cubic, settings, now, throttled)]),
            turns.poke
          )
        )
      return {
        acquire: turns.acquire,
        heard: (result) => hear(result === "Throttled"),
        // Without a limit nobody waits.
        isFresh: modify((cubic, now) => [!Cubic.isLimited(cubic, settings, now), cubic])
      }
    }
  )
}

/**
 * The send-rate limiter of the AWS SDKs' adaptive mode behind a tag.
 *
 * Formula: a throttle takes the rate `w` (the lower of limit and measured rate) to `beta * w`; `t` seconds later it is
 * `scaleConstant * (t - K)^3 + w` with `K = cbrt(w * (1 - beta) / scaleConstant)`, at most twice the measured rate and at
 * least `minFillRate`. An attempt takes a token; tokens come in at the rate, up to a second's worth.
 * Every result is heard, whether a retry follows or not, also while attempts wait: the first in line then looks again.
 * Waiting is first come, first served. The limit is per layer: provide one per server, or use `layerKeyed`.
 * Source: AWS SDKs and Tools reference guide, "Retry behavior", adaptive mode,
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html; the constants are in the SDKs only:
 * https://github.com/smithy-lang/smithy-kotlin, `AdaptiveRateLimiter.kt`, read 2026-11-20.
 *
 * @category layers
 */
export const layerAdaptive = <I>(tag: Context.Tag<I, SendRate>, options: Adaptive = {}): Layer.Layer<I> =>
  Layer.effect(tag, makeAdaptive(options))
