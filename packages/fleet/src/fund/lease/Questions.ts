/**
 * The questions of a process to the store, at most one at a time, and how attempts that wait are served.
 */
import type { Grant } from "@effect-retry/core/TokenBucket"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as LeaseSize from "../../decide/LeaseSize.ts"
import * as Refusal from "../../decide/Refusal.ts"
import * as Background from "../store/Background.ts"
import * as Calls from "./Calls.ts"
import type { LeaseState } from "./LeaseState.ts"
import { blockedMillis, isReturnDue, isTooLate, putBack, refused, spill, takeWaiting } from "./LeaseState.ts"
import * as Returns from "./Returns.ts"
import type { Taken } from "../store/Store.ts"
import type { Waiter } from "./Waiters.ts"

/** The answer of an attempt that is granted `cost` tokens, which come back once. */
export const granted = <E>(state: LeaseState<E>, cost: number): Exit.Exit<Option.Option<Grant>> => {
  let isRefunded = false
  const refund = Effect.suspend(() => {
    if (isRefunded) return Effect.void
    isRefunded = true
    putBack(state, cost)
    return settle(state)
  })
  return Exit.succeed(Option.some({ tokens: cost, refund }))
}

/**
 * Serves the attempts that wait and can be served, and starts what the others need: a question, an alarm for the end of a
 * refusal, a return, a sweep.
 */
export const settle = <E>(state: LeaseState<E>): Effect.Effect<void> =>
  state.waiters.isEmpty() && state.alarm === undefined && !isReturnDue(state)
    ? Returns.watch(state, settling(state))
    : Background.atomically(() => Effect.zipRight(next(state), Returns.watch(state, settling(state))))

const settling = <E>(state: LeaseState<E>): Effect.Effect<void> => Effect.suspend(() => settle(state))

/**
 * A return comes before a question, which may then take what it brings. No second one does: as long as others give tokens
 * back, attempts would wait.
 */
const next = <E>(state: LeaseState<E>): Effect.Effect<void> => {
  const { calling, hasReturned, isClosed, waiters } = state
  for (let waiter = waiters.first(); waiter !== undefined && grant(state, waiter); waiter = waiters.first());
  spill(state)
  if (calling !== undefined || isClosed) return Effect.void
  if (isReturnDue(state) && !hasReturned) return Returns.begin(state, settling(state))
  const served = serve(state)
  const isIdle = state.calling === undefined
  return isIdle && isReturnDue(state) ? Effect.zipRight(served, Returns.begin(state, settling(state))) : served
}

/** Asks for the first attempt that may ask, and refuses those before it that may not. */
const serve = <E>(state: LeaseState<E>): Effect.Effect<void> => {
  const { maxWait, waiters } = state
  for (let waiter = waiters.first(); waiter !== undefined; waiter = waiters.first()) {
    if (grant(state, waiter)) continue
    const need = needOf(state, waiter)
    const millis = blockedMillis(state, need.pause)
    if (millis <= 0) return ask(state, need)
    if (Option.isSome(maxWait) && waiter.limitMillis > 0) return ring(state, millis)
    waiters.end(waiter, refused)
  }
  return silence(state)
}

/** The least number of tokens to ask for, and the number for which the process pauses if the store is short of them. */
interface Need {
  readonly least: number
  readonly pause: number
}

/**
 * An attempt that can wait gathers its cost: it takes any tokens there are, even one. If it asked for its whole cost at
 * once, cheaper attempts of other processes would take the tokens before enough were there. It pauses like all others of
 * the bucket, if it has the time.
 */
const needOf = <E>(state: LeaseState<E>, { cost, limitMillis, untilMillis }: Waiter<E>): Need => {
  const { held, maxWait, nowMillis, pause } = state
  const missing = held.missing(cost)
  if (Option.isNone(maxWait) || limitMillis <= 0) return { least: missing, pause: missing }
  const hasTime = blockedMillis(state, pause) < untilMillis - nowMillis()
  return { least: Math.min(1, missing), pause: hasTime ? pause : missing }
}

const grant = <E>(state: LeaseState<E>, waiter: Waiter<E>): boolean => {
  if (!takeWaiting(state, waiter.cost)) return false
  waiter.granted = waiter.cost
  return state.waiters.end(waiter, granted(state, waiter.cost))
}

