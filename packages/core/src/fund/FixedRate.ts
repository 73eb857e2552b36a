/**
 * A fixed rate of sending: so many attempts per second, and so many at once after a pause.
 */
import type { Context } from "effect"
import { Effect, Layer, Option } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import type { SendRate } from "./SendRate.ts"
import * as Timed from "./Timed.ts"
import * as TokenBucket from "./Tokens.ts"
import * as Turn from "./Turn.ts"

/**
 * @category models
 */
export interface Fixed extends Turn.Waiting {
  /** Attempts per second. */
  readonly rate: number
  /** Attempts that can be sent at once after a pause, and at the start. At least 1. */
  readonly burst: number
}

const owner = "SendRate.layerFixed"

/** How late a timer may ring without loss: what comes in meanwhile is kept beyond the burst for those that wait. */
const lateSeconds = 0.1

/**
 * A fixed send rate as a value; `layerFixed` puts it behind a tag.
 *
 * @category constructors
 */
export const makeFixed = (options: Fixed): Effect.Effect<SendRate> => {
  const refillPerSecond = Argument.number(owner, "rate", options.rate, { min: 0, exclusive: true })
  const burst = Argument.number(owner, "burst", options.burst, { min: 1 })
  const maxWait = Turn.check(owner, options)
  const idle = { capacity: burst, refillPerSecond }
  const waiting = { capacity: burst + refillPerSecond * lateSeconds, refillPerSecond }
  // What a timer's whole milliseconds brought too much may be taken until time passes.
  const refilled = (bucket: TokenBucket.TokenBucket, now: number, demand: number) =>
    now === bucket.atMillis ? bucket : TokenBucket.refilled(bucket, demand > 0 ? waiting : idle, now)
  return Effect.map(
    Timed.make((now): TokenBucket.TokenBucket => ({ tokens: burst, atMillis: now })),
    ({ modify }) => {
      const { acquire, isNobodyWaiting } = Turn.make(
        {
          take: (cost, demand) =>
            modify((before, now) => {
              const bucket = refilled(before, now, demand)
              const after = TokenBucket.taken(bucket, cost)
              return [Option.isSome(after), Option.getOrElse(after, () => bucket)]
            }),
          giveBack: (cost) => modify((bucket) => [undefined, TokenBucket.added(bucket, waiting, cost)]),
          millisUntil: (cost) =>
            modify((bucket, now) => [TokenBucket.millisUntil(refilled(bucket, now, cost), idle, cost), bucket])
        },
        maxWait
      )
      const isFull = modify((bucket, now) => [refilled(bucket, now, 0).tokens >= burst, bucket])
      return {
        acquire,
        heard: () => Effect.void,
        isFresh: Effect.zipWith(isNobodyWaiting, isFull, (nobodyWaits, full) => nobodyWaits && full)
      }
    }
  )
}

/**
 * A fixed send rate behind a tag.
 *
 * Formula: in any `w` seconds at most `burst + rate * (w + 0.001)` attempts, and over `w` seconds in which some always
 * wait no less than one short of `rate * w`. The millisecond is the resolution of timers: above 1000 per second the
 * attempts of a millisecond are sent together. A timer that rings later is made up for, by up to a tenth of a second's
 * attempts.
 * Waiting is first come, first served; results are not listened to.
 *
 * @category layers
 */
export const layerFixed = <I>(tag: Context.Tag<I, SendRate>, options: Fixed): Layer.Layer<I> =>
  Layer.effect(tag, makeFixed(options))
