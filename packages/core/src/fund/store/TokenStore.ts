/**
 * Tokens that are taken, refunded and waited for: what the buckets with a level have in common.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Arithmetic, TokenStore } from "../port/Arithmetic.ts"
import type { Grant } from "../port/Port.ts"
import { noTokens } from "../port/Port.ts"
import * as TimedRef from "./TimedRef.ts"
import type { Limits } from "../count/Tokens.ts"
import * as Tokens from "../count/Tokens.ts"
import type * as Waiting from "../port/Waiting.ts"
import * as WaitingStore from "./WaitingStore.ts"
import * as PriorityQueue from "./PriorityQueue.ts"

export type { Arithmetic, TokenStore } from "../port/Arithmetic.ts"

export const make = <S>(arithmetic: Arithmetic<S>, maxWait: Waiting.MaxWait): Effect.Effect<TokenStore<S>> => {
  const { initial, isTimeless } = arithmetic
  return Option.match(maxWait, {
    onNone: () => {
      const ref = isTimeless === true ? TimedRef.makeTimeless(initial(0)) : TimedRef.make(initial)
      return Effect.map(ref, (ref) => refusing(ref, arithmetic))
    },
    onSome: (maxWaitMillis) => {
      const waited = (tokens: S): WaitingStore.Waited<S> => ({ tokens, queue: PriorityQueue.empty })
      const ref =
        isTimeless === true
          ? TimedRef.makeUnread(waited(initial(0)))
          : TimedRef.make((nowMillis) => waited(initial(nowMillis)))
      return Effect.map(ref, (ref) => WaitingStore.make(ref, arithmetic, maxWaitMillis))
    }
  })
}

/** Granted by a state that takes nothing. */
export const free: Option.Option<Grant> = /*#__PURE__*/ Option.some(noTokens)

/** A store in which no attempt waits. */
const refusing = <S>({ modify }: TimedRef.TimedRef<S>, arithmetic: Arithmetic<S>): TokenStore<S> => {
  const { free = Option.none, granted = WaitingStore.ofTokens } = arithmetic
  const change: TokenStore<S>["change"] = (f, ignoresTime) =>
    modify((state, now) => [undefined, f(state, now)], ignoresTime)
  const look: TokenStore<S>["look"] = (f, ignoresTime) => modify((state, now) => [f(state, now), state], ignoresTime)
  const isFree = (state: S) => Option.isSome(free(state))
  return {
    acquire: (cost, request) =>
      modify((state, now): readonly [Option.Option<Grant>, S] => {
        const unchanged = free(state)
        if (Option.isSome(unchanged)) return [unchanged, state]
        const answer = arithmetic.take(state, now, cost, 0, request)
        if (Option.isNone(answer)) return [Option.none(), state]
        const [taken, after] = answer.value
        // Rare: it is made when it is run.
        const refund = Effect.suspend(() => change((state, now) => arithmetic.put(state, now, taken, request)))
        return [Option.some(granted(taken, refund)), after]
      }, isFree),
    change,
    level: look(arithmetic.level),
    look
  }
}

/** Tokens with a capacity and a refill, from a level at the start. */
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

/** Puts tokens in, after those that time has brought. */
export const added = (self: Tokens.Tokens, limits: Limits, nowMillis: number, tokens: number): Tokens.Tokens =>
  Tokens.added(Tokens.refilled(self, limits, nowMillis), limits, tokens)
