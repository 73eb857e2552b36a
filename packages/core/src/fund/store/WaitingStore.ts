/**
 * A token store in which attempts wait for their turn: first come, first served.
 *
 * Tokens and waiters are one state, so every check is one step. Nothing is locked while attempts wait. Only the first waiter
 * checks for tokens: when time should have refilled them, and when it is woken. An interrupted waiter leaves the queue and
 * delays no other. Only its wait can be interrupted, so tokens that a step has taken for it are always returned to the
 * caller.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { longestTimerMillis } from "../../decide/Millis.ts"
import type { Arithmetic, TokenStore } from "../port/Arithmetic.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"
import type { Grant, Request } from "../port/Port.ts"
import type { Step, TimedRef } from "./TimedRef.ts"
import * as Priority from "../port/Priority.ts"
import * as Waiting from "../port/Waiting.ts"
import type { Waiter } from "./WaitQueue.ts"
import * as PriorityQueue from "./PriorityQueue.ts"

export interface Waited<S> {
  readonly tokens: S
  readonly queue: PriorityQueue.PriorityQueue
}

/** What a step tells an attempt to do. */
type Turn =
  | { readonly _tag: "Over"; readonly grant: Option.Option<Grant> }
  /** The longest time until the attempt checks again. */
  | {
      readonly _tag: "Waits"
      readonly waiter: Waiter
      readonly millis: number
      /** The waiter whose place this one has taken. */
      readonly ousted?: Waiter | undefined
    }

const always = () => true

const never = () => false

/** Makes a grant of tokens. */
export const ofTokens = (tokens: number, refund: Effect.Effect<void>): Grant => ({ tokens, refund })

const refused: Turn = { _tag: "Over", grant: /*#__PURE__*/ Option.none() }

/** Waiters ahead may be due in the same millisecond but wake later, so a waiter stays this much longer. */
const graceMillis = 1

