/**
 * The steps of a token store, pure: attempts take tokens, or wait for their turn.
 *
 * Tokens and waiters are one state, so every check is one step. An attempt takes tokens at once only if no other one waits. Only
 * the first waiter checks for tokens: when time should have refilled them, and when it is woken.
 */
import type * as Effect from "effect/Effect"
import { constFalse } from "effect/Function"
import * as Option from "effect/Option"
import type { Arithmetic } from "../port/Arithmetic.ts"
import type { Grant, Request } from "../port/Port.ts"
import * as Waiting from "../port/Waiting.ts"
import * as PriorityQueue from "./PriorityQueue.ts"
import type { Step, TimedRef } from "./TimedRef.ts"
import type { Waiter } from "./WaitQueue.ts"

export interface Held<S> {
  readonly tokens: S
  readonly queue: PriorityQueue.PriorityQueue
}

/** What a step tells an attempt to do, and which waiter has to check again. */
export type Turn = {
  readonly wakes: Waiter | undefined
} & (
  | { readonly _tag: "Over"; readonly grant: Option.Option<Grant> }
  /** The longest time until the attempt checks again. */
  | { readonly _tag: "Waits"; readonly waiter: Waiter; readonly millis: number }
)

/** An attempt that was not granted at once. */
interface Arriving {
  readonly request: Request
  /** Its priority. */
  readonly level: number
  readonly wake: Effect.Latch
}

/** Waiters ahead may be due in the same millisecond but wake later, so a waiter stays this much longer. */
const graceMillis = 1

/** The steps of a store, each of which answers a message. */
export const make = <S>(
  arithmetic: Arithmetic<S>,
  maxWait: Waiting.MaxWait,
  grantOf: (self: TimedRef<Held<S>>, taken: number) => Option.Option<Grant>
) => {
  const { costOf = one, free = Option.none, isShut = constFalse, maxWaiting = Infinity, soonestMillis } = arithmetic
  const asked = Option.isNone(maxWait) ? arithmetic.asked : undefined
  const maxWaitMillis = Option.getOrElse(maxWait, () => 0)

  const take = (
    held: Held<S>,
    now: number,
    cost: number,
    demand: number,
    request: Request,
    self: TimedRef<Held<S>>
  ): readonly [Option.Option<Grant>, Held<S>] | undefined => {
    const unchanged = free(held.tokens)
    if (Option.isSome(unchanged)) return [unchanged, held]
    const taken = arithmetic.take(held.tokens, now, cost, demand, request)
    return taken && [grantOf(self, taken[0]), { tokens: taken[1], queue: held.queue }]
  }

  /** Whether an attempt gets no tokens, however long it waits. */
  const isHopeless = (tokens: S, now: number, leftMillis: number): boolean =>
    isShut(tokens) || (soonestMillis !== undefined && soonestMillis(tokens, now) > leftMillis)

  const isTooLate = ({ queue, tokens }: Held<S>, now: number, cost: number, level: number, waitMillis: number) =>
    isHopeless(tokens, now, waitMillis) ||
    (soonestMillis === undefined
      ? isBefore(waitMillis, arithmetic.millisUntil(tokens, now, PriorityQueue.demand(queue, level) + cost))
      : waitMillis <= 0)

  const waits = (held: Held<S>, now: number, waiter: Waiter, wakes: Waiter | undefined): Turn => {
    const leftMillis = waiter.untilMillis - now
    const millis = PriorityQueue.isFirst(held.queue, waiter, now)
      ? Math.min(leftMillis, arithmetic.millisUntil(held.tokens, now, waiter.cost))
      : leftMillis + graceMillis
    return { _tag: "Waits", waiter, millis, wakes }
  }

  /** Takes the tokens if they are available and no other attempt waits. */
  const ask: Step<Held<S>, Option.Option<Grant>, Request> = (held, now, request, self) => {
    const state = asked === undefined ? held : noted(held, asked(held.tokens))
    const taken = PriorityQueue.isEmpty(state.queue) ? take(state, now, costOf(request), 0, request, self) : undefined
    return taken ?? [Option.none(), state]
  }

  /** Enters the queue; checks once more, because tokens may have arrived since the first check. */
  const enter: Step<Held<S>, Turn, Arriving> = (held, now, { level, request, wake }, self) => {
    const [grant, looked] = ask(held, now, request, self)
    if (Option.isSome(grant)) return [over(grant), looked]
    const { queue, tokens } = held
    const cost = costOf(request)
    const waitMillis = Waiting.millisFor(maxWaitMillis, request)
    if (isTooLate(held, now, cost, level, waitMillis)) return [refused, held]
    const isFull = PriorityQueue.size(queue) >= maxWaiting
    const ousted = isFull ? PriorityQueue.lowestBelow(queue, level) : undefined
    if (isFull && ousted === undefined) return [refused, held]
    const room = ousted === undefined ? queue : PriorityQueue.left(queue, ousted)
    const arriving = { cost, level, sinceMillis: now, request, untilMillis: now + waitMillis, wake }
    const entered = PriorityQueue.entered(room, arriving)
    const after = { tokens, queue: entered.queue }
    return [waits(after, now, entered.waiter, ousted), after]
  }

  /** Serves a waiter, or refuses it when its wait is over. Then wakes the waiter behind it. */
  const serve: Step<Held<S>, Turn, Waiter> = (held, now, waiter, self) => {
    const { cost, request, untilMillis } = waiter
    const { queue, tokens } = held
    if (!PriorityQueue.has(queue, waiter)) return [refused, held]
    const isFirst = PriorityQueue.isFirst(queue, waiter, now)
    const taken = isFirst ? take(held, now, cost, PriorityQueue.demand(queue), request, self) : undefined
    const leftMillis = untilMillis - now
    const stays = isFirst ? leftMillis > 0 && !isHopeless(tokens, now, leftMillis) : leftMillis > -graceMillis
    if (taken === undefined && stays) {
      // Another waiter may have become the first one while this one slept.
      const wakes = !isFirst && PriorityQueue.isMixed(queue) ? PriorityQueue.first(queue, now) : undefined
      return [waits(held, now, waiter, wakes), held]
    }
    const [grant, after] = taken ?? [Option.none(), held]
    const [wakes, left] = leave(after, now, waiter, self)
    return [over(grant, wakes), left]
  }

  /** Takes a waiter out of the queue, and returns the new first waiter. */
  const leave: Step<Held<S>, Waiter | undefined, Waiter> = ({ queue, tokens }, now, waiter) => {
    const left = PriorityQueue.left(queue, waiter)
    const wakes = PriorityQueue.isMixed(queue) || PriorityQueue.isFirst(queue, waiter, now)
    return [wakes ? PriorityQueue.first(left, now) : undefined, { tokens, queue: left }]
  }

  return { ask, enter, serve, leave }
}

const one = () => 1

/** The state with other tokens; the same state if they are the same. */
export const noted = <S>(held: Held<S>, tokens: S): Held<S> =>
  tokens === held.tokens ? held : { tokens, queue: held.queue }

const over = (grant: Option.Option<Grant>, wakes?: Waiter): Turn => ({ _tag: "Over", grant, wakes })

const refused: Turn = /*#__PURE__*/ over(/*#__PURE__*/ Option.none())

/**
 * Whether a wait ends before the tokens are there. Tokens that time alone never refills may still be returned by another attempt,
 * so no wait for them is too short.
 */
const isBefore = (maxWaitMillis: number, millis: number): boolean =>
  millis > maxWaitMillis && (millis !== Infinity || maxWaitMillis <= 0)
