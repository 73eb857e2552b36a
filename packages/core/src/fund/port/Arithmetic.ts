/**
 * What a bucket with a level counts, as pure functions, and the store that runs them.
 */
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Grant, Request, TokenBucket } from "./Port.ts"

/** The arithmetic of a store, pure. Every function receives the time, and only its result is stored. */
export interface Arithmetic<S> {
  readonly initial: (nowMillis: number) => S
  /** Whether time never moves the state, and the functions ignore `nowMillis`. @default false */
  readonly isTimeless?: boolean
  /** The state once an attempt asks, whatever it is answered; not where attempts wait. @default unchanged */
  readonly asked?: (state: S) => S
  /** What a state grants to every attempt, at any time and unchanged: then the clock is not read. @default nothing */
  readonly free?: (state: S) => Option.Option<Grant>
  /** Whether a state refuses every attempt, also those that wait. @default never */
  readonly isShut?: (state: S) => boolean
  /**
   * Attempts that wait at most. One more is refused, or takes the place of the newest one of the lowest priority below its
   * own. @default no limit
   */
  readonly maxWaiting?: number
  /** The grant of what `take` took. @default so many tokens */
  readonly granted?: (taken: number, refund: Effect.Effect<void>) => Grant
  /**
   * Takes `cost`, or nothing. `demand` is what all waiters together want if the attempt is one of them; zero for an
   * attempt that has just arrived. Returns the tokens that were really taken, or what `granted` and `put` know them by.
   */
  readonly take: (
    state: S,
    nowMillis: number,
    cost: number,
    demand: number,
    request: Request
  ) => Option.Option<readonly [tokens: number, S]>
  /** Puts back what `take` took for a request. */
  readonly put: (state: S, nowMillis: number, tokens: number, request: Request) => S
  /** Whole milliseconds until `cost` tokens are there; `Infinity` if time alone does not bring them. */
  readonly millisUntil: (state: S, nowMillis: number, cost: number) => number
  /**
   * The same at the soonest, where an outcome may bring them before time does: an attempt that could not wait for so long is
   * refused at once, and so is one that waits. @default `millisUntil`, before the wait alone
   */
  readonly soonestMillis?: (state: S, nowMillis: number) => number
  readonly level: (state: S, nowMillis: number) => number
}

export interface TokenStore<S> extends Pick<TokenBucket, "level"> {
  /** Takes `cost`, all or nothing, where the store waits in its turn. Must run uninterruptibly. */
  readonly acquire: (cost: number, request: Request) => Effect.Effect<Option.Option<Grant>>
  /**
   * Changes the state and lets the first waiter look again. Where `ignoresTime` holds for a state, `f` ignores `nowMillis`,
   * and the clock is not read.
   */
  readonly change: (f: (state: S, nowMillis: number) => S, ignoresTime?: (state: S) => boolean) => Effect.Effect<void>
  readonly look: <A>(f: (state: S, nowMillis: number) => A, ignoresTime?: (state: S) => boolean) => Effect.Effect<A>
}