export const make = <S>(
  { modify }: TimedRef<Waited<S>>,
  arithmetic: Arithmetic<S>,
  maxWaitMillis: number
): TokenStore<S> => {
  const { free = Option.none, granted = ofTokens, isShut = never, isTimeless = false, soonestMillis } = arithmetic
  const { maxWaiting = Infinity } = arithmetic
  // With waiters of different priorities, time changes the order of the queue.
  const tokensIgnoreTime = ({ queue }: Waited<S>) => isTimeless && !PriorityQueue.isMixed(queue)

  const ofTokensAlone = (ignoresTime: ((tokens: S) => boolean) | undefined) =>
    ignoresTime === undefined
      ? tokensIgnoreTime
      : ({ queue, tokens }: Waited<S>) => ignoresTime(tokens) && !PriorityQueue.isMixed(queue)

  const change: TokenStore<S>["change"] = (f, ignoresTime) =>
    waking(
      modify(
        ({ queue, tokens }, now) => [PriorityQueue.first(queue, now), { tokens: f(tokens, now), queue }],
        ofTokensAlone(ignoresTime)
      )
    )

  const leave = (waiter: Waiter) => waking(modify(leaving(waiter)))

  const take = (
    { queue, tokens }: Waited<S>,
    now: number,
    { cost, demand, request }: { readonly cost: number; readonly demand: number; readonly request: Request }
  ): readonly [Option.Option<Grant>, Waited<S>] | undefined => {
    const unchanged = free(tokens)
    if (Option.isSome(unchanged)) return [unchanged, { tokens, queue }]
    const answer = Option.getOrUndefined(arithmetic.take(tokens, now, cost, demand, request))
    if (answer === undefined) return undefined
    const [taken, after] = answer
    // Refunds are rare, so the effect is built when it is run.
    const refund = Effect.suspend(() => change((state, now) => arithmetic.put(state, now, taken, request)))
    return [Option.some(granted(taken, refund)), { tokens: after, queue }]
  }

  /** Whether an attempt would wait in vain. */
  const isHopeless = (tokens: S, now: number, leftMillis: number): boolean =>
    isShut(tokens) || (soonestMillis !== undefined && soonestMillis(tokens, now) > leftMillis)

  /** Takes the tokens if they are available and no other attempt waits. */
  const takeNow =
    (cost: number, request: Request): Step<Waited<S>, Option.Option<Grant>> =>
    (state, now) =>
      (PriorityQueue.isEmpty(state.queue) ? take(state, now, { cost, demand: 0, request }) : undefined) ?? [
        Option.none(),
        state
      ]

  /** Enters the queue; checks once more, because tokens may have arrived since the first check. */
  const enter =
    (cost: number, request: Request, wake: Effect.Latch): Step<Waited<S>, Turn> =>
    (state, now) => {
      const { queue, tokens } = state
      const [grant, looked] = takeNow(cost, request)(state, now)
      if (Option.isSome(grant)) return [{ _tag: "Over", grant }, looked]
      const waitMillis = Waiting.millisFor(maxWaitMillis, request)
      const level = Priority.currentLevel()
      const isLate =
        soonestMillis === undefined
          ? isTooLate(arithmetic.millisUntil(tokens, now, PriorityQueue.demand(queue, level) + cost), waitMillis)
          : waitMillis <= 0
      if (isLate || isHopeless(tokens, now, waitMillis)) return [refused, state]
      const ousted = PriorityQueue.size(queue) >= maxWaiting ? PriorityQueue.lowestBelow(queue, level) : undefined
      if (ousted === undefined && PriorityQueue.size(queue) >= maxWaiting) return [refused, state]
      const room = ousted === undefined ? queue : PriorityQueue.left(queue, ousted)
      const arriving = { cost, level, sinceMillis: now, request, untilMillis: now + waitMillis, wake }
      const { queue: after, waiter } = PriorityQueue.entered(room, arriving)
      const entered = { tokens, queue: after }
      return [{ _tag: "Waits", waiter, millis: pauseMillis(entered, now, waiter), ousted }, entered]
    }

  /** Serves a waiter, or refuses it when its wait is over. Then wakes the waiter behind it. */
  const serve =
    (waiter: Waiter): Step<Waited<S>, readonly [Turn, next: Waiter | undefined]> =>
    (state, now) => {
      const { cost, request, untilMillis } = waiter
      if (!PriorityQueue.has(state.queue, waiter)) return [[refused, undefined], state]
      const isFirst = PriorityQueue.isFirst(state.queue, waiter, now)
      const taken = isFirst ? take(state, now, { cost, demand: PriorityQueue.demand(state.queue), request }) : undefined
      if (taken !== undefined) {
        const [grant, after] = taken
        const [next, left] = leaving<S>(waiter)(after, now)
        return [[{ _tag: "Over", grant }, next], left]
      }
      const leftMillis = untilMillis - now
      if (leftMillis > (isFirst ? 0 : -graceMillis) && !(isFirst && isHopeless(state.tokens, now, leftMillis))) {
        // Another waiter may have become the first one while this one slept.
        const next = !isFirst && PriorityQueue.isMixed(state.queue) ? PriorityQueue.first(state.queue, now) : undefined
        return [[{ _tag: "Waits", waiter, millis: pauseMillis(state, now, waiter) }, next], state]
      }
      const [next, left] = leaving<S>(waiter)(state, now)
      return [[refused, next], left]
    }

  const pauseMillis = ({ queue, tokens }: Waited<S>, now: number, waiter: Waiter): number => {
    const leftMillis = waiter.untilMillis - now
    return PriorityQueue.isFirst(queue, waiter, now)
      ? Math.min(leftMillis, arithmetic.millisUntil(tokens, now, waiter.cost))
      : leftMillis + graceMillis
  }

  const turn = (turned: Turn): Effect.Effect<Option.Option<Grant>> => {
    if (turned._tag === "Over") return Effect.succeed(turned.grant)
    const { millis, waiter } = turned
    return Effect.flatMap(waiter.request.restore(pause(waiter, millis)), () =>
      AtOnce.andThen(modify(serve(waiter)), ([turned, next]) => {
        if (next !== undefined) Line.open(next.wake)
        return turn(turned)
      })
    )
  }

  const begin = (turned: Extract<Turn, { readonly _tag: "Waits" }>) => {
    if (turned.ousted !== undefined) Line.open(turned.ousted.wake)
    return turn(turned)
  }

  const wait = (cost: number, request: Request): Effect.Effect<Option.Option<Grant>> =>
    Effect.suspend(() =>
      AtOnce.andThen(modify(enter(cost, request, Effect.unsafeMakeLatch())), (turned) =>
        turned._tag === "Over"
          ? Effect.succeed(turned.grant)
          : Effect.onExit(begin(turned), (exit) => (Exit.isFailure(exit) ? leave(turned.waiter) : Effect.void))
      )
    )

  const ask = (cost: number, request: Request) =>
    AtOnce.suspend(() =>
      AtOnce.andThen(modify(takeNow(cost, request), tokensIgnoreTime), (grant) =>
        Option.isSome(grant) ? Effect.succeed(grant) : wait(cost, request)
      )
    )

  /** Made once, so that a store without a limit at the moment costs an attempt hardly more than no store at all. */
  const lookWhetherFree = modify(
    (state) => [PriorityQueue.isEmpty(state.queue) ? free(state.tokens) : Option.none<Grant>(), state],
    always
  )
  const look: TokenStore<S>["look"] = (f, ignoresTime) =>
    modify((state, now) => [f(state.tokens, now), state], ofTokensAlone(ignoresTime))

  return {
    acquire:
      arithmetic.free === undefined
        ? ask
        : (cost, request) =>
            AtOnce.suspend(() =>
              AtOnce.andThen(lookWhetherFree, (unchanged) =>
                Option.isSome(unchanged) ? Effect.succeed(unchanged) : ask(cost, request)
              )
            ),
    change,
    level: look(arithmetic.level),
    look
  }
}

