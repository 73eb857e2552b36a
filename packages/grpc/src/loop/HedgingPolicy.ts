/**
 * The policy of a hedged operation, checked once at the call.
 */
import { type Classifier, Deadline, type Observe, type TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as BucketOrTag from "@effect-retry/core/unstable/BucketOrTag"
import * as HedgeCheck from "@effect-retry/core/unstable/HedgeCheck"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Parts from "./PolicyParts.ts"

/**
 * What a policy may have as its bucket.
 *
 * @category models
 */
export type Bucket = TokenBucket.TokenBucket | Context.Tag<any, TokenBucket.TokenBucket>

/**
 * How an operation is hedged; `E` is the error it judges, `B` its bucket, such as `typeof Tokens` for a tag.
 *
 * @category models
 */
export interface Policy<in E = unknown, out B extends Bucket = TokenBucket.TokenBucket> {
  /** The name of the operation in events. @default none */
  readonly name?: string | undefined
  /** Called with every event, one after the other. @default none */
  readonly observe?: ReadonlyArray<Observe.Observer> | undefined
  /**
   * Judges the failure of an attempt. If it is retryable, the other attempts continue, and the next one is sent at once
   * or, with a hint, when that time has passed; after an infinite hint no further one is sent. Any other verdict ends
   * the operation.
   */
  readonly classifier: Classifier.Classifier<E>
  /** The largest number of attempts, the first included: a whole number from 1. */
  readonly maxAttempts: number
  /** The time between two attempts. Zero sends all of them at once. */
  readonly hedgingDelay: Duration.DurationInput
  /** No attempt is sent after this time; running ones continue. @default no limit */
  readonly sendWithin?: Duration.DurationInput | undefined
  /**
   * A bucket or the tag of one. Asked before every attempt but the first, and told how attempts ended. While a slow
   * bucket is answering, running attempts continue and may end the operation; a late grant is refunded. @default none
   */
  readonly bucket?: B | undefined
}

export const check = <E>(owner: string, policy: Policy<E, Bucket>): HedgeCheck.Prepared => {
  const given: unknown = policy
  if (!Predicate.isRecord(given)) return Argument.refuse(owner, "policy", "a record", given)
  const { bucket, classifier, hedgingDelay, maxAttempts, name, observe, sendWithin } = policy
  if (!Predicate.isFunction(classifier)) {
    Argument.refuse(owner, "classifier", "a function from error to verdict", classifier)
  }
  const withinMillis =
    sendWithin === undefined ? undefined : Argument.millis(owner, "sendWithin", sendWithin, { min: 0 })
  const hedge = {
    name: name === "" ? undefined : name,
    observe: Parts.observers(owner, observe),
    classifier: classifier as Classifier.Classifier,
    maxAttempts: Argument.number(owner, "maxAttempts", maxAttempts, { min: 1, integer: true }),
    delay: Argument.millis(owner, "hedgingDelay", hedgingDelay, { min: 0 }),
    // A deadline must be above zero.
    deadline: withinMillis === undefined ? undefined : Deadline.refuse(Math.max(withinMillis, 1e-6)),
    bucket:
      bucket !== undefined && BucketOrTag.isTag(bucket)
        ? bucket
        : Parts.bucket(owner, bucket, "a TokenBucket or a Context.Tag of one")
  }
  // gRPC does not bound a pushback.
  return HedgeCheck.prepare(owner, hedge, `${owner}(call, policy)`, Infinity)
}
