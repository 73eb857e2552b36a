/**
 * The counting of a bucket with a level, as pure functions, and the store that runs them.
 */
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Grant, Request, TokenBucket } from "./Port.ts"

/** The arithmetic of a store; pure. Every function receives the time, and only results are stored. */
export interface Arithmetic<S> {
  readonly initial: (nowMillis: number) => S
  /** Whether time does not change the state, so that the functions ignore `nowMillis`. @default false */
  readonly isTimeless?: boolean
  /** The cost of an attempt, in tokens. @default 1 */
  readonly costOf?: (request: Request) => number
  /** The state after an attempt has asked, whatever the answer; not used if attempts wait. @default unchanged */
  readonly asked?: (state: S) => S
  /** What a state grants to every attempt without changing, at any time; the clock is then not read. @default nothing */
  readonly free?: (state: S) => Option.Option<Grant>
  /** Whether a state refuses every attempt, waiting ones included. @default never */
  readonly isShut?: (state: S) => boolean
  /**
   * How many attempts may wait. One more is refused, or replaces the newest waiter of the lowest priority below its own.
   * @default no limit
   */
  readonly maxWaiting?: number
  /** Makes the grant from what `take` took; attempts that took the same may share it. @default a grant of that many tokens */
  readonly granted?: (taken: number, refund: Effect.Effect<void>) => Grant
  /**
   * Takes `cost`, or nothing. `demand` is what all waiters together want if the attempt is one of them; zero for an
   * attempt that has just arrived. Returns the number of tokens taken, or a number by which `granted` and `put`
   * identify them.
   */
  readonly take: (
    state: S,
    nowMillis: number,
    cost: number,
    demand: number,
    request: Request
  ) => readonly [taken: number, S] | undefined
  /** Puts back what was taken. */
  readonly put: (state: S, nowMillis: number, taken: number) => S
  /** Whole milliseconds until `cost` tokens are there; `Infinity` if time alone does not bring them. */
  readonly millisUntil: (state: S, nowMillis: number, cost: number) => number
  /**
   * Whole milliseconds until there can be tokens, if an outcome may bring them before time does. An attempt that may not wait
   * that long is refused at once, even while it waits. @default `millisUntil`, checked only before the wait
   */
  readonly soonestMillis?: (state: S, nowMillis: number) => number
  readonly level: (state: S, nowMillis: number) => number
}

/** What a store holds. */
interface Latest<S> {
  readonly state: { readonly tokens: S }
}

export interface TokenStore<S> extends Pick<TokenBucket, "acquire" | "level"> {
  /**
   * Makes a function that sends a message to the store: it changes the state and lets the first waiter check again. If
   * `ignoresTime` holds for a state, `f` ignores `nowMillis`, and the clock is not read.
   */
  readonly change: <M = void>(
    f: (state: S, nowMillis: number, message: M) => S,
    ignoresTime?: (state: S) => boolean
  ) => (message: M) => Effect.Effect<void>
  readonly look: <A>(f: (state: S, nowMillis: number) => A) => Effect.Effect<A>
  /** Reads the state after the latest change, without the time. */
  readonly latest: Effect.Effect<Latest<S>>
}
