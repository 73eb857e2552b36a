/**
 * A fixed rate of attempts per second, with a burst after a pause.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import type { TokenBucket } from "../port/Port.ts"
import * as Tokens from "../count/Tokens.ts"
import * as TokenStore from "../store/TokenStore.ts"
import * as Waiting from "../port/Waiting.ts"

/** The options of `fixed`. */
interface Options extends Waiting.Options {
  /** Attempts per second. */
  readonly rate: number
  /** How many attempts can be made at once at the start and after a pause. At least 1. */
  readonly burst: number
}

const owner = "RateLimiter.fixed"

/** How late a timer may fire without a loss: tokens refilled meanwhile are kept for waiting attempts, beyond the burst. */
const lateSeconds = 0.1

/**
 * A fixed rate of attempts; outcomes change nothing.
 *
 * Formula: in any `w` seconds at most `burst + rate * (w + 0.1)` attempts, and `burst + rate * (w + 0.001)` if timers are
 * punctual; over `w` seconds in which attempts are always waiting, at least `rate * w - 1`. The millisecond is the
 * resolution of timers: above 1000 per second, the attempts of one millisecond are made together. After a
 * late timer, at most a tenth of a second is made up for; the rest of a stall is lost.
 * Waiting is first come, first served.
 *
 * @category constructors
 */
export const fixed = (options: Options): Effect.Effect<TokenBucket> => {
  const given = Argument.options(owner, "{ rate: 10, burst: 10 }", options, {
    rate: true,
    burst: true,
    whenShort: false,
    maxWait: false
  })
  const refillPerSecond = Argument.number(owner, "rate", given.rate, { min: 0, exclusive: true })
  const burst = Argument.number(owner, "burst", given.burst, { min: 1 })
  const maxWait = Waiting.check(owner, options, "wait")
  const idle = { capacity: burst, refillPerSecond }
  const waiting = { capacity: burst + refillPerSecond * lateSeconds, refillPerSecond }
  // A second refill at the same time changes nothing (see `Tokens.refilled`): the surplus from a timer's whole milliseconds
  // can be taken until time passes.
  const refilled = (tokens: Tokens.Tokens, now: number, demand: number) =>
    Tokens.refilled(tokens, demand > 0 ? waiting : idle, now)
  const arithmetic: TokenStore.Arithmetic<Tokens.Tokens> = {
    initial: (atMillis) => ({ level: burst, atMillis }),
    take: (tokens, now, cost, demand) => {
      const after = Tokens.taken(refilled(tokens, now, demand), cost)
      return Option.isSome(after) ? [cost, after.value] : undefined
    },
    put: (tokens, now, count) => Tokens.added(refilled(tokens, now, count), waiting, count),
    millisUntil: (tokens, now, cost) => Tokens.millisUntil(refilled(tokens, now, cost), idle, cost),
    level: (tokens, now) => refilled(tokens, now, 0).level
  }
  return Effect.map(TokenStore.make(arithmetic, maxWait), ({ acquire, level }) => ({
    acquire,
    record: () => Effect.void,
    level
  }))
}
