/**
 * Takes steps on our own circuit breakers, in virtual time.
 */
import { type CircuitBreaker, type TokenBucket, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { Duration, Effect, Exit, Fiber, Option } from "effect"
import { acquire } from "../Asking.ts"
import type { Circuit } from "./CircuitSteps.ts"

const outcomeOf = (
  how: string,
  granted: TokenBucket.Grant,
  started: TokenBucket.Started,
  millis: number
): TokenBucket.Outcome => {
  const end = { attempt: 1, granted, started, ran: Duration.millis(millis) }
  const hint = millis > 0 ? { hint: Duration.millis(millis) } : {}
  switch (how) {
    case "o":
      return { _tag: "Succeeded", ...end }
    case "f":
      return { _tag: "Failed", ...end, verdict: Verdict.retryable("Server", hint) }
    case "i":
      return { _tag: "Failed", ...end, verdict: Verdict.throttling }
    default:
      return { _tag: "Abandoned", ...end }
  }
}

const settle = Effect.replicateEffect(Effect.yieldNow(), 20)

export const circuitOf = (breaker: CircuitBreaker.CircuitBreaker): Circuit<VirtualClock.VirtualClock> => ({
  at: (millis) => Effect.flatMap(VirtualClock.now, (now) => Effect.sleep(Math.max(0, millis - Duration.toMillis(now)))),
  begin: Effect.map(Effect.fork(acquire(breaker)), (asking) => ({
    answer: Effect.map(Effect.zipRight(settle, Fiber.poll(asking)), (polled) =>
      Option.isNone(polled) ? "?" : Exit.isSuccess(polled.value) && Option.isSome(polled.value.value) ? "" : "!"
    ),
    end: (how, millis) =>
      Effect.gen(function* () {
        const granted = Option.getOrThrow(yield* Fiber.join(asking))
        const started = { attempt: 1 }
        yield* breaker.started?.(started) ?? Effect.void
        yield* breaker.record(outcomeOf(how, granted, started, millis))
        yield* settle
      })
  })),
  isolate: breaker.isolate,
  reset: breaker.reset,
  state: Effect.map(breaker.state, ({ _tag }) => _tag[0] ?? ""),
  reopens: true
})
