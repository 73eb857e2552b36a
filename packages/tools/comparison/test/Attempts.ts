/**
 * Calls that last until a test ends them, and time that moves when a test moves it.
 */
import { Effect } from "effect"
import type { Call } from "../../../core/test/fund/bucket/CircuitSteps.ts"

/** A failure that a circuit breaker is told to ignore. */
export class Ignored extends Error {}

/** The failure of a server, and how long it asks to be left alone. */
export class Failed extends Error {
  readonly retryAfterMillis: number
  constructor(retryAfterMillis: number) {
    super("down")
    this.retryAfterMillis = retryAfterMillis
  }
}

/** Lets everything run that waits for no timer; `setImmediate` is not replaced by fake timers here. */
export const settle: Effect.Effect<void> = Effect.promise(
  () => new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve)))
)

/** Sends a call through a breaker of promises: `run` makes the call, or does not. */
export const attempt = (run: (call: () => Promise<void>) => Promise<unknown>): Effect.Effect<Call> =>
  Effect.sync(() => {
    let how = "?"
    let resolve = () => {}
    let reject: (error: Error) => void = () => {}
    const call = () => {
      how = ""
      return new Promise<void>((succeed, fail) => {
        resolve = succeed
        reject = fail
      })
    }
    run(call).catch(() => {
      if (how === "?") how = "!"
    })
    return {
      answer: Effect.map(settle, () => how),
      end: (how, millis) =>
        Effect.andThen(
          Effect.sync(() => {
            if (how === "o") resolve()
            else reject(how === "i" ? new Ignored() : new Failed(millis))
          }),
          settle
        )
    }
  })
