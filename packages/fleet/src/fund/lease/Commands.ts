/**
 * Sends messages to the state of a lease, and carries out its commands: calls of the store, timers, and answers to attempts.
 */
import type { Grant } from "@effect-retry/core/TokenBucket"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Pauses from "../../decide/Pauses.ts"
import type * as FleetEvents from "../fleet/FleetEvents.ts"
import type * as StoreCalls from "../fleet/StoreCalls.ts"
import * as Background from "../store/Background.ts"
import type { Store } from "../store/Store.ts"
import * as LeaseState from "./LeaseState.ts"

/** A lease with its running effects. */
export interface Running<in out E> {
  readonly state: LeaseState.LeaseState<E>
  readonly store: Store<E>
  readonly bucketKey: string
  readonly idleMillis: number
  readonly events: FleetEvents.FleetEvents
  readonly call: StoreCalls.StoreCall<E>
  readonly timedOut: () => E
  /** Completed when the store call under way ends. */
  calling: Deferred.Deferred<void, E> | undefined
  alarm: Fiber.Fiber<unknown> | undefined
  sweep: Fiber.Fiber<unknown> | undefined
}

/** Sends a message to the state, uninterruptibly, so that every change is followed by its commands. */
export const tell = <E>(running: Running<E>, message: LeaseState.Message<E>): Effect.Effect<void> =>
  Background.atomically(() => step(running, message))

/** Sends a message within the caller's step; the caller must run the returned effect. */
export const step = <E>(running: Running<E>, message: LeaseState.Message<E>): Effect.Effect<void> => {
  const begun = LeaseState.step(running.state, message).map((command) => begin(running, command))
  return begun.length === 0 ? Effect.void : Effect.all(begun, { discard: true })
}

const begin = <E>(running: Running<E>, command: LeaseState.Command<E>): Effect.Effect<void> => {
  switch (command._tag) {
    case "Grant":
      return Deferred.done(command.waiter.answer, granted(running, command.waiter.cost))
    case "Refuse":
      return Deferred.done(command.waiter.answer, refused)
    case "TimeOut":
      return Deferred.fail(command.waiter.answer, running.timedOut())
    case "Fail":
      return Deferred.failCause(command.waiter.answer, command.cause)
    case "Ask":
      return ask(running, command.question)
    case "Return":
      return giveBack(running, command.tokens)
    case "ReadLevel":
      return readLevel(running)
    case "Ring":
      return ring(running, command.millis)
    case "Silence":
      return silence(running)
    case "Sweep":
      return sweep(running)
    case "Stop":
      return Effect.zipRight(
        silence(running),
        Effect.suspend(() => stop(running.sweep))
      )
  }
}

/** The answer to an attempt that is refused. */
export const refused: Exit.Exit<Option.Option<Grant>> = /*#__PURE__*/ Exit.succeed(Option.none())

/** The answer to an attempt that is granted `cost` tokens, which can be refunded once. */
export const granted = <E>(running: Running<E>, cost: number): Exit.Exit<Option.Option<Grant>> => {
  running.events.granted()
  let isRefunded = false
  const refund = Effect.suspend(() =>
    Background.atomically(() => {
      if (isRefunded) return Effect.void
      isRefunded = true
      return step(running, { _tag: "PutBack", tokens: cost })
    })
  )
  return Exit.succeed(Option.some({ tokens: cost, refund }))
}

const ask = <E>(running: Running<E>, question: Pauses.Question): Effect.Effect<void> => {
  const { bucketKey, events, state, store } = running
  const { least, pause, want } = question
  return call(running, {
    call: () => Effect.zip(store.take(bucketKey, state.limits, want, least), Random.next),
    message: ([taken, draw]) => ({ _tag: "Taken", question, taken, draw }),
    event: ([{ granted }]) =>
      events.tell(() => ({
        _tag: "Asked",
        want,
        granted,
        retryAfter: Duration.millis(granted < want ? Math.max(0, LeaseState.blockedMillis(state, pause)) : 0),
        leaseSize: state.size.tokens
      }))
  })
}

const giveBack = <E>(running: Running<E>, tokens: number): Effect.Effect<void> =>
  call(running, {
    call: () => running.store.put(running.bucketKey, running.state.limits, tokens),
    message: () => ({ _tag: "Returned" }),
    event: () => running.events.tell(() => ({ _tag: "Returned", tokens }))
  })

const readLevel = <E>(running: Running<E>): Effect.Effect<void> =>
  call(running, {
    call: () => running.store.level(running.bucketKey, running.state.limits),
    message: (level) => ({ _tag: "LevelRead", level }),
    event: () => Effect.void
  })

/** A store call, with the message for the state and the event for observers that its answer leads to. */
interface Call<out E, in out A> {
  readonly call: () => Effect.Effect<A, E>
  readonly message: (answer: A) => LeaseState.CallEnded<E>
  readonly event: (answer: A) => Effect.Effect<void>
}

/** Calls the store in a separate fiber, which no attempt can end. */
const call = <E, A>(running: Running<E>, { call, event, message }: Call<E, A>): Effect.Effect<void> => {
  const ended = FiberLine.deferred<void, E>()
  running.calling = ended
  const calling = Effect.flatMap(running.call(call), (exit) => {
    running.calling = undefined
    const [told, observed] = Exit.isSuccess(exit)
      ? [message(exit.value), event(exit.value)]
      : [{ _tag: "Failed" as const, cause: exit.cause }, Effect.void]
    const commands = step(running, told)
    // The event tells what the answer has led to, before an attempt that a command wakes changes it.
    return Effect.all([observed, commands, Deferred.done(ended, Exit.asVoid(exit))], { discard: true })
  })
  return Effect.asVoid(Effect.forkDaemon(Effect.uninterruptible(calling)))
}

const ring = <E>(running: Running<E>, millis: number): Effect.Effect<void> => {
  const rung = Background.atomically(() => {
    running.alarm = undefined
    return step(running, { _tag: "Rung" })
  })
  const timer = Background.begin(Effect.delay(rung, Math.min(longestTimerMillis, Math.ceil(millis))))
  return Effect.zipRight(
    silence(running),
    Effect.map(timer, (fiber) => {
      running.alarm = fiber
    })
  )
}

const silence = <E>(running: Running<E>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { alarm } = running
    running.alarm = undefined
    return stop(alarm)
  })

const sweep = <E>(running: Running<E>): Effect.Effect<void> => {
  const begun = Effect.suspend(() => {
    const { uses } = running.state
    return Effect.delay(tell(running, { _tag: "Swept", uses }), running.idleMillis)
  })
  return Effect.map(Background.begin(begun), (fiber) => {
    running.sweep = fiber
  })
}

const stop = (fiber: Fiber.Fiber<unknown> | undefined): Effect.Effect<void> =>
  fiber === undefined ? Effect.void : FiberLine.interrupt(fiber)

/** Waits for the call under way, if there is one. */
export const ended = <E>({ calling }: Running<E>): Effect.Effect<void> =>
  calling === undefined ? Effect.void : Effect.ignore(Effect.exit(Deferred.await(calling)))
