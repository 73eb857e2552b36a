/**
 * The arithmetic of a bucket in a store: GCRA on one number, the theoretical arrival time.
 *
 * The arrival time is when the bucket will be full again, in whole microseconds since 1970 by the clock of the store; a
 * full bucket has none. The scripts and statements of a store move it: taking tokens forward, putting tokens in back.
 *
 * Tokens are converted into microseconds here, always rounding to the safe side: a cost up, a credit down, a wait up.
 * The burst is rounded up once, so that all of it can be taken.
 * Formula: over any `w` seconds at most `burst + perSecond * (w + 0.000001)` tokens.
 * Source: ITU-T I.371, "Generic cell rate algorithm", the virtual scheduling algorithm.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Option from "effect/Option"

/**
 * How many tokens a bucket of the store can hold, and how it refills.
 *
 * @category models
 */
export interface Limits {
  readonly burst: number
  readonly perSecond: number
}

/**
 * The answer of a store to a request for tokens.
 *
 * @category models
 */
export interface Taken {
  /** Tokens taken: as many as wanted, or fewer but at least the minimum, or zero. */
  readonly granted: number
  /** Whole milliseconds until time alone has refilled the minimum; zero if something was granted. */
  readonly retryAfterMillis: number
  /** Tokens left in the store. */
  readonly level: number
}

/** A request for tokens, in whole microseconds of refill. */
export interface Question {
  /** The time in which an empty bucket fills. */
  readonly window: number
  readonly want: number
  readonly least: number
}

/** The answer, in whole microseconds. */
export interface Answer {
  readonly granted: number
  readonly retryAfter: number
  readonly room: number
}

const microsPerSecond = 1_000_000

/**
 * The longest time in which a bucket may fill: half of the range that a double holds exactly, so that arrival times are
 * exact until the year 2112.
 */
const longestWindow = 2 ** 52

/**
 * Checks limits; throws an `InvalidArgument` if they cannot be counted in whole microseconds. `names` are the caller's
 * option names.
 *
 * The rate is at most one token per microsecond, and an empty bucket must fill within 142 years.
 */
export const check = (
  owner: string,
  { burst, perSecond }: Limits,
  names: { readonly [F in keyof Limits]: string } = { burst: "burst", perSecond: "perSecond" }
): Limits => {
  Argument.number(owner, names.perSecond, perSecond, { min: 0, exclusive: true, max: microsPerSecond })
  const max = (longestWindow / microsPerSecond) * perSecond
  return { burst: Argument.number(owner, names.burst, burst, { min: 0, exclusive: true, max }), perSecond }
}

/** The time in which an empty bucket fills. */
export const window = ({ burst, perSecond }: Limits): number => cost({ perSecond }, burst)

/** The cost of tokens, rounded up. */
const cost = ({ perSecond }: Pick<Limits, "perSecond">, tokens: number): number =>
  Math.ceil((tokens * microsPerSecond) / perSecond)

/** The value of tokens that are put in, rounded down. */
export const credit = ({ perSecond }: Pick<Limits, "perSecond">, tokens: number): number =>
  Math.floor((tokens * microsPerSecond) / perSecond)

/** Converts an amount in microseconds into tokens, never above the burst. */
export const tokens = ({ burst, perSecond }: Limits, room: number): number =>
  Math.min(burst, (room * perSecond) / microsPerSecond)

/** A request for `want` tokens, or as many as there are but at least `least`. */
export const question = (limits: Limits, want: number, least: number): Question => ({
  window: window(limits),
  want: cost(limits, want),
  least: cost(limits, least)
})

/**
 * How many of the tokens taken that long ago can be put back: those that time has not refilled since, so that none
 * counts twice.
 */
export const unfilled = ({ perSecond }: Pick<Limits, "perSecond">, taken: number, ageMillis: number): number =>
  Math.max(0, taken - (perSecond * ageMillis) / 1000)

/**
 * An answer in tokens; `None` if the store's numbers are no valid answer to the request.
 *
 * The minimum is granted in full, and what is wanted is never exceeded, whatever a division rounds.
 */
export const fromAnswer = (
  limits: Limits,
  want: number,
  least: number,
  { granted, retryAfter, room }: Answer
): Option.Option<Taken> => {
  const asked = question(limits, want, least)
  const isGrant = retryAfter === 0 && granted >= asked.least && granted <= asked.want
  const isRefusal = granted === 0 && retryAfter > 0 && retryAfter <= asked.least
  if (!(isGrant || isRefusal) || room < 0 || granted + room > asked.window) return Option.none()
  return Option.some({
    granted: isGrant ? Math.max(least, Math.min(want, tokens(limits, granted))) : 0,
    retryAfterMillis: asked.least > asked.window ? Infinity : Math.ceil(retryAfter / 1000),
    level: tokens(limits, room)
  })
}
