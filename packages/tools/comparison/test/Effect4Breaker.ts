/** The circuit breaker of Effect 4, under a clock that a test moves. */
import { Backoff } from "@effect-retry/core"
import { Duration, Effect } from "effect"
import * as Effect4 from "effect-4/Effect"
import * as Exit4 from "effect-4/Exit"
import * as Fiber4 from "effect-4/Fiber"
import * as Layer4 from "effect-4/Layer"
import * as Schedule4 from "effect-4/Schedule"
import * as Scope4 from "effect-4/Scope"
import * as Breaker4 from "effect-4/persistence/CircuitBreaker"
import type { Options } from "../../../core/test/fund/bucket/CircuitRows.ts"
import type { Circuit } from "../../../core/test/fund/bucket/CircuitSteps.ts"
import { Failed, Ignored, settle } from "./Attempts.ts"

interface Made {
  readonly circuit: Circuit
  readonly close: () => Promise<unknown>
}

const key = "server"

/** Every row says when its circuit opens. */
const inARow = { consecutive: 5 }

const tripPolicy = ({ opensAt = inARow }: Options): Breaker4.TripPolicy => {
  if ("consecutive" in opensAt) return Breaker4.consecutive(opensAt.consecutive)
  if (!("last" in opensAt)) throw new Error("a window of time is none of this library")
  const { atLeast = opensAt.last, last, ratio } = opensAt
  return Breaker4.rate({ threshold: ratio, size: last, minimumCalls: atLeast })
}

/** One open time, or those of the one schedule that the rows have. */
const openDuration = (openFor: Options["openFor"]) =>
  Backoff.isBackoff(openFor)
    ? Schedule4.exponential("100 millis", 2)
    : Duration.toMillis(openFor as Duration.DurationInput)

/** What a call says of the server. */
const classify = (exit: Exit4.Exit<void, Failed | Ignored>): Breaker4.Outcome => {
  if (Exit4.isSuccess(exit)) return Breaker4.success
  const error = Exit4.findErrorOption(exit)
  if (error._tag === "None" || error.value instanceof Ignored) return Breaker4.ignored
  const { retryAfterMillis } = error.value
  return Breaker4.failure(retryAfterMillis > 0 ? { retryAfter: retryAfterMillis } : {})
}

/** `at` moves the time that `Date` tells. */
export const make = async (options: Options, at: Circuit["at"]): Promise<Made> => {
  const scope = await Effect4.runPromise(Scope4.make())
  const breaker = await Effect4.runPromise(
    Effect4.gen(function* () {
      const store = yield* Layer4.build(Breaker4.layerStoreMemory())
      const made = Breaker4.make({
        tripPolicy: tripPolicy(options),
        openDuration: openDuration(options.openFor),
        ...(options.maxHint === undefined ? {} : { maxOpenDuration: Duration.toMillis(options.maxHint) })
      })
      return yield* Effect4.provide(made, store)
    }).pipe(Effect4.provideService(Scope4.Scope, scope))
  )
  return { circuit: circuitOf(breaker, at), close: () => Effect4.runPromise(Scope4.close(scope, Exit4.void)) }
}

const circuitOf = (breaker: Breaker4.CircuitBreaker, at: Circuit["at"]): Circuit => ({
  at,
  begin: Effect.sync(() => {
    let how = "?"
    let end: (outcome: Effect4.Effect<void, Failed | Ignored>) => void = () => {}
    const call = Effect4.callback<void, Failed | Ignored>((resume) => {
      how = ""
      end = resume
    })
    const fiber = Effect4.runFork(breaker.execute(call, { key, classify }))
    fiber.addObserver(() => {
      if (how === "?") how = "!"
    })
    return {
      answer: Effect.map(settle, () => how),
      end: (ending, millis) =>
        Effect.andThen(
          Effect.sync(() => {
            if (ending === "x") Effect4.runFork(Fiber4.interrupt(fiber))
            else end(ending === "o" ? Effect4.void : Effect4.fail(ending === "i" ? new Ignored() : new Failed(millis)))
          }),
          settle
        )
    }
  }),
  isolate: Effect.dieMessage("isolation is none of this library"),
  reset: Effect.dieMessage("a reset is none of this library"),
  state: Effect.promise(() => Effect4.runPromise(Effect4.map(breaker.state(key), ({ _tag }) => _tag[0] ?? ""))),
  reopens: false
})
