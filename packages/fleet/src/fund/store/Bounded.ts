/**
 * Waits for a client's promise within a time limit.
 *
 * Uses one fiber and one timer: `Effect.timeout` takes three fibers, which cost more than the call itself.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as RunnerLine from "@effect-retry/core/unstable/RunnerLine"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import * as Timer from "@effect-retry/core/unstable/Timer"
import type * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The default longest time for a call of a store, in milliseconds; the same for all stores. */
export const defaultMillis = 1000

/** Checks the longest time for a call of a store, in milliseconds. */
export const withinMillis = (owner: string, within: Duration.DurationInput = defaultMillis): number =>
  Argument.millis(owner, "within", within, { min: 0, exclusive: true, max: longestTimerMillis })

/** A call of a client, and the handlers of its outcome. */
interface Call<A, E> {
  /** The longest time until an answer. */
  readonly withinMillis: number
  /** Sends the call; `isOver` says whether its answer is no longer awaited. */
  readonly send: (isOver: () => boolean) => Promise<unknown>
  readonly onAnswer: (answer: unknown) => Effect.Effect<A, E>
  readonly onThrown: (thrown: unknown) => Effect.Effect<A, E>
  /** `isAnswered` says whether there was an answer older than the time limit. */
  readonly onTimeout: (isAnswered: boolean) => Effect.Effect<A, E>
  /** Run in a separate fiber for an answer that came after the time limit or an interruption. @default nothing */
  readonly onLate?: (answer: unknown, ageMillis: number) => Effect.Effect<void>
}

/**
 * Calls once. An answer that is older than the time limit when it is read does not count: others may have been granted
 * the same tokens since.
 *
 * If the program itself stood still for longer than the time limit, the answers that arrived meanwhile are read before
 * the call ends, because the last millisecond has its own timer. They show that the server is up.
 */
export const call = <A, E>(call: Call<A, E>): Effect.Effect<A, E> =>
  Effect.clockWith((clock) =>
    Effect.flatMap(RunnerLine.runner, (runner) => Effect.async<A, E>((resume) => begin(call, clock, runner, resume)))
  )

/** Sends the call, starts its timer, and returns what cancels it. Only the first result counts. */
const begin = <A, E>(
  { onAnswer, onLate, onThrown, onTimeout, send, withinMillis }: Call<A, E>,
  clock: Clock.Clock,
  runner: RunnerLine.Runner,
  resume: (result: Effect.Effect<A, E>) => void
): Effect.Effect<void> => {
  const elapsedMillis = MonotonicTime.since(clock)
  let isOver = false
  let cancel: Timer.Cancel = () => {}
  const stop = () => {
    isOver = true
    cancel()
  }
  const end = (result: () => Effect.Effect<A, E>) => {
    stop()
    resume(Effect.suspend(result))
  }
  const after = (millis: number, onEnd: () => void) => {
    cancel = Timer.after(clock, millis, runner, onEnd)
  }
  const answered = (answer: unknown) => {
    const ageMillis = elapsedMillis()
    if (!isOver && ageMillis <= withinMillis) return end(() => onAnswer(answer))
    if (onLate !== undefined) RunnerLine.runFork(runner, onLate(answer, ageMillis))
    end(() => onTimeout(true))
  }
  const thrown = (error: unknown) => end(() => onThrown(error))
  const last = Math.min(1, withinMillis / 2)
  after(withinMillis - last, () => after(last, () => end(() => onTimeout(false))))
  try {
    send(() => isOver).then(answered, thrown)
  } catch (error) {
    thrown(error)
  }
  return Effect.sync(stop)
}

/** Runs an effect for a late answer, if it can be read. */
export const late =
  <A>(
    read: (answer: unknown) => Option.Option<A>,
    run: (answer: A, ageMillis: number) => Effect.Effect<void, unknown> = () => Effect.void
  ) =>
  (answer: unknown, ageMillis: number): Effect.Effect<void> =>
    Option.match(read(answer), { onNone: () => Effect.void, onSome: (one) => Effect.ignore(run(one, ageMillis)) })
