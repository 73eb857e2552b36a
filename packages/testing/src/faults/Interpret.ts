/**
 * Applies a fault to a call.
 */
import * as Millis from "@effect-retry/core/unstable/Millis"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Draw from "./Draw.ts"
import type { Ending, Met, OfBody } from "./Tree.ts"

/** A fault that a protocol implements. */
export type OfProtocol = Extract<Ending, { readonly _tag: "Throttle" | "Status" | "Reset" }> | OfBody

/** `over` implements the faults of a protocol; for a fault of the body it makes the call itself. */
export const apply = <A, E, R, A2, E2, R2>(
  { fault, isLost, seed }: Met,
  self: Effect.Effect<A, E, R>,
  over: (fault: OfProtocol, seed: number) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, unknown, R | R2> => {
  switch (fault._tag) {
    case "Latency": {
      const { afterMillis, beforeMillis, jitter } = fault
      const drawn = (millis: number) => (millis > 0 ? jitter.draw(millis, Draw.uniform(seed)) : 0)
      return late(Effect.zipRight(wait(drawn(beforeMillis)), self), drawn(afterMillis))
    }
    case "Stuck":
      return Effect.zipRight(Effect.uninterruptible(wait(fault.millis)), self)
    case "Broken":
    case "Truncate":
    case "Garble":
    case "SlowBody":
      return over(fault, seed)
    default:
      return Effect.zipRight(
        isLost ? Effect.ignore(self) : Effect.void,
        ended(fault, (fault) => over(fault, seed))
      )
  }
}

const ended = <A2, E2, R2>(
  fault: Ending,
  over: (fault: Exclude<OfProtocol, OfBody>) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A2, unknown, R2> => {
  switch (fault._tag) {
    case "Hang":
      return Effect.never
    case "Fail":
      return Effect.zipRight(wait(fault.afterMillis), Effect.fail(fault.error))
    case "Die":
      return Effect.zipRight(wait(fault.afterMillis), Effect.die(fault.defect))
    default:
      return Effect.zipRight(
        wait(fault.afterMillis),
        Effect.suspend(() => over(fault))
      )
  }
}

const wait = (millis: number): Effect.Effect<void> =>
  millis > 0 ? Effect.sleep(Duration.millis(Math.min(millis, Millis.longestTimerMillis))) : Effect.void

/** Delays the outcome of an effect. */
const late = <A, E, R>(self: Effect.Effect<A, E, R>, millis: number): Effect.Effect<A, E, R> =>
  millis > 0
    ? Effect.matchCauseEffect(self, {
        onFailure: (cause) => Effect.zipRight(wait(millis), Effect.failCause(cause)),
        onSuccess: (a) => Effect.as(wait(millis), a)
      })
    : self
