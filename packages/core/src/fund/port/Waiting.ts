/**
 * Whether an attempt waits when tokens are short, and for how long.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import type { Request } from "./Port.ts"

/** The options of every bucket and rate limiter that can wait. */
export interface Options {
  /** What happens when tokens are short: the attempt is refused, or waits for its turn. */
  readonly whenShort?: "refuse" | "wait"
  /** The longest wait; an attempt that would have to wait longer is refused at once. @default no limit */
  readonly maxWait?: Duration.DurationInput
}

/** The longest wait in milliseconds; `None` for no waiting at all. */
export type MaxWait = Option.Option<number>

/** Checks the options; `otherwise` is the default of `whenShort`. */
export const check = (owner: string, { maxWait, whenShort }: Options, otherwise: "refuse" | "wait"): MaxWait => {
  const waits = Argument.oneOf(owner, "whenShort", whenShort ?? otherwise, ["refuse", "wait"]) === "wait"
  if (!waits && maxWait !== undefined) {
    Argument.refuse(owner, "maxWait", 'absent if whenShort is "refuse"', maxWait)
  }
  if (!waits) return Option.none()
  return Option.some(maxWait === undefined ? Infinity : Argument.millis(owner, "maxWait", maxWait, { min: 0 }))
}

/** Checks how many attempts may wait. */
export const checkMost = (owner: string, maxWaiting: number | undefined, maxWait: MaxWait): number => {
  if (maxWaiting === undefined) return Infinity
  if (Option.isNone(maxWait)) Argument.refuse(owner, "maxWaiting", 'absent if whenShort is "refuse"', maxWaiting)
  return Argument.number(owner, "maxWaiting", maxWaiting, { min: 0, integer: true })
}

/**
 * How long a request may wait, in milliseconds: the shorter of the bucket's own limit and the operation's remaining time.
 */
export const millisFor = (maxWaitMillis: number, { atMost }: Request): number =>
  Option.isNone(atMost) ? maxWaitMillis : Math.min(maxWaitMillis, Duration.toMillis(atMost.value))
