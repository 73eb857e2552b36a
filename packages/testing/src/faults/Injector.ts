/**
 * Injects faults into calls: numbers them, asks the tree, and counts.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Predicate from "effect/Predicate"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import type * as Runtime from "effect/Runtime"
import type * as Tracer from "effect/Tracer"
import type { Decide, Met, Request, types } from "./Tree.ts"

/**
 * An injected fault.
 *
 * @category models
 */
export interface Injected {
  /** The number of the call, from 1. */
  readonly call: number
  /** The name of the fault, such as `Fail`. */
  readonly fault: string
  /** The time of the call since the injector was made. */
  readonly elapsed: Duration.Duration
}

/**
 * The calls and faults so far.
 *
 * @category models
 */
export interface Counts {
  readonly calls: number
  /** How many faults were injected, by name. */
  readonly injected: Readonly<Record<string, number>>
  /** How many faults were not injected because `maxInFlight` was reached. */
  readonly spared: number
}

/**
 * Injects faults into calls. `E` is the error with which it makes a call fail.
 *
 * @category models
 */
export interface Injector<out E = never, out Over extends "http" = never> {
  readonly [types]?: { readonly error: E; readonly over: Over }
  /** Makes a call, or replaces it as `injected` says. */
  readonly call: <A, E, R, A2, E2, R2>(
    request: Request | undefined,
    self: Effect.Effect<A, E, R>,
    injected: (met: Met) => Effect.Effect<A2, E2, R2>
  ) => Effect.Effect<A | A2, E | E2, R | R2>
  readonly counts: Effect.Effect<Counts>
  /** The runtime of the program that made it, for calls that are promises. */
  readonly runtime: Runtime.Runtime<never>
}

/** Checks what was given to the function `owner`. */
export const checked = <E, Over extends "http">(owner: string, injector: Injector<E, Over>): Injector<E, Over> =>
  Predicate.hasProperty(injector, "call")
    ? injector
    : Argument.refuse(owner, "injector", "an injector, which Faults.make makes", injector)

export interface Settings {
  readonly decide: Decide
  readonly maxInFlight: number
  readonly onInjected: ((injected: Injected) => Effect.Effect<void>) | undefined
}

export const make = ({ decide, maxInFlight, onInjected }: Settings): Effect.Effect<Injector<any, any>> =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    const sinceStart = MonotonicTime.since(MonotonicTime.currentClock())
    const injected: Record<string, number> = {}
    let [calls, spared, inFlight] = [0, 0, 0]
    return {
      runtime,
      counts: Effect.sync(() => ({ calls, injected: { ...injected }, spared })),
      call: (request, self, around) =>
        Effect.suspend((): Effect.Effect<any, any, any> => {
          calls += 1
          const call = { number: calls, elapsed: Duration.millis(sinceStart()), request }
          const met = decide(call)
          if (met === undefined) return self
          if (inFlight >= maxInFlight) {
            spared += 1
            return self
          }
          const { _tag: fault } = met.fault
          const begin = Effect.sync(() => {
            inFlight += 1
            injected[fault] = (injected[fault] ?? 0) + 1
          })
          const end = () =>
            Effect.sync(() => {
              inFlight -= 1
            })
          const tell = told({ call: call.number, fault, elapsed: call.elapsed }, onInjected)
          return Effect.acquireUseRelease(begin, () => Effect.zipRight(tell, around(met)), end)
        })
    }
  })

/**
 * Faults that were injected, by `fault`, their name.
 *
 * @category constructors
 */
export const injections: Metric.Metric.Counter<number> = /*#__PURE__*/ Metric.counter("faults.injected", {
  description: "Faults that were injected on purpose",
  incremental: true
})

/** Marks the span around the call, and counts, so that an operator can tell injected faults from real ones. */
const told = (injected: Injected, onInjected: Settings["onInjected"]): Effect.Effect<void> =>
  Effect.zipRight(
    Effect.zipRight(Metric.increment(Metric.tagged(injections, "fault", injected.fault)), marked(injected)),
    onInjected === undefined ? Effect.void : Effect.suspend(() => onInjected(injected))
  )

const marked = ({ call, fault }: Injected): Effect.Effect<void> =>
  Effect.flatMap(Effect.option(Effect.currentSpan), (span) =>
    span._tag === "None"
      ? Effect.void
      : Effect.clockWith((clock) => Effect.sync(() => added(span.value, clock.unsafeCurrentTimeNanos(), call, fault)))
  )

const added = (span: Tracer.Span, nanos: bigint, call: number, fault: string): void => {
  span.attribute("fault.injected", fault)
  span.event("fault.injected", nanos, { "fault.call": call, "fault.name": fault })
}
