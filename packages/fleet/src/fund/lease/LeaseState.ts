/**
 * What a process knows and holds of a bucket, as a state machine: it takes messages and returns commands.
 *
 * Only this module changes it, in synchronous steps that start nothing: calls, timers and answers to attempts are
 * commands. There is at most one call of the store at a time, of any kind; further calls wait for its end. If a call
 * fails, every waiting attempt fails in the same way, so no attempt waits twice for a store that is away.
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

/** A message: something that happened. */
export type Message<E> =
  | TokensIn
  | CallEnded<E>
  /** An attempt begins to wait, its time is over, or it is interrupted. */
  | { readonly _tag: "Came" | "Late" | "Left"; readonly waiter: Waiters.Waiter<E> }
  /** The level is asked for. */
  | { readonly _tag: "LevelWanted" }
  | { readonly _tag: "Rung" }
  /** A sweep is due; `uses` is the count when it was scheduled. */
  | { readonly _tag: "Swept"; readonly uses: number }
  /** The bucket is closed; when the call under way has ended, the process returns everything. */
  | { readonly _tag: "Closed" | "Emptied" }

/** Tokens came in: returned from a grant, earned for the fleet, or this process's own, of which it keeps a lease. */
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

/** A command: something to do. */
export type Command<E> =
  | { readonly _tag: "Grant" | "Refuse" | "TimeOut"; readonly waiter: Waiters.Waiter<E> }
  | { readonly _tag: "Fail"; readonly waiter: Waiters.Waiter<E>; readonly cause: Cause.Cause<E> }
  | { readonly _tag: "Ask"; readonly question: Pauses.Question }
  | { readonly _tag: "Return"; readonly tokens: number }
  | { readonly _tag: "ReadLevel" }
  /** Sets an alarm, replacing an earlier one, or switches it off. */
  | { readonly _tag: "Ring"; readonly millis: number }
  | { readonly _tag: "Silence" }
  /** Schedules a sweep after the idle time. */
  | { readonly _tag: "Sweep" }
  /** Cancels alarm and sweep. */
  | { readonly _tag: "Stop" }

/** The settings. */
interface Terms {
  readonly limits: Limits
  /** The longest wait for tokens; `None` for a bucket that refuses. */
  readonly maxWait: Waiting.MaxWait
  /** The number of tokens for which a waiting attempt pauses. */
  readonly pause: number
  /** The largest number of tokens in a lease. */
  readonly most: number
  readonly nowMillis: () => number
}

interface State<in out E> extends Terms {
  readonly held: Held.Held
  readonly known: KnownLevel.KnownLevel
  readonly waiters: Waiters.Waiters<E>
  pauses: Pauses.Pauses
  size: LeaseSize.LeaseSize
  /** Tokens spent since the latest request. */
  spent: number
  /** How many attempts were granted or began to wait. */
  uses: number
  /** Tokens beyond a lease, to be returned to the store. */
  surplus: number
  /** Tokens on their way to the store. */
  returning: number
  /** Whether to return the surplus at once instead of with the next sweep. */
  isReturnDue: boolean
  /** Whether tokens were returned since the latest request. */
  hasReturned: boolean
  isCalling: boolean
  isSweeping: boolean
  isClosed: boolean
  alarmMillis: number | undefined
  commands: Array<Command<E>>
}

/** The state as other modules see it, read-only. */
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

/** Takes the cost of a new attempt at once, or nothing; a new attempt never overtakes a waiting one. */
export const take = <E>(state: State<E>, cost: number): boolean => state.waiters.isEmpty() && spend(state, cost)

/** Whether an attempt that comes now is refused at once. */
export const isRefused = <E>(state: LeaseState<E>, cost: number, limitMillis: number): boolean =>
  state.isClosed ||
  (!state.isCalling && isTooLate(state, state.waiters.demand() + cost, limitMillis, state.nowMillis()))

/** What the store is known to have plus what the process holds. */
export const level = <E>({ held, known, limits, nowMillis, returning, surplus }: LeaseState<E>): number =>
  Math.min(limits.burst, known.at(nowMillis()) + surplus + returning) + held.all()

/** When the store may be asked for `need` tokens, in milliseconds from now; zero or less if at once. */
export const blockedMillis = <E>({ limits, nowMillis, pauses }: LeaseState<E>, need: number): number =>
  Pauses.millisFor(pauses, limits, need, nowMillis())

