/**
 * The calls of a process to the store for one bucket, one at a time: questions, returns and readings of the level.
 *
 * What is to be called meanwhile waits for the end of the call under way. Where that fails, every attempt that waits fails as
 * it did: no attempt waits for a store that is away twice.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as LeaseSize from "../../decide/LeaseSize.ts"
import type { LeaseState } from "./LeaseState.ts"

/** A call of the store, and what becomes of it. */
export interface Call<out E, in out A> {
  readonly call: () => Effect.Effect<A, E>
  /** Keeps what was answered, in one step. */
  readonly learn: (answer: NoInfer<A>) => void
  /** Serves those that wait, and begins what is to be called next. */
  readonly settle: Effect.Effect<void>
  readonly tell: (answer: NoInfer<A>) => Effect.Effect<void>
}

/** Calls the store in a fiber of its own, which no attempt ends. To be run where no call is under way. */
export const begin = <E, A>(state: LeaseState<E>, { call, learn, settle, tell }: Call<E, A>): Effect.Effect<void> => {
  const ended = Deferred.unsafeMake<void, E>(FiberId.none)
  state.calling = ended
  const calling = Effect.flatMap(state.call(call), (exit) => {
    state.calling = undefined
    if (Exit.isSuccess(exit)) learn(exit.value)
    else fail(state, exit.cause)
    const told = Exit.isSuccess(exit) ? tell(exit.value) : Effect.void
    return Effect.zipRight(Effect.zipRight(settle, told), Deferred.done(ended, Exit.asVoid(exit)))
  })
  return Effect.asVoid(Effect.forkDaemon(Effect.uninterruptible(calling)))
}

/** The next lease is one token, and a refusal that the store gave before it went away does not keep an attempt from asking. */
const fail = <E>(state: LeaseState<E>, cause: Cause.Cause<E>): void => {
  state.returning = 0
  state.refusal = undefined
  state.size = LeaseSize.first(state.most, state.nowMillis())
  for (const waiter of state.waiters.all()) state.waiters.end(waiter, Exit.failCause(cause))
}
