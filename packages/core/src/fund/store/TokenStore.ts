/**
 * The store shared by all buckets with a level: taking, refunding and waiting for tokens.
 */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type { Arithmetic, TokenStore } from "../port/Arithmetic.ts"
import type { Grant } from "../port/Port.ts"
import { noTokens } from "../port/Port.ts"
import * as TimedRef from "./TimedRef.ts"
import type { Limits } from "../count/Tokens.ts"
import * as Tokens from "../count/Tokens.ts"
import * as Priority from "../port/Priority.ts"
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

/** The grant of a state that takes no tokens. */
export const free: Option.Option<Grant> = /*#__PURE__*/ Option.some(noTokens)

/** A store in which no attempt waits. */
const refusing = <S>({ modify }: TimedRef.TimedRef<S>, arithmetic: Arithmetic<S>): TokenStore<S> => {
  const { asked = identity, free = Option.none, granted = WaitingStore.ofTokens } = arithmetic
  const change: TokenStore<S>["change"] = (f, ignoresTime) =>
    modify((state, now) => [undefined, f(state, now)], ignoresTime)
  const look: TokenStore<S>["look"] = (f, ignoresTime) => modify((state, now) => [f(state, now), state], ignoresTime)
  const isFree = (state: S) => Option.isSome(free(state))
  return {
    acquire: (cost, request) =>
      modify((before, now): readonly [Option.Option<Grant>, S] => {
        const state = asked(before)
        const unchanged = free(state)
        if (Option.isSome(unchanged)) return [unchanged, state]
        const answer = arithmetic.take(state, now, cost, 0, request)
        if (Option.isNone(answer)) return [Option.none(), state]
        const [taken, after] = answer.value
        // Refunds are rare, so the effect is built when it is run.
        const refund = Effect.suspend(() => change((state, now) => arithmetic.put(state, now, taken, request)))
        return [Option.some(granted(taken, refund)), after]
      }, isFree),
    change,
    level: look(arithmetic.level),
    look
  }
}

/** Tokens with a capacity and a refill, to which outcomes may add. */
export interface Budget extends Pick<TokenStore<unknown>, "acquire" | "level"> {
  /** Refills, then adds tokens. */
  readonly putIn: (tokens: number) => Effect.Effect<void>
}

interface Held {
  readonly tokens: Tokens.Tokens
  /** The highest priority that has asked: lower ones leave tokens for it. */
  readonly highest: number
}

/**
 * Makes tokens with a capacity, a refill and an initial level. If attempts do not wait, low priorities leave some to others.
 */
export const makeTokens = (limits: Limits, initial: number, maxWait: Waiting.MaxWait): Effect.Effect<Budget> => {
  const leaves = Option.isNone(maxWait)
  const refilled = ({ tokens }: Held, now: number) => Tokens.refilled(tokens, limits, now)
  const added = (before: Held, now: number, count: number): Held => {
    const tokens = Tokens.added(refilled(before, now), limits, count)
    return tokens === before.tokens ? before : { tokens, highest: before.highest }
  }
  const arithmetic: Arithmetic<Held> = {
    initial: (atMillis) => ({ tokens: { level: initial, atMillis }, highest: Priority.lowest }),
    isTimeless: limits.refillPerSecond === 0,
    asked: noteLevel,
    take: (before, now, cost) => {
      const { highest } = before
      const tokens = refilled(before, now)
      const left = leaves && cost > 0 ? Priority.leftOf(limits.capacity, highest) : 0
      if (left > 0 && Option.isNone(Tokens.taken(tokens, cost + left))) return Option.none()
      return Option.map(Tokens.taken(tokens, cost), (after) => [cost, { tokens: after, highest }])
    },
    put: added,
    millisUntil: (before, now, cost) => Tokens.millisUntil(refilled(before, now), limits, cost),
    level: (before, now) => refilled(before, now).level
  }
  return Effect.map(make(arithmetic, maxWait), ({ acquire, change, level }) => ({
    acquire,
    putIn: (tokens) => change((before, now) => added(before, now, tokens)),
    level
  }))
}

/** Notes the priority of the asking operation. */
const noteLevel = (before: Held): Held => {
  const level = Priority.currentLevel()
  return level > before.highest ? { tokens: before.tokens, highest: level } : before
}
