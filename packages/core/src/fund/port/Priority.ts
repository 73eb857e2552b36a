/**
 * How important an attempt is, compared with others that want the same tokens.
 */
import * as Context from "effect/Context"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"

/** The priorities, the lowest first. A level is an index into this list. */
export const levels = ["sheddable", "default", "critical"] as const

/**
 * How important the running operation is: `critical`, `default` or `sheddable`; `default` if not set.
 *
 * `Effect.provideService(operation, TokenBucket.Priority, "sheddable")` sets it for a part of a program. A bucket in
 * which attempts wait serves higher priorities first; each second of waiting counts as one level, so no attempt waits
 * for ever behind later ones. A limiter that refuses, such as `acceptRatio` or a concurrency limit, refuses lower
 * priorities first. Once others have asked, a concurrency limit that refuses keeps a fifth of its places from
 * `sheddable` attempts, and a bucket that pays for retries keeps half of its tokens from them.
 *
 * @category models
 */
export class Priority extends Context.Reference<Priority>()("@effect-retry/core/Priority", {
  defaultValue: (): (typeof levels)[number] => "default"
}) {}

/** How much of a limit on attempts in flight sheddable attempts may use, once others have asked: four fifths, at least one. */
export const leastOf = (limit: number): number => Math.max(1, Math.floor(limit * 0.8))

/** The lowest level. */
export const lowest = 0

/** Whether the asking attempt is sheddable. Call it only while an effect runs. */
export const isSheddable = (): boolean => currentLevel() === lowest

/**
 * How much of a capacity an asking attempt leaves to others: half of it if the attempt is sheddable and a higher
 * priority has asked before.
 */
export const leftOf = (capacity: number, highest: number): number =>
  highest > lowest && isSheddable() ? capacity / 2 : 0

/** How much waiting counts as one level. */
export const stepMillis = 1000

/** The level of the running operation. Call it only while an effect runs. */
export const currentLevel = (): number => {
  const level = levels.indexOf(Context.get(Line.context(AtOnce.currentFiber()), Priority))
  return level === -1 ? levels.indexOf("default") : level
}
