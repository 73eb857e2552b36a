/**
 * A promise of a client, waited for as long as a bound allows.
 *
 * One fiber and one timer: what `Effect.timeout` does takes three fibers, which cost more than the call itself.
 */
import * as Argument from "@effect-retry/core/Argument"
import { longestTimerMillis } from "@effect-retry/core/Millis"
import * as Timer from "@effect-retry/core/Timer"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * Most time of a call of a store, in milliseconds: the one default of all stores.
 *
 * @category constructors
 */
export const withinMillis = (owner: string, within: Duration.DurationInput = "1 second"): number =>
  Argument.millis(owner, "within", within, { min: 0, exclusive: true, max: longestTimerMillis })

/** A call of a client, and what becomes of it. */
interface Call<A, E> {
  /** Most time until there is an answer. */
  readonly withinMillis: number
  /** Sends the call; `isOver` says whether its answer is still waited for. */
  readonly send: (isOver: () => boolean) => Promise<unknown>
  readonly onAnswer: (answer: unknown) => Effect.Effect<A, E>
  readonly onThrown: (thrown: unknown) => Effect.Effect<A, E>
  readonly onTimeout: () => Effect.Effect<A, E>
}

/**
 * Calls once. An answer that comes after the bound, or after an interruption, is dropped.
 *
 * Where the program itself stood still for longer than the bound, the answers that came meanwhile are read first: the last
 * millisecond of the bound is a timer of its own.
 *
 * @category running
 */
export const call = <A, E>({ onAnswer, onThrown, onTimeout, send, withinMillis }: Call<A, E>): Effect.Effect<A, E> =>
  Effect.clockWith((clock) =>
    Effect.flatMap(Effect.runtime<never>(), (runtime) =>
      Effect.async<A, E>((resume) => {
        let isOver = false
        let cancel: Timer.Cancel = () => {}
        const end = (result: () => Effect.Effect<A, E>) => {
          isOver = true
          cancel()
          resume(Effect.suspend(result))
        }
        const after = (millis: number, onEnd: () => void) => {
          cancel = Timer.after(clock, millis, runtime, onEnd)
        }
        const last = Math.min(1, withinMillis / 2)
        after(withinMillis - last, () => after(last, () => end(onTimeout)))
        try {
          send(() => isOver).then(
            (answer) => end(() => onAnswer(answer)),
            (thrown: unknown) => end(() => onThrown(thrown))
          )
        } catch (thrown) {
          end(() => onThrown(thrown))
        }
        return Effect.sync(() => {
          isOver = true
          cancel()
        })
      })
    )
  )