/** Wakes the waiter that a step returns. The waiter may run before this returns, so everything it reads must be in place. */
const waking = (step: Effect.Effect<Waiter | undefined>): Effect.Effect<void> =>
  AtOnce.suspend(() => AtOnce.andThen(step, wake))

const wake = (waiter: Waiter | undefined): Effect.Effect<void> => {
  if (waiter !== undefined) Line.open(waiter.wake)
  return Effect.void
}

/** Takes a waiter out of the queue, and returns the new first waiter. */
const leaving =
  <S>(waiter: Waiter): Step<Waited<S>, Waiter | undefined> =>
  ({ queue, tokens }, now) => {
    const left = PriorityQueue.left(queue, waiter)
    const wakes = PriorityQueue.isMixed(queue) || PriorityQueue.isFirst(queue, waiter, now)
    return [wakes ? PriorityQueue.first(left, now) : undefined, { tokens, queue: left }]
  }

/** Tokens that time alone never refills may still be returned by another attempt, so no wait for them is too long. */
const isTooLate = (millis: number, maxWaitMillis: number): boolean =>
  millis > maxWaitMillis && (millis !== Infinity || maxWaitMillis <= 0)

/**
 * Lasts until the waiter is woken or `millis` have passed, even if the waiter itself cannot be interrupted. Dies if the
 * clock's sleep dies.
 *
 * Not `Effect.raceFirst`, which hangs when it is interrupted between two of its own steps.
 */
const pause = ({ wake }: Waiter, millis: number): Effect.Effect<void> => {
  const woken = Effect.zipRight(wake.await, wake.close)
  if (millis === Infinity) return woken
  const timerMillis = Math.min(longestTimerMillis, Math.max(1, Math.ceil(millis)))
  return Effect.suspend(() => {
    let slept: Exit.Exit<void> = Exit.void
    const ring = Effect.matchCause(Effect.sleep(Duration.millis(timerMillis)), {
      onFailure: (cause) => {
        slept = Exit.failCause(cause)
        Line.open(wake)
      },
      onSuccess: () => Line.open(wake)
    })
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.fork(Effect.interruptible(ring)), (timer) =>
        Effect.ensuring(
          Effect.flatMap(restore(woken), () => slept),
          Line.interrupt(timer)
        )
      )
    )
  })
}
