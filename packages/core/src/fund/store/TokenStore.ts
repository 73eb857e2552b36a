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
import { constFalse, identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { longestTimerMillis } from "../../decide/Millis.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"
import type { Arithmetic, TokenStore } from "../port/Arithmetic.ts"
import * as Free from "../port/Free.ts"
import type { Grant, Request } from "../port/Port.ts"
import { noTokens } from "../port/Port.ts"
import * as Priority from "../port/Priority.ts"
import type * as Waiting from "../port/Waiting.ts"
import * as PriorityQueue from "./PriorityQueue.ts"
import type { Step } from "./TimedRef.ts"
import * as TimedRef from "./TimedRef.ts"
import type { Held, Turn } from "./Turns.ts"
import * as Turns from "./Turns.ts"
import type { Waiter } from "./WaitQueue.ts"

export type { Arithmetic, TokenStore } from "../port/Arithmetic.ts"

export const make = <S>(arithmetic: Arithmetic<S>, maxWait: Waiting.MaxWait): Effect.Effect<TokenStore<S>> => {
  const steps = makeSteps(arithmetic, maxWait)
  return Effect.map(steps.make, (self) => storeOf(self, steps))
}

/** The grant of a state that takes no tokens. */
export const free: Option.Option<Grant> = /*#__PURE__*/ Option.some(noTokens)

/** What a store keeps. */
export type Stored<S> = TimedRef.TimedRef<Held<S>>

/** The functions of all stores with the same arithmetic: buckets that are made by the thousand, one per key, share them. */
export interface Steps<S> {
  readonly make: Effect.Effect<Stored<S>>
  readonly acquire: (self: Stored<S>, request: Request) => Acquired
  /** Grants only what is free. Absent if the arithmetic has no `free`. */
  readonly free: ((self: Stored<S>) => Option.Option<Grant>) | undefined
  readonly change: <M = void>(
    f: (state: S, nowMillis: number, message: M) => S,
    ignoresTime?: (state: S) => boolean
  ) => (self: Stored<S>, message: M) => Effect.Effect<void>
  readonly look: <A>(f: (state: S, nowMillis: number) => A) => (self: Stored<S>) => Effect.Effect<A>
  readonly level: (self: Stored<S>) => Effect.Effect<number>
}

type Acquired = Effect.Effect<Option.Option<Grant>>

/** The functions of a store, for one state. */
const storeOf = <S>(self: Stored<S>, { acquire, change, free, level, look }: Steps<S>): TokenStore<S> => {
  const inTurn = (request: Request) => acquire(self, request)
  const freely = free && (() => free(self))
  return {
    acquire: freely === undefined ? inTurn : Free.orElse(freely, inTurn),
    change: (f, ignoresTime) => {
      const changed = change(f, ignoresTime)
      return (message) => changed(self, message)
    },
    level: level(self),
    look: (f) => look(f)(self),
    latest: Ref.get(self)
  }
}

export const makeSteps = <S>(arithmetic: Arithmetic<S>, maxWait: Waiting.MaxWait): Steps<S> => {
  const { free, granted, isTimeless = false, put } = arithmetic
  const held = (nowMillis: number): Held<S> => ({ tokens: arithmetic.initial(nowMillis), queue: PriorityQueue.empty })
  // With waiters of different priorities, time changes the order of the queue.
  const ignoringTime =
    (ignoresTime: (tokens: S) => boolean) =>
    ({ queue, tokens }: Held<S>): boolean =>
      (isTimeless || ignoresTime(tokens)) && !PriorityQueue.isMixed(queue)
  const asksTimeless = ignoringTime((tokens) => free !== undefined && Option.isSome(free(tokens)))

  // If attempts do not wait, there is no waiter to wake.
  const told: (step: Effect.Effect<any>) => Effect.Effect<void> = Option.isNone(maxWait) ? identity : waking

  const change: Steps<S>["change"] = (f, ignoresTime = constFalse) => {
    const step: Step<Held<S>, Waiter | undefined, Parameters<typeof f>[2]> = (held, now, message) => [
      PriorityQueue.first(held.queue, now),
      Turns.noted(held, f(held.tokens, now, message))
    ]
    const isTimeless = ignoringTime(ignoresTime)
    return (self, message) => told(TimedRef.send(self, step, message, isTimeless))
  }

  const looksTimeless = ignoringTime(constFalse)
  const look: Steps<S>["look"] = (f) => (self) =>
    TimedRef.modify(self, (held, now) => [f(held.tokens, now), held], looksTimeless)

  const { ask, enter, leave, serve } = Turns.make(arithmetic, maxWait, granting(change(put), granted))

  const follow = (self: Stored<S>, turn: Turn): Acquired => {
    open(turn.wakes)
    if (turn._tag === "Over") return Effect.succeed(turn.grant)
    const { millis, waiter } = turn
    return Effect.flatMap(waiter.request.restore(pause(waiter, millis)), () =>
      AtOnce.andThen(TimedRef.send(self, serve, waiter), (turn) => follow(self, turn))
    )
  }

  const wait = (self: Stored<S>, request: Request): Acquired =>
    Effect.suspend(() => {
      const arriving = { request, level: Priority.currentLevel(), wake: Effect.unsafeMakeLatch() }
      return AtOnce.andThen(TimedRef.send(self, enter, arriving), (turn) =>
        turn._tag === "Over"
          ? Effect.succeed(turn.grant)
          : Effect.onExit(follow(self, turn), (exit) =>
              Exit.isFailure(exit) ? waking(TimedRef.send(self, leave, turn.waiter)) : Effect.void
            )
      )
    })

  const askNow: Steps<S>["acquire"] = (self, request) => TimedRef.send(self, ask, request, asksTimeless)
  return {
    make: isTimeless ? TimedRef.makeUnread(held(0)) : TimedRef.make(held),
    acquire: Option.isNone(maxWait)
      ? askNow
      : (self, request) =>
          AtOnce.suspend(() =>
            AtOnce.andThen(
              askNow(self, request),
              orElse(() => wait(self, request))
            )
          ),
    change,
    free:
      free &&
      ((self) => {
        const held = AtOnce.value(Ref.get(self))?.state
        return held !== undefined && PriorityQueue.isEmpty(held.queue) ? free(held.tokens) : Option.none()
      }),
    look,
    level: look(arithmetic.level)
  }
}

/** Asks in another way if the first one has granted nothing. */
const orElse =
  (otherwise: () => Acquired) =>
  (grant: Option.Option<Grant>): Acquired =>
    Option.isSome(grant) ? Exit.succeed(grant) : otherwise()

const ofTokens = (tokens: number, refund: Effect.Effect<void>): Grant => ({ tokens, refund })

/** Makes grants of what was taken, and remembers the latest one: most attempts take what the one before took. */
const granting = <S>(
  refund: (self: Stored<S>, taken: number) => Effect.Effect<void>,
  granted = ofTokens
): ((self: Stored<S>, taken: number) => Option.Option<Grant>) => {
  let latest: { readonly self: Stored<S>; readonly taken: number; readonly grant: Option.Option<Grant> } | undefined
  return (self, taken) => {
    if (latest?.self !== self || latest.taken !== taken) {
      // Refunds are rare, so the effect is built when it is run.
      const refunded = Effect.suspend(() => refund(self, taken))
      latest = { self, taken, grant: Option.some(granted(taken, refunded)) }
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
      Effect.flatMap(Effect.forkDaemon(Effect.interruptible(ring)), (timer) =>
        Effect.ensuring(
          Effect.flatMap(restore(woken), () => slept),
          Line.interrupt(timer)
        )
      )
    )
  })
}
