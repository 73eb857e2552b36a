/**
 * What a process knows and holds of a bucket: it takes messages, and answers commands.
 *
 * Only this module changes it, in synchronous steps that start nothing: calls, timers and answers to attempts are commands.
 * There is at most one call of the store at a time, of any kind. What is to be called meanwhile waits for its end. Where a
 * call fails, every attempt that waits fails as it did: no attempt waits for a store that is away twice.
 */
import type * as Waiting from "@effect-retry/core/unstable/Waiting"
import type * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as LeaseSize from "../../decide/LeaseSize.ts"
import * as Pauses from "../../decide/Pauses.ts"
import type { Limits, Taken } from "../store/Store.ts"
import * as Held from "./Held.ts"
import * as KnownLevel from "./KnownLevel.ts"
import * as Waiters from "./Waiters.ts"

/** What happened. */
export type Message<E> =
  | TokensIn
  | CallEnded<E>
  /** An attempt waits, its time is over, or it is interrupted. */
  | { readonly _tag: "Came" | "Late" | "Left"; readonly waiter: Waiters.Waiter<E> }
  /** The level is asked for. */
  | { readonly _tag: "LevelWanted" }
  | { readonly _tag: "Rung" }
  /** The time of a sweep came, which began after so many uses. */
  | { readonly _tag: "Swept"; readonly uses: number }
  /** The bucket ends; when the call under way has ended, the process empties itself. */
  | { readonly _tag: "Closed" | "Emptied" }

/** Tokens came in: those of a grant, those that the fleet earned, or those of this process alone, of which it keeps a lease. */
export interface TokensIn {
  readonly _tag: "PutBack" | "Earned" | "Kept"
  readonly tokens: number
}

/** The call of the store that was under way has ended. */
export type CallEnded<E> =
  | { readonly _tag: "Taken"; readonly question: Pauses.Question; readonly taken: Taken; readonly draw: number }
  | { readonly _tag: "Returned" }
  | { readonly _tag: "LevelRead"; readonly level: number }
  | { readonly _tag: "Failed"; readonly cause: Cause.Cause<E> }

/** What is to be done. */
export type Command<E> =
  | { readonly _tag: "Grant" | "Refuse" | "TimeOut"; readonly waiter: Waiters.Waiter<E> }
  | { readonly _tag: "Fail"; readonly waiter: Waiters.Waiter<E>; readonly cause: Cause.Cause<E> }
  | { readonly _tag: "Ask"; readonly question: Pauses.Question }
  | { readonly _tag: "Return"; readonly tokens: number }
  | { readonly _tag: "ReadLevel" }
  /** An alarm is set, in the place of the one before it, or it is off. */
  | { readonly _tag: "Ring"; readonly millis: number }
  | { readonly _tag: "Silence" }
  /** A sweep comes after the time for which a process may be idle. */
  | { readonly _tag: "Sweep" }
  /** Neither an alarm nor a sweep comes any more. */
  | { readonly _tag: "Stop" }

/** What does not change. */
export interface Terms {
  readonly limits: Limits
  /** The longest wait for tokens; `None` for a bucket that refuses. */
  readonly maxWait: Waiting.MaxWait
  /** The number of tokens for which a waiting attempt pauses. */
  readonly pause: number
  /** Most tokens of a lease. */
  readonly most: number
  readonly nowMillis: () => number
}

interface State<in out E> extends Terms {
  readonly held: Held.Held
  readonly known: KnownLevel.KnownLevel
  readonly waiters: Waiters.Waiters<E>
  pauses: Pauses.Pauses
  size: LeaseSize.LeaseSize
  /** Tokens spent since the latest question. */
  spent: number
  /** Attempts that were granted or came to wait. */
  uses: number
  /** Tokens beyond a lease, which go to the store. */
  surplus: number
  /** Tokens on their way to the store. */
  returning: number
  /** Whether the surplus goes at once, and not with the next sweep. */
  isReturnDue: boolean
  /** Whether tokens were returned since the latest question. */
  hasReturned: boolean
  isCalling: boolean
  isSweeping: boolean
  isClosed: boolean
  alarmMillis: number | undefined
  commands: Array<Command<E>>
}

/** Others read it only. */
export type LeaseState<E> = Readonly<State<E>>

