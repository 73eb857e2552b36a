/**
 * How a client hedges: core's hedge, with what is specific to HTTP.
 */
import type { Classifier, Deadline, Hedge, Observe, TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as HedgeCheck from "@effect-retry/core/unstable/HedgeCheck"
import type * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"
import type * as Idempotency from "../../decide/Idempotency.ts"
import type { Erased } from "./HttpPolicy.ts"
import { complete } from "./HttpPolicy.ts"

/** A bucket, or the tag of one. */
export type Bucket = TokenBucket.TokenBucket | Context.Tag<any, TokenBucket.TokenBucket>

/**
 * How a client hedges. `E2` is the error of its deadline, `B` its bucket, such as `typeof Tokens` for a tag.
 *
 * @category models
 */
export interface HedgePolicy<out E2 = never, out B extends Bucket = TokenBucket.TokenBucket> {
  /** The name of the requests in events. @default none */
  readonly name?: string | undefined
  /** Called with every event, one after the other. @default none */
  readonly observe?: ReadonlyArray<Observe.Observer> | undefined
  /** The route of the requests in events, such as `/books/{id}`; see the policy of `withRetry`. @default none */
  readonly route?: string | undefined
  /** Judges errors and responses. @default HttpClassifier.standard */
  readonly classifier?: Classifier.Classifier | undefined
  /** What makes a request safe to repeat. @default Idempotency.standard */
  readonly idempotency?: Idempotency.Idempotency | undefined
  /** The largest number of requests in all, the first included: a whole number from 1. @default 2 */
  readonly maxAttempts?: number | undefined
  /** The largest number of requests in flight: a whole number from 1. @default maxAttempts */
  readonly maxInFlight?: number | undefined
  /** When the next request is sent, unless one has been answered; counted from the latest one. */
  readonly delay: Hedge.Delay
  /** Bounds the whole operation; its error is the `cause` of a `RequestError`. @default none */
  readonly deadline?: Deadline.Deadline<E2> | undefined
  /** Asked for every request but the first, without holding up the requests under way. The host is the key of keyed buckets. */
  readonly bucket?: B | undefined
}

/** A checked hedge. */
export interface Checked {
  readonly policy: Erased
  readonly prepared: HedgeCheck.Prepared
}

/** Checks a hedge. `hooks` are placeholders for whatever depends on a request. */
export const check = (
  owner: string,
  given: HedgePolicy<unknown, Bucket>,
  hooks: Pick<Hedge.Fields<unknown, any>, "classifier" | "release" | "result">
): Checked => {
  if (!Predicate.isRecord(given)) return Argument.refuse(owner, "hedge", "a record", given)
  Argument.fields(owner, given, fields, "fields of a client's hedge")
  const {
    classifier,
    delay,
    idempotency,
    maxAttempts = 2,
    maxInFlight,
    route,
    ...common
  } = given as HedgePolicy<unknown, Bucket>
  const hedge = { ...common, ...hooks, maxAttempts, maxInFlight, delay }
  const prepared = HedgeCheck.prepare(owner, hedge, `${owner}(client, hedge)`)
  return { policy: complete(owner, { ...common, maxAttempts, classifier, idempotency, route }), prepared }
}

const fields: ReadonlyArray<keyof HedgePolicy> = [
  "name",
  "observe",
  "route",
  "classifier",
  "idempotency",
  "maxAttempts",
  "maxInFlight",
  "delay",
  "deadline",
  "bucket"
]
