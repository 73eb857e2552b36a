/**
 * Hedging: another attempt starts before the first one has answered, and the first answer wins.
 *
 * It cuts tail latency at the price of more load, and is only for operations that may safely be carried out more than
 * once. A retry reacts to failures, a hedge to slowness. If an operation needs both, put the hedge inside:
 * `Retry.retry(Hedge.hedge(call, hedge), policy)` backs off when a whole hedged attempt has failed, while a retry
 * inside a hedge backs off while other attempts are still running. Give both the same bucket, so that one budget pays
 * for everything.
 *
 * @example
 * ```ts
 * import { Classifier, Hedge } from "@effect-retry/core"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * let calls = 0
 * const slowOnce = Effect.suspend(() => {
 *   calls += 1
 *   return Effect.delay(Effect.succeed(calls), calls === 1 ? "1 minute" : "1 millis")
 * })
 * const hedged = slowOnce.pipe(
 *   Hedge.hedge({ classifier: Classifier.always, maxAttempts: 2, delay: "20 millis" })
 * )
 *
 * Effect.runPromise(hedged).then((call) => assert.strictEqual(call, 2))
 * ```
 */
import * as Effect from "effect/Effect"
import * as Argument from "../accept/Argument.ts"
import type { Env } from "./Door.ts"
import * as HedgeCheck from "./hedge/HedgeCheck.ts"
import type { Any, Checked, Fields } from "./hedge/HedgeRecord.ts"
import * as HedgeRun from "./hedge/HedgeRun.ts"
import * as Percentiles from "./hedge/Percentile.ts"
import type { Adds, Needs, Piped, ResultIn, Takes } from "./policy/PolicyTypes.ts"
import type { Erased } from "./run/Operation.ts"

export type { Checked, Delay, Fields } from "./hedge/HedgeRecord.ts"
export type { Percentile } from "./hedge/Percentile.ts"

const owner = "Hedge.hedge"
const usage = `${owner}(effect, hedge)`

/**
 * Runs an effect, and starts it again while it has not answered.
 *
 * The first success is the answer; of two at the same moment, that of the earlier attempt. The other attempts are
 * interrupted and awaited, so an attempt that cannot be interrupted delays the answer, unless it is wrapped in
 * `Effect.disconnect`. A failure that is not retryable interrupts the others and becomes the error; a retryable one
 * starts the next attempt at once, or when its hint has passed. If no attempt is left, the operation fails with the
 * error of the attempt that failed last. A defect or an interruption ends all attempts.
 *
 * The added load is at most `maxAttempts - 1` calls per operation. A bucket bounds it for all operations together: with
 * `TokenBucket.requestRatio`, to `capacity + ratio * credits` calls. If a policy has the same bucket, it pays for
 * retries too.
 *
 * After the time of `Deadline.refuse` no attempt starts; `Deadline.cut` also interrupts those in flight. Observers receive
 * `HedgeStarted`, `HedgeRefused`, `AttemptFailed`, and `Succeeded` or `GaveUp`; an interrupted attempt has no event.
 * Operations inside an attempt do not notice that they are nested in a hedge.
 *
 * @category running
 */
export function hedge<P extends Fields<E0, A0>, A0 = never, E0 = never>(
  hedge: Checked<P>
): <A extends ResultIn<P>, E extends Takes<P, E>, R>(
  self: Effect.Effect<A, E, R> | Piped<P, Effect.Effect<A0, E0, any>>
) => Effect.Effect<A, E | Adds<P>["deadline"], Env<P, R>["own"] | Needs<P>["bucket"]>
export function hedge<A = never, E = never, R = never, P extends Fields<E, A> = Fields<E, A>>(
  self: Effect.Effect<A, E, R>,
  hedge: Checked<P>
): Effect.Effect<A, E | Adds<P>["deadline"], Env<P, R>["own"] | Needs<P>["bucket"]>
export function hedge(...given: ReadonlyArray<any>): any {
  if (given.length > 1) return run(given[0], prepared(given[1]))
  const hedge = prepared(given[0])
  return (self: unknown) => run(self, hedge)
}

const known = new WeakMap<object, HedgeCheck.Prepared>()

/** Checks a hedge once and remembers the result. */
const prepared = (given: Any): HedgeCheck.Prepared => {
  const found = known.get(given)
  if (found !== undefined) return found
  const made = HedgeCheck.prepare(owner, given, usage)
  known.set(given, made)
  return made
}

const run = (self: unknown, hedge: HedgeCheck.Prepared): Erased => {
  if (!Effect.isEffect(self)) return Argument.refuseForeign(owner, "effect", `an effect, as in ${usage}`, self)
  return HedgeRun.run(() => self as Erased, hedge)
}

/**
 * A percentile of recent latencies, as the delay of a hedge. Hedges that share the value share its measurements. Make
 * one for each kind of call, because calls of different cost have different latencies.
 *
 * It measures first attempts: how long they ran if they succeeded or failed with the kind `Timeout`, and their age when
 * another attempt succeeded before them. No other failure counts. Measuring the winners instead would lower the
 * percentile with every hedge. The newest latencies count most: each weighs half as much as one that comes 1,000 later,
 * so about 2,900 count together. They are kept in a histogram of 160 numbers from 1 ms to 17 minutes, accurate to 9 %. With fewer than 50
 * latencies, or after ten minutes without one, no hedge starts.
 *
 * The share of operations with a hedge is near `1 - at`; a bucket that allows twice that share bounds it and rarely refuses.
 *
 * @category constructors
 */
export const percentile: (options?: { readonly at?: number | undefined }) => Effect.Effect<Percentiles.Percentile> =
  Percentiles.percentile