export const make = <E>(terms: Terms): LeaseState<E> => ({
  ...terms,
  held: Held.make(),
  known: KnownLevel.make(terms.limits),
  waiters: Waiters.make(),
  pauses: Pauses.none,
  size: LeaseSize.first(terms.most, terms.nowMillis()),
  spent: 0,
  uses: 0,
  surplus: 0,
  returning: 0,
  isReturnDue: false,
  hasReturned: false,
  isCalling: false,
  isSweeping: false,
  isClosed: false,
  alarmMillis: undefined,
  commands: []
})

/** Takes what an attempt costs in the step in which it comes, or nothing: none passes one that waits. */
export const take = <E>(state: State<E>, cost: number): boolean => state.waiters.isEmpty() && spend(state, cost)

/** Whether an attempt that comes now is refused at once. */
export const isRefused = <E>(state: LeaseState<E>, cost: number, limitMillis: number): boolean =>
  state.isClosed ||
  (!state.isCalling && isTooLate(state, state.waiters.demand() + cost, limitMillis, state.nowMillis()))

/** What the store has, as far as it is known, and what the process holds. */
export const level = <E>({ held, known, limits, nowMillis, returning, surplus }: LeaseState<E>): number =>
  Math.min(limits.burst, known.at(nowMillis()) + surplus + returning) + held.all()

/** When the store may be asked for `need` tokens, in milliseconds from now; zero or less where it may be asked at once. */
export const blockedMillis = <E>({ limits, nowMillis, pauses }: LeaseState<E>, need: number): number =>
  Pauses.millisFor(pauses, limits, need, nowMillis())

/**
 * Puts tokens in where this asks for nothing: no attempt waits for them, and a sweep will find what they leave. Otherwise
 * changes nothing, and answers false.
 */
export const absorb = <E>(state: State<E>, message: TokensIn): boolean => {
  const { held, isSweeping, known, most, waiters } = state
  const { _tag, tokens } = message
  if (!waiters.isEmpty()) return false
  if (_tag === "PutBack" && !(isSweeping && held.leased() + tokens <= most)) return false
  if (_tag === "Earned" && !isSweeping && known.isKnown()) return false
  putIn(state, message)
  return true
}

/**
 * Changes the state, serves the attempts that wait and can be served, and answers what is to be done, in order. To be called
 * while an effect runs.
 */
export const step = <E>(state: State<E>, message: Message<E>): ReadonlyArray<Command<E>> => {
  const commands: Array<Command<E>> = []
  state.commands = commands
  react(state, message)
  settle(state)
  return commands
}

const react = <E>(state: State<E>, message: Message<E>): void => {
  switch (message._tag) {
    case "Came":
      state.uses += 1
      state.waiters.add(message.waiter)
      return state.isClosed ? end(state, { _tag: "Refuse", waiter: message.waiter }) : undefined
    case "Late":
      // A store that has not answered at all has failed, and has not refused.
      return end(state, { _tag: message.waiter.wasAnswered ? "Refuse" : "TimeOut", waiter: message.waiter })
    case "Left":
      end(state, { _tag: "Refuse", waiter: message.waiter })
      return putBack(state, message.waiter.granted)
    case "PutBack":
    case "Earned":
    case "Kept":
      return putIn(state, message)
    case "LevelWanted":
      return state.isCalling ? undefined : call(state, { _tag: "ReadLevel" })
    case "Rung":
      state.alarmMillis = undefined
      return
    case "Swept":
      return sweep(state, message.uses)
    case "Closed":
      state.isClosed = true
      state.commands.push({ _tag: "Stop" })
      for (const waiter of state.waiters.all()) end(state, { _tag: "Refuse", waiter })
      return
    case "Emptied":
      spill(state, 0)
      return isWorthReturning(state.surplus) ? returnSurplus(state) : undefined
    default:
      state.isCalling = false
      return learn(state, message)
  }
}

const putIn = <E>(state: State<E>, { _tag, tokens }: TokensIn): void => {
  switch (_tag) {
    case "PutBack":
      return putBack(state, tokens)
    case "Earned":
      return earn(state, tokens)
    case "Kept":
      return state.held.keep(tokens, Math.max(1, state.most))
  }
}

const learn = <E>(state: State<E>, message: CallEnded<E>): void => {
  switch (message._tag) {
    case "Taken":
      return learnTaken(state, message)
    case "Returned":
      state.known.add(state.returning, state.nowMillis())
      state.pauses = Pauses.returned(state.pauses, state.returning)
      state.returning = 0
      return
    case "LevelRead":
      return state.known.learn(message.level, state.nowMillis())
    case "Failed":
      state.returning = 0
      state.pauses = Pauses.failed(state.pauses)
      state.size = LeaseSize.first(state.most, state.nowMillis())
      for (const waiter of state.waiters.all()) end(state, { _tag: "Fail", waiter, cause: message.cause })
  }
}