const ask = <E>(state: LeaseState<E>, need: Need): Effect.Effect<void> => {
  const { bucketKey, events, held, limits, most, nowMillis, store, waiters } = state
  state.size = LeaseSize.next(state.size, most, nowMillis(), state.spent)
  state.spent = 0
  state.hasReturned = false
  const { least } = need
  const want = Math.max(least, Math.min(limits.burst, Math.max(held.missing(waiters.demand()), state.size.tokens)))
  return Calls.begin(state, {
    call: () => Effect.zip(store.take(bucketKey, limits, want, least), Random.next),
    learn: ([taken, draw]) => learn(state, want, need, taken, draw),
    settle: settling(state),
    tell: ([taken]) =>
      events.tell(() => ({
        _tag: "Asked",
        want,
        granted: taken.granted,
        retryAfter: Duration.millis(taken.granted < want ? Math.max(0, blockedMillis(state, need.pause)) : 0),
        leaseSize: state.size.tokens
      }))
  })
}

/** Keeps what was granted, and serves or refuses those for whom the answer decides. */
const learn = <E>(state: LeaseState<E>, want: number, { least, pause }: Need, taken: Taken, draw: number): void => {
  const { held, known, limits, maxWait, nowMillis, refusal } = state
  const { granted, level, retryAfterMillis } = taken
  const atMillis = nowMillis()
  held.add(granted)
  known.learn(level, atMillis)
  const isShort = granted < want
  const refusals = refusalsBefore(state, granted, atMillis)
  if (isShort) {
    const need = granted > 0 && Option.isNone(maxWait) ? want - granted : pause
    state.refusal = Refusal.make(limits, {
      atMillis,
      level,
      need,
      refused: least,
      retryAfterMillis,
      refusals,
      draw
    })
    state.inRowUntilMillis = state.refusal.overMillis + (state.refusal.overMillis - atMillis)
  } else if (refusal !== undefined && atMillis < refusal.overMillis) {
    state.refusal = Refusal.withLevel(refusal, level, atMillis)
  } else state.refusal = undefined
  state.refusals = Option.isNone(maxWait)
    ? Math.min(mostRefusals, refusals + (isShort ? 1 : 0))
    : granted > 0
      ? Math.max(0, state.refusals - 1)
      : Math.min(mostRefusals, state.refusals + 1)
  refuseLate(state, atMillis)
  spill(state)
}

/**
 * Refusals in a row before an answer. Where attempts do not wait, a process that got some of what it wanted has taken what
 * others were refused, so that counts as well, and only time ends the row: a grant would let one process take all tokens.
 */
const refusalsBefore = <E>(
  { inRowUntilMillis, maxWait, refusals }: LeaseState<E>,
  granted: number,
  atMillis: number
): number => {
  if (Option.isNone(maxWait)) return atMillis < inRowUntilMillis ? refusals : 0
  return granted > 0 ? Refusal.afterGrant(refusals) : refusals
}

/** Twice the time, twice twenty times, is longer than any pause. */
const mostRefusals = 20

/** Serves those who can be, and refuses those whose tokens come too late. Their turn, not their number, decides. */
const refuseLate = <E>(state: LeaseState<E>, nowMillis: number): void => {
  const { maxWait, waiters } = state
  let demand = 0
  for (const waiter of waiters.all()) {
    waiter.wasAnswered = true
    if (demand === 0 && grant(state, waiter)) continue
    if (Option.isSome(maxWait) && isTooLate(state, demand + waiter.cost, waiter.untilMillis - nowMillis, nowMillis)) {
      waiters.end(waiter, refused)
    } else demand += waiter.cost
  }
}

/** Serves again when the store may be asked. */
const ring = <E>(state: LeaseState<E>, millis: number): Effect.Effect<void> => {
  const atMillis = state.nowMillis() + millis
  const { alarm } = state
  if (alarm !== undefined && alarm.atMillis <= atMillis) return Effect.void
  const rung = Background.atomically(() => {
    state.alarm = undefined
    return settle(state)
  })
  const timer = Effect.delay(rung, Math.min(longestTimerMillis, Math.ceil(millis)))
  return Effect.zipRight(
    silence(state),
    Effect.map(Effect.forkDaemon(Effect.interruptible(timer)), (fiber) => {
      state.alarm = { atMillis, fiber }
    })
  )
}

/** Ends the alarm, if there is one. */
export const silence = <E>(state: LeaseState<E>): Effect.Effect<void> => {
  const { alarm } = state
  if (alarm === undefined) return Effect.void
  state.alarm = undefined
  return Background.stop(alarm.fiber)
}
