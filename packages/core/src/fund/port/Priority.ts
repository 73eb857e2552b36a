/**
 * How much an attempt matters to those who wait for the same tokens, and to a limiter that has to refuse some.
 */
import * as Context from "effect/Context"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"

/** The levels, the lowest first: a level is its place here. */
export const levels = ["sheddable", "default", "critical"] as const

/**
 * How much the running operation matters: `critical`, `default` or `sheddable`. `default` where it is not set.
 *
 * `Effect.provideService(operation, TokenBucket.Priority, "sheddable")` sets it for a part of a program. A bucket that has
 * attempts wait serves the higher ones first; each second of a wait counts as one level, so none waits for ever behind later
 * ones. A limiter that refuses, `acceptRatio` or a limit of concurrency, refuses the lower ones first. Once others have asked, a limit
 * of concurrency that refuses keeps a fifth of its places from `sheddable` ones, and a bucket that pays for retries half of its
 * tokens.
 *
 * @category models
 */
export class Priority extends Context.Reference<Priority>()("@effect-retry/core/Priority", {
  defaultValue: (): (typeof levels)[number] => "default"
}) {}

/** What sheddable attempts may have of a limit of attempts in flight, once others have asked: four fifths, and at least one. */
export const leastOf = (limit: number): number => Math.max(1, Math.floor(limit * 0.8))

/** The lowest level. */
export const lowest = 0

/** Whether the attempt that asks is sheddable. To be called while an effect runs. */
export const isSheddable = (): boolean => currentLevel() === lowest

/** What the attempt that asks leaves of a capacity to others: a sheddable one half of it, where `highest` has asked as well. */
export const leftOf = (capacity: number, highest: number): number =>
  highest > lowest && isSheddable() ? capacity / 2 : 0

/** A wait of so long counts as one level. */
export const stepMillis = 1000

/** The level of the operation that runs. To be called while an effect runs. */
export const currentLevel = (): number => {
  const level = levels.indexOf(Context.get(Line.context(AtOnce.currentFiber()), Priority))
  return level === -1 ? levels.indexOf("default") : level
}