/** Keeps what was granted, and serves or refuses those for whom the answer decides. */
const learnTaken = <E>(state: State<E>, { draw, question, taken }: Extract<CallEnded<E>, { _tag: "Taken" }>): void => {
  const { held, known, limits, maxWait, nowMillis } = state
  const atMillis = nowMillis()
  held.add(taken.granted)
  known.learn(taken.level, atMillis)
  const answer = { ...question, ...taken, waits: Option.isSome(maxWait), atMillis, draw }
  state.pauses = Pauses.answered(state.pauses, limits, answer)
  refuseLate(state, atMillis)
  spill(state)
}

/**
 * Serves the waiting attempts that can be served, and refuses those that would get their tokens too late, in the order
 * of their turns.
 */
const refuseLate = <E>(state: State<E>, nowMillis: number): void => {
  let demand = 0
  for (const waiter of state.waiters.all()) {
    waiter.wasAnswered = true
    if (demand === 0 && grant(state, waiter)) continue
    const leftMillis = waiter.untilMillis - nowMillis
    if (Option.isSome(state.maxWait) && isTooLate(state, demand + waiter.cost, leftMillis, nowMillis)) {
      end(state, { _tag: "Refuse", waiter })
    } else demand += waiter.cost
  }
}

/** Whether the tokens that an attempt waits for, with those of all attempts before it, come too late for it. */
const isTooLate = <E>(
  { held, limits, maxWait, pauses }: LeaseState<E>,
  demand: number,
  leftMillis: number,
  nowMillis: number
): boolean => {
  const mostMillis = Option.isNone(maxWait) ? 0 : Math.max(0, leftMillis)
  return mostMillis < Infinity && Pauses.millisFor(pauses, limits, held.missing(demand), nowMillis) > mostMillis
}

/**
 * Serves the attempts that wait and can be served, and starts what the others need: a question, an alarm for the end of a
 * refusal, a return, a sweep.
 */
const settle = <E>(state: State<E>): void => {
  if (!state.waiters.isEmpty() || state.alarmMillis !== undefined || isReturnDue(state)) proceed(state)
  if (state.isSweeping || state.isClosed || !isWorthReturning(state.held.leased() + state.surplus)) return
  state.isSweeping = true
  state.commands.push({ _tag: "Sweep" })
}

/**
 * A return comes before a question, which may then take what it brings. No second one does: as long as others give tokens
 * back, attempts would wait.
 */
const proceed = <E>(state: State<E>): void => {
  const { hasReturned, isCalling, isClosed, waiters } = state
  for (let waiter = waiters.first(); waiter !== undefined && grant(state, waiter); waiter = waiters.first());
  spill(state)
  if (isCalling || isClosed) return
  const asks = (!isReturnDue(state) || hasReturned) && serve(state)
  if (!asks && isReturnDue(state)) returnSurplus(state)
}

/** Asks for the first attempt that may ask, and refuses those before it that may not. Answers whether it asks. */
const serve = <E>(state: State<E>): boolean => {
  const { maxWait, waiters } = state
  for (let waiter = waiters.first(); waiter !== undefined; waiter = waiters.first()) {
    if (grant(state, waiter)) continue
    const need = needOf(state, waiter)
    const millis = blockedMillis(state, need.pause)
    if (millis <= 0) {
      ask(state, need)
      return true
    }
    if (Option.isSome(maxWait) && waiter.limitMillis > 0) {
      ring(state, millis)
      return false
    }
    end(state, { _tag: "Refuse", waiter })
  }
  if (state.alarmMillis !== undefined) state.commands.push({ _tag: "Silence" })
  state.alarmMillis = undefined
  return false
}

/**
 * An attempt that can wait gathers its cost: it takes any tokens there are, even one. If it asked for its whole cost at
 * once, cheaper attempts of other processes would take the tokens before enough were there. It pauses like all others of
 * the bucket, if it has the time.
 */
const needOf = <E>(state: State<E>, { cost, limitMillis, untilMillis }: Waiters.Waiter<E>): Need => {
  const { held, maxWait, nowMillis, pause } = state
  const missing = held.missing(cost)
  if (Option.isNone(maxWait) || limitMillis <= 0) return { least: missing, pause: missing }
  const hasTime = blockedMillis(state, pause) < untilMillis - nowMillis()
  return { least: Math.min(1, missing), pause: hasTime ? pause : missing }
}