/**
 * Adds tokens if that requires no command, because no attempt waits for them and a sweep is due anyway. Otherwise
 * changes nothing and returns false.
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
 * Processes a message, serves the waiting attempts that can be served, and returns the commands in order. Call it only
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
      // A store that has not answered at all has failed, not refused.
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

/** Keeps what was granted, and serves or refuses the attempts that the answer decides. */
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

/** Whether the tokens for an attempt, and for all attempts before it, come too late. */
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
 * Serves the waiting attempts that can be served, and starts what the others need: a request, an alarm for the end of a
 * refusal, a return, a sweep.
 */
const settle = <E>(state: State<E>): void => {
  if (!state.waiters.isEmpty() || state.alarmMillis !== undefined || isReturnDue(state)) proceed(state)
  if (state.isSweeping || state.isClosed || !isWorthReturning(state.held.leased() + state.surplus)) return
  state.isSweeping = true
  state.commands.push({ _tag: "Sweep" })
}

/**
 * A return comes before a request, which may then take the returned tokens. A second return does not: attempts would
 * wait for as long as others give tokens back.
 */
const proceed = <E>(state: State<E>): void => {
  const { hasReturned, isCalling, isClosed, waiters } = state
  for (let waiter = waiters.first(); waiter !== undefined && grant(state, waiter); waiter = waiters.first());
  spill(state)
  if (isCalling || isClosed) return
  const asks = (!isReturnDue(state) || hasReturned) && serve(state)
  if (!asks && isReturnDue(state)) returnSurplus(state)
}

/** Asks the store for the first attempt that may ask, and refuses those before it that may not. Returns whether it asks. */
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
 * An attempt that can wait gathers its cost: it takes any available tokens, even one. If it asked for its whole cost at
 * once, cheaper attempts of other processes would take the tokens before there were enough. It pauses like all others
 * of the bucket, if it has the time.
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

/** Sets an alarm for when the store may be asked. */
const ring = <E>(state: State<E>, millis: number): void => {
  const { alarmMillis, commands, nowMillis } = state
  const atMillis = nowMillis() + millis
  if (alarmMillis !== undefined && alarmMillis <= atMillis) return
  state.alarmMillis = atMillis
  commands.push({ _tag: "Ring", millis })
}

/** Returns the surplus in one batch. */
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

/** Ends the wait of a waiter, if it is still waiting. */
const end = <E>(state: State<E>, command: Extract<Command<E>, { readonly waiter: unknown }>): void => {
  if (state.waiters.remove(command.waiter)) state.commands.push(command)
}

/** Grants an attempt its cost, using the surplus if the lease is short; or nothing. */
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
 * Puts back what an attempt was granted but no longer needs. Waiting attempts are served first, then the process keeps
 * a lease; the rest goes to the store at once.
 */
const putBack = <E>(state: State<E>, tokens: number): void => {
  if (state.isClosed) return
  state.held.add(tokens)
  spill(state)
}

/**
 * Adds tokens earned for the fleet, as far as the store is known to have room for them. If no attempt waits, the
 * process keeps a lease of them; the rest goes to the store with the next sweep.
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

/** Returns everything if no attempt came for a while, and otherwise what exceeds a lease. */
const sweep = <E>(state: State<E>, uses: number): void => {
  if (state.uses === uses && state.waiters.isEmpty() && !state.isCalling) spill(state, 0)
  state.isReturnDue = true
  state.isSweeping = false
}

/** Marks tokens beyond a lease for immediate return, unless attempts wait, which gather their cost. */
const spill = <E>(state: State<E>, kept = state.most): void => {
  const { held, waiters } = state
  const spare = held.leased() - kept
  if (!waiters.isEmpty() || spare <= 0) return
  held.remove(spare)
  state.surplus += spare
  state.isReturnDue = true
}

/** Whether tokens must go to the store as soon as no other call is under way. */
const isReturnDue = <E>({ isReturnDue, surplus }: State<E>): boolean => isReturnDue && isWorthReturning(surplus)

/** Whether there is more to return than a floating-point error. */
const isWorthReturning = (tokens: number): boolean => tokens > 1e-6
