/**
 * Hedging: another attempt is sent before the first one has answered, and the first answer wins.
 *
 * It cuts tail latency at the price of more load, and is only for operations that may safely be carried out more than once.
 * Attempts run in their own fibers; when one succeeds, the others are interrupted, and the operation ends when they
 * have ended. Wrap an attempt that cannot be interrupted in `Effect.disconnect`.
 *
 * Follows gRPC's text, https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Hedging Policy". Clients
 * differ from it: after a non-fatal failure, grpc-java keeps to the hedging delay, and it ignores the delay of a
 * pushback.
 *
 * @example
 * ```ts
 * import { Classifier } from "@effect-retry/core"
 * import { Hedging } from "@effect-retry/grpc"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const slowOnce = (attempt: number) => Effect.delay(Effect.succeed(attempt), attempt === 1 ? "1 minute" : "1 millis")
 * const hedged = Hedging.run(slowOnce, {
 *   classifier: Classifier.always,
 *   maxAttempts: 3,
 *   hedgingDelay: "20 millis"
 * })
 *
 * Effect.runPromise(hedged).then((attempt) => assert.strictEqual(attempt, 2))
 * ```
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import * as HedgeRun from "@effect-retry/core/unstable/HedgeRun"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { check } from "./HedgingPolicy.ts"
import type { Bucket, Policy } from "./HedgingPolicy.ts"

export type { Bucket, Policy } from "./HedgingPolicy.ts"

/**
 * Runs an operation with hedges. The function receives the number of each attempt, from 1.
 *
 * The first success is the answer. A failure that the classifier calls retryable brings the next attempt forward: it is
 * sent at once, or when the failure's hint has passed, and those after it follow at the hedging delay again. A later
 * failure does not shorten a hint that is still running. Any other failure interrupts the other attempts and becomes
 * the error. If no attempt is left, the error is that of the attempt that failed last. Defects and interruption pass
 * through.
 *
 * The bucket is asked for every attempt but the first: once it has refused, no further attempt is sent. Observers
 * receive `HedgeStarted`, `HedgeRefused`, `AttemptFailed`, `Succeeded` and `GaveUp`; an interrupted attempt has no
 * event. Core's `Hedge.hedge` does the same for any effect, and offers a deadline and a delay that follows latencies.
 *
 * @category running
 */
export function run<E, B extends Bucket = never>(
  policy: Policy<E, B>
): <A, E2 extends E, R>(
  call: (attempt: number) => Effect.Effect<A, E2, R>
) => Effect.Effect<A, E2, R | Needs<B>["service"]>
export function run<A, E, R, B extends Bucket = never>(
  call: (attempt: number) => Effect.Effect<A, E, R>,
  policy: Policy<E, B>
): Effect.Effect<A, E, R | Needs<B>["service"]>
export function run(...given: Given): any {
  // A policy given alone is checked here, not when the result is called.
  if (given.length < 2) check(owner, given[0])
  return dual(given, (call: Call, policy: Policy<never, Bucket>) => {
    if (!Predicate.isFunction(call)) Argument.refuse(owner, "call", "a function from number to effect", call)
    return HedgeRun.run((attempt) => Effect.suspend(() => call(attempt)), check(owner, policy))
  })
}

const owner = "Hedging.run"

/** A call without its types, which the front door has checked. */
interface Call {
  (attempt: number): Effect.Effect<unknown, unknown, unknown>
}

interface Needs<B> {
  readonly service: B extends Context.Tag<infer I, any> ? I : never
}
