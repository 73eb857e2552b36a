/**
 * A retry budget that is a share of the successes.
 *
 * A budget credited by successes runs dry in an outage; one credited by requests (`requestRatio`) keeps granting its share.
 * docs/buckets.md shows what that means for a server that has to recover.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import type { TokenBucket } from "../port/Port.ts"
import * as Budget from "../store/Budget.ts"

/** The options of `successRatio`. */
interface Options {
  /** Tokens that a success adds: 0.1 for one retry per ten successes. At least 0. */
  readonly ratio: number
  /** The largest number of retries that can be made in a row without a success. At least 1. */
  readonly capacity: number
  /** The level at the start, at most the capacity. @default the capacity */
  readonly initial?: number
  /** Retries per second that are granted even without successes. @default 0 */
  readonly floorPerSecond?: number
}

const owner = "TokenBucket.successRatio"

/**
 * A budget credited by successes; a retry costs one token. Retries of priority `sheddable` leave half of the capacity to
 * others, once others have asked.
 *
 * Formula: `retries <= initial + ratio * successes + floorPerSecond * t`.
 * Source: https://brooker.co.za/blog/2022/02/28/retries.html, "token bucket".
 *
 * @category constructors
 */
export const successRatio = (options: Options): Effect.Effect<TokenBucket> => {
  const given = Argument.options(owner, "{ ratio: 0.1, capacity: 10 }", options, {
    ratio: true,
    capacity: true,
    initial: false,
    floorPerSecond: false
  })
  const ratio = Argument.number(owner, "ratio", given.ratio, { min: 0 })
  const capacity = Argument.number(owner, "capacity", given.capacity, { min: 1 })
  const initial = Argument.number(owner, "initial", options.initial ?? capacity, { min: 0, max: capacity })
  const refillPerSecond = Argument.number(owner, "floorPerSecond", options.floorPerSecond ?? 0, { min: 0 })
  const { acquire, level, make, putIn } = Budget.make({ capacity, initial, refillPerSecond, maxWait: Option.none() })
  return Effect.map(make, (self) => {
    const credit = putIn(self, ratio)
    return {
      acquire: (request) => acquire(self, request),
      record: ({ _tag }) => (_tag === "Succeeded" ? credit : Effect.void),
      level: level(self)
    }
  })
}