/** The least number of tokens to ask for, and the number for which the process pauses if the store is short of them. */
type Need = Omit<Pauses.Question, "want">

const ask = <E>(state: State<E>, need: Need): void => {
  const { held, limits, most, nowMillis, spent, waiters } = state
  state.size = LeaseSize.next(state.size, most, nowMillis(), spent)
  state.spent = 0
  state.hasReturned = false
  const wanted = Math.max(held.missing(waiters.demand()), state.size.tokens)
  const want = Math.max(need.least, Math.min(limits.burst, wanted))
  call(state, { _tag: "Ask", question: { ...need, want } })
}

/** Has the state told when the store may be asked. */
const ring = <E>(state: State<E>, millis: number): void => {
  const { alarmMillis, commands, nowMillis } = state
  const atMillis = nowMillis() + millis
  if (alarmMillis !== undefined && alarmMillis <= atMillis) return
  state.alarmMillis = atMillis
  commands.push({ _tag: "Ring", millis })
}

/** Returns what is beyond a lease, in one batch. */
const returnSurplus = <E>(state: State<E>): void => {
  const tokens = state.surplus
  state.returning = tokens
  state.surplus = 0
  state.isReturnDue = false
  state.hasReturned = true
  call(state, { _tag: "Return", tokens })
}

const call = <E>(state: State<E>, command: Command<E>): void => {
  state.isCalling = true
  state.commands.push(command)
}

/** Ends the wait of a waiter that is still there. */
const end = <E>(state: State<E>, command: Extract<Command<E>, { readonly waiter: unknown }>): void => {
  if (state.waiters.remove(command.waiter)) state.commands.push(command)
}

/** Grants an attempt its cost, out of what was to go to the store where the lease is short; or nothing. */
const grant = <E>(state: State<E>, waiter: Waiters.Waiter<E>): boolean => {
  const { held, surplus } = state
  const missing = held.missing(waiter.cost)
  if (missing > 0 && missing <= surplus) {
    state.surplus -= missing
    held.add(missing)
  }
  if (!spend(state, waiter.cost)) return false
  waiter.granted = waiter.cost
  end(state, { _tag: "Grant", waiter })
  return true
}

/** Takes what an attempt costs, or nothing. */
const spend = <E>(state: State<E>, cost: number): boolean => {
  if (!state.held.take(cost)) return false
  state.spent += cost
  state.uses += 1
  return true
}

/**
 * Puts back what an attempt was granted, and did not use or does not need any more. The process keeps a lease of it, after
 * the attempts that wait; the rest goes to the store at once.
 */
const putBack = <E>(state: State<E>, tokens: number): void => {
  if (state.isClosed) return
  state.held.add(tokens)
  spill(state)
}

/**
 * Puts in tokens that the fleet earned, as far as the store is known to have room for them. The process keeps a lease of
 * them, where no attempt waits; the rest goes to the store with the next sweep.
 */
const earn = <E>(state: State<E>, tokens: number): void => {
  const { held, isClosed, known, limits, most, nowMillis, returning, surplus, waiters } = state
  if (isClosed || !known.isKnown()) return
  const room = limits.burst - known.at(nowMillis()) - held.leased() - surplus - returning
  const gained = Math.max(0, Math.min(tokens, room))
  const kept = waiters.isEmpty() ? Math.max(0, Math.min(gained, most - held.leased())) : 0
  held.add(kept)
  state.surplus += gained - kept
}

/** Returns all where no attempt came for a while, and else what is more than a lease. */
const sweep = <E>(state: State<E>, uses: number): void => {
  if (state.uses === uses && state.waiters.isEmpty() && !state.isCalling) spill(state, 0)
  state.isReturnDue = true
  state.isSweeping = false
}

/** Moves tokens beyond a lease to those that the store gets at once, unless attempts wait: these gather their cost. */
const spill = <E>(state: State<E>, kept = state.most): void => {
  const { held, waiters } = state
  const spare = held.leased() - kept
  if (!waiters.isEmpty() || spare <= 0) return
  held.remove(spare)
  state.surplus += spare
  state.isReturnDue = true
}

/** Whether tokens go to the store as soon as no other call is under way. */
const isReturnDue = <E>({ isReturnDue, surplus }: State<E>): boolean => isReturnDue && isWorthReturning(surplus)

/** Whether there is something that others may need: the error of a floating-point sum is nothing. */
const isWorthReturning = (tokens: number): boolean => tokens > 1e-6
