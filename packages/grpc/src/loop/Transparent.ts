/**
 * Transparent retries: a call that did not reach the server's application is sent again within its attempt.
 *
 * They count neither towards `maxAttempts` nor in the throttle.
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Transparent Retries".
 */
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ProgressOf } from "../classify/CallVerdict.ts"

/**
 * The specification sets no limit for calls that never left the client.
 *
 * Source: https://github.com/grpc/grpc-java, core/src/main/java/io/grpc/internal/RetriableStream.java,
 * `localOnlyTransparentRetries`.
 */
const mostUnsent = 1000

/** Sends the attempts of one call again, as often as they may. */
interface Transparently {
  <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
}

/**
 * Makes the state for one call: a call that never left the client is sent again until `withinMillis` have passed; one
 * that the server's library refused is sent again once, unless an attempt has failed in another way before.
 */
export const make = (progressOf: ProgressOf, withinMillis: number): Effect.Effect<Transparently> =>
  Effect.map(Effect.clock, (clock) => {
    const isLate = lateness(clock, withinMillis)
    let unsent = 0
    let mayRefuse = true
    const isFree = (error: unknown): boolean => {
      const progress = progressOf(error)
      if (progress === "NotSent") return ++unsent <= mostUnsent && !isLate()
      const isFirst = progress === "Refused" && mayRefuse
      mayRefuse = false
      return isFirst && !isLate()
    }
    const transparently: Transparently = (attempt) => Effect.catchIf(attempt, isFree, () => transparently(attempt))
    return transparently
  })

const lateness = (clock: Clock.Clock, withinMillis: number): (() => boolean) => {
  const elapsedMillis = MonotonicTime.since(clock)
  return () => elapsedMillis() >= withinMillis
}
