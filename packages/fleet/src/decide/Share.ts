/**
 * The share of one of several members of a bucket. Pure.
 *
 * A share follows the number of members without gaining tokens: what it holds stays or is cut to the new burst, and
 * each period is refilled at the rate then in force.
 * Formula: `burst / sharers` and `perSecond / sharers`; so all shares together hold and refill at most what the bucket
 * does, if every member knows all others. A share too small to ever hold the cost of one attempt may fill up to
 * `least`, by time alone: over any window the members grant at most `max(burst, sharers * least) + perSecond * window`
 * together.
 */
import * as Tokens from "@effect-retry/core/unstable/Tokens"
import * as Option from "effect/Option"
import type { Limits } from "./Gcra.ts"

/** The shared bucket. */
interface Whole extends Limits {
  /** The cost of the most expensive attempt, in tokens. */
  readonly least: number
}

export interface Share extends Tokens.Tokens {
  readonly limits: Tokens.Limits
}

/** The initial share, with its part of the burst. */
export const make = (whole: Whole, sharers: number, nowMillis: number): Share => ({
  level: whole.burst / sharers,
  atMillis: nowMillis,
  limits: limits(whole, sharers)
})

/** The limits of one of `sharers` shares. */
const limits = ({ burst, least, perSecond }: Whole, sharers: number): Tokens.Limits => ({
  capacity: Math.max(burst / sharers, Math.min(least, burst)),
  refillPerSecond: perSecond / sharers
})

/** The share from now on, as one of `sharers`. */
export const resized = (self: Share, whole: Whole, sharers: number, nowMillis: number): Share => {
  const after = limits(whole, sharers)
  return { ...Tokens.added(refilled(self, nowMillis), after, 0), limits: after }
}

/** Takes `cost` tokens, or nothing. */
export const taken = (self: Share, nowMillis: number, cost: number): Option.Option<Share> =>
  Option.map(Tokens.taken(refilled(self, nowMillis), cost), (tokens) => ({ ...tokens, limits: self.limits }))

/** Puts back taken tokens, up to the capacity of the share. */
export const put = (self: Share, nowMillis: number, tokens: number): Share => ({
  ...Tokens.added(refilled(self, nowMillis), self.limits, tokens),
  limits: self.limits
})

/** Whole milliseconds until `cost` tokens are there by time alone. */
export const millisUntil = (self: Share, nowMillis: number, cost: number): number =>
  Tokens.millisUntil(refilled(self, nowMillis), self.limits, cost)

/** Tokens at this moment. */
export const level = (self: Share, nowMillis: number): number => refilled(self, nowMillis).level

const refilled = (self: Share, nowMillis: number): Tokens.Tokens => Tokens.refilled(self, self.limits, nowMillis)
