/**
 * Tokens that are taken, refunded and waited for: what the buckets with a level have in common.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as MonotonicTime from "./MonotonicTime.ts"
import * as TimedRef from "./TimedRef.ts"
import type { Grant, Request, TokenBucket } from "./Port.ts"
import { noTokens } from "./Port.ts"
import type { Limits } from "./Tokens.ts"
import * as Tokens from "./Tokens.ts"
import * as Waiting from "./Waiting.ts"
import * as WaitQueue from "./WaitQueue.ts"

/**
 * The arithmetic of a store, pure. Every function gets the time, and only what it returns is stored.
 *
 * @category models
 */
export interface Arithmetic<S> {
  readonly initial: (nowMillis: number) => S
  /** Whether time never moves the state: the clock is not read then, and `nowMillis` is zero. @default false */
  readonly isTimeless?: boolean
  /** Whether a state grants everything for nothing, at any time: the clock is not read then. @default never */
  readonly isFree?: (state: S) => boolean
  /** Takes `cost`, or nothing; `demand` as in `WaitQueue.Source`. Answers the tokens that were really taken. */
  readonly take: (
    state: S,
    nowMillis: number,
    cost: number,
    demand: number,
    request: Request
  ) => Option.Option<readonly [tokens: number, S]>
  /** Puts back what `take` took for a request. */
  readonly put: (state: S, nowMillis: number, tokens: number, request: Request) => S
  readonly millisUntil: (state: S, nowMillis: number, cost: number) => number
  readonly level: (state: S, nowMillis: number) => number
}

/**
 * @category models
 */
export interface TokenStore<S> extends Pick<TokenBucket, "level"> {
  readonly acquire: (cost: number, request: Request) => Effect.Effect<Option.Option<Grant>>
  /** Changes the state and lets the first waiter look again. */
  readonly change: (f: (state: S, nowMillis: number) => S) => Effect.Effect<void>
}

const free: Option.Option<Grant> = /*#__PURE__*/ Option.some(noTokens)

/**
 * @category constructors
 */
export const make = <S>(arithmetic: Arithmetic<S>, maxWait: Waiting.MaxWait): Effect.Effect<TokenStore<S>> =>
  Effect.suspend(() => {
    const nowMillis = MonotonicTime.makeReader()
    const state =
      arithmetic.isTimeless === true
        ? TimedRef.makeTimeless(arithmetic.initial(0))
        : TimedRef.makeWith(nowMillis, arithmetic.initial)
    return Effect.map(state, (state) => storeOf(state, nowMillis, arithmetic, maxWait))
  })

const storeOf = <S>(
  { modify, unsafeGet, unsafeModify, unsafeUpdate }: TimedRef.TimedRef<S>,
  nowMillis: MonotonicTime.Reader,
  arithmetic: Arithmetic<S>,
  maxWait: Waiting.MaxWait
): TokenStore<S> => {
  const { isFree = () => false } = arithmetic
  const take: WaitQueue.Source["take"] = (cost, demand, request) =>
    isFree(unsafeGet())
      ? free
      : unsafeModify((state, now) => {
          const taken = arithmetic.take(state, now, cost, demand, request)
          return Option.isSome(taken) ? [grant(taken.value[0], request), taken.value[1]] : [Option.none(), state]
        })
  const grant = (tokens: number, request: Request): Option.Option<Grant> =>
    Option.some({ tokens, refund: change((state, now) => arithmetic.put(state, now, tokens, request)) })
  const millisUntil: WaitQueue.Source["millisUntil"] = (cost) =>
    unsafeModify((state, now) => [arithmetic.millisUntil(state, now, cost), state])
  const maxWaitMillis = Option.getOrUndefined(maxWait)
  const queue = maxWaitMillis === undefined ? undefined : WaitQueue.make({ take, millisUntil }, nowMillis)
  // The waiter may run before the wake-up returns: what it reads has to be there.
  const change: TokenStore<S>["change"] = (f) =>
    Effect.sync(() => {
      unsafeUpdate(f)
      queue?.unsafeWakeFirst()
    })
  return {
    acquire:
      queue === undefined || maxWaitMillis === undefined
        ? (cost, request) => Effect.sync(() => take(cost, 0, request))
        : (cost, request) => queue.acquire(cost, Waiting.millisFor(maxWaitMillis, request), request),
    change,
    level: modify((state, now) => [arithmetic.level(state, now), state])
  }
}

/**
 * Tokens with a capacity and a refill, from a level at the start.
 *
 * @category constructors
 */
export const makeTokens = (
  limits: Limits,
  initial: number,
  maxWait: Waiting.MaxWait
): Effect.Effect<TokenStore<Tokens.Tokens>> =>
  make<Tokens.Tokens>(
    {
      initial: (atMillis) => ({ level: initial, atMillis }),
      isTimeless: limits.refillPerSecond === 0,
      take: (tokens, now, cost) =>
        Option.map(Tokens.taken(Tokens.refilled(tokens, limits, now), cost), (after) => [cost, after]),
      put: (tokens, now, count) => added(tokens, limits, now, count),
      millisUntil: (tokens, now, cost) => Tokens.millisUntil(Tokens.refilled(tokens, limits, now), limits, cost),
      level: (tokens, now) => Tokens.refilled(tokens, limits, now).level
    },
    maxWait
  )

/**
 * Puts tokens in, after those that time has brought.
 *
 * @category combinators
 */
export const added = (self: Tokens.Tokens, limits: Limits, nowMillis: number, tokens: number): Tokens.Tokens =>
  Tokens.added(Tokens.refilled(self, limits, nowMillis), limits, tokens)
