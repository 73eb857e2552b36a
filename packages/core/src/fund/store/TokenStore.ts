/**
 * The store shared by all buckets with a level: taking, refunding and waiting for tokens.
 *
 * A store is a `Ref` to which messages are sent, see `Turns`: an attempt that is granted at once is one step. Nothing is locked
 * while attempts wait. An interrupted waiter leaves the queue and delays no other. Only its wait can be interrupted, so tokens
 * that a step has taken for it are always returned to the caller.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { longestTimerMillis } from "../../decide/Millis.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"
import type { Arithmetic, TokenStore } from "../port/Arithmetic.ts"
import type { Grant, TokenBucket } from "../port/Port.ts"
import { noTokens } from "../port/Port.ts"
import * as Priority from "../port/Priority.ts"
import type * as Waiting from "../port/Waiting.ts"
import * as PriorityQueue from "./PriorityQueue.ts"
import type { Step, TimedRef } from "./TimedRef.ts"
import * as Timed from "./TimedRef.ts"
import type { Held, Turn } from "./Turns.ts"
import * as Turns from "./Turns.ts"
import type { Waiter } from "./WaitQueue.ts"

export type { Arithmetic, TokenStore } from "../port/Arithmetic.ts"

export const make = <S>(arithmetic: Arithmetic<S>, maxWait: Waiting.MaxWait): Effect.Effect<TokenStore<S>> => {
  const held = (nowMillis: number): Held<S> => ({ tokens: arithmetic.initial(nowMillis), queue: PriorityQueue.empty })
  const ref = arithmetic.isTimeless === true ? Timed.makeUnread(held(0)) : Timed.make(held)
  return Effect.map(ref, (ref) => storeOf(ref, arithmetic, maxWait))
}

/** The grant of a state that takes no tokens. */
export const free: Option.Option<Grant> = /*#__PURE__*/ Option.some(noTokens)

/** The store of a state in a `Ref`. */
export const storeOf = <S>(
  { modify, send }: TimedRef<Held<S>>,
  arithmetic: Arithmetic<S>,
  maxWait: Waiting.MaxWait
): TokenStore<S> => {
  const { free = Option.none, granted, isTimeless = false, put } = arithmetic
  // With waiters of different priorities, time changes the order of the queue.
  const ignoringTime =
    (ignoresTime: (tokens: S) => boolean) =>
    ({ queue, tokens }: Held<S>): boolean =>
      (isTimeless || ignoresTime(tokens)) && !PriorityQueue.isMixed(queue)
  const asksTimeless = ignoringTime((tokens) => Option.isSome(free(tokens)))

  // If attempts do not wait, there is none to wake.
  const told: (step: Effect.Effect<any>) => Effect.Effect<void> = Option.isNone(maxWait) ? identity : waking

  const change: TokenStore<S>["change"] = (f, ignoresTime = never) => {
    const step: Step<Held<S>, Waiter | undefined, Parameters<typeof f>[2]> = (held, now, message) => [
      PriorityQueue.first(held.queue, now),
      Turns.noted(held, f(held.tokens, now, message))
    ]
    const isTimeless = ignoringTime(ignoresTime)
    return (message) => told(send(step, message, isTimeless))
  }

  const look: TokenStore<S>["look"] = (f, ignoresTime = never) =>
    modify((held, now) => [f(held.tokens, now), held], ignoringTime(ignoresTime))

  const { ask, enter, leave, serve } = Turns.make(arithmetic, maxWait, granting(change(put), granted))

  const follow = (turn: Turn): Effect.Effect<Option.Option<Grant>> => {
    open(turn.wakes)
    if (turn._tag === "Over") return Effect.succeed(turn.grant)
    const { millis, waiter } = turn
    return Effect.flatMap(waiter.request.restore(pause(waiter, millis)), () =>
      AtOnce.andThen(send(serve, waiter), follow)
    )
  }

  const wait: Acquire = (request) =>
    Effect.suspend(() => {
      const arriving = { request, level: Priority.currentLevel(), wake: Effect.unsafeMakeLatch() }
      return AtOnce.andThen(send(enter, arriving), (turn) =>
        turn._tag === "Over"
          ? Effect.succeed(turn.grant)
          : Effect.onExit(follow(turn), (exit) =>
              Exit.isFailure(exit) ? waking(send(leave, turn.waiter)) : Effect.void
            )
      )
    })

  const askNow: Acquire = (request) => send(ask, request, asksTimeless)
  const inTurn = Option.isNone(maxWait) ? askNow : firstOf(askNow, wait)
  // Made once, so that a store without a limit at the moment costs an attempt hardly more than no store at all.
  const freely = modify((held) => [PriorityQueue.isEmpty(held.queue) ? free(held.tokens) : Option.none(), held], always)
  return {
    acquire: arithmetic.free === undefined ? inTurn : firstOf(() => freely, inTurn),
    change,
    level: look(arithmetic.level),
    look
  }
}

const never = () => false

const always = () => true

type Acquire = TokenBucket["acquire"]

/** Asks in one way, and if that grants nothing in another. */
const firstOf =
  (asked: Acquire, otherwise: Acquire): Acquire =>
  (request) =>
    AtOnce.suspend(() =>
      AtOnce.andThen(asked(request), (grant) => (Option.isSome(grant) ? Exit.succeed(grant) : otherwise(request)))
    )

const ofTokens = (tokens: number, refund: Effect.Effect<void>): Grant => ({ tokens, refund })

/** Makes grants of what was taken, and remembers the latest one: most attempts take what the one before took. */
const granting = (
  refund: (taken: number) => Effect.Effect<void>,
  granted = ofTokens
): ((taken: number) => Option.Option<Grant>) => {
  let latest: { readonly taken: number; readonly grant: Option.Option<Grant> } | undefined
  return (taken) => {
    if (latest?.taken !== taken) {
      // Refunds are rare, so the effect is built when it is run.
      const refunded = Effect.suspend(() => refund(taken))
      latest = { taken, grant: Option.some(granted(taken, refunded)) }
    }
    return latest.grant
  }
}

/** Wakes the waiter that a step returns. The waiter may run before this returns, so everything it reads must be in place. */
const waking = (step: Effect.Effect<Waiter | undefined>): Effect.Effect<void> =>
  AtOnce.suspend(() => AtOnce.andThen(step, wake))

const wake = (waiter: Waiter | undefined): Effect.Effect<void> => {
  open(waiter)
  return Effect.void
}

const open = (waiter: Waiter | undefined): void => {
  if (waiter !== undefined) Line.open(waiter.wake)
}

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
