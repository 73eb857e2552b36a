/**
 * What a hedged operation is made from: checked once, at the call.
 */
import type { Classifier, Observe, TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as BucketOrTag from "@effect-retry/core/unstable/BucketOrTag"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Parts from "./PolicyParts.ts"

/**
 * What a policy may have for its bucket.
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
  /** What events call the operation. @default none */
  readonly name?: string | undefined
  /** Called with every event, one after the other. @default none */
  readonly observe?: ReadonlyArray<Observe.Observer> | undefined
  /**
   * Judges the failure of an attempt. Retryable: the other attempts go on, and the next one is sent at once or, with a
   * hint, when that time has passed; after an endless hint none is sent any more. Anything else ends the operation.
   */
  readonly classifier: Classifier.Classifier<E>
  /** Most attempts in all, the first included: a whole number from 1. */
  readonly maxAttempts: number
  /** Between two attempts. Zero sends all of them at once. */
  readonly hedgingDelay: Duration.DurationInput
  /** No attempt is sent after this time. Those that run go on. @default no limit */
  readonly sendWithin?: Duration.DurationInput | undefined
  /**
   * A bucket or the tag of one. Asked before every attempt but the first, and told how attempts ended. While a slow bucket
   * is asked, the attempts that run go on and may end the operation; a grant that comes too late is refunded. @default none
   */
  readonly bucket?: B | undefined
}

/** A policy that was checked, in milliseconds. */
export interface Checked<B extends Bucket = TokenBucket.TokenBucket> {
  readonly name: string
  readonly observe: ReadonlyArray<Observe.Observer>
  readonly classifier: Classifier.Classifier<unknown>
  readonly maxAttempts: number
  readonly delayMillis: number
  readonly withinMillis: number
  readonly bucket: B | undefined
}

export const check = <E>(owner: string, policy: Policy<E, Bucket>): Checked<Bucket> => {
  const given: unknown = policy
  if (!Predicate.isRecord(given)) return Argument.refuse(owner, "policy", "a record", given)
  const { bucket, classifier, maxAttempts, name = "", sendWithin } = policy
  if (!Predicate.isFunction(classifier)) {
    Argument.refuse(owner, "classifier", "a function from error to verdict", classifier)
  }
  return {
    name,
    observe: Parts.observers(owner, policy.observe),
    classifier: classifier as Classifier.Classifier<unknown>,
    maxAttempts: Argument.number(owner, "maxAttempts", maxAttempts, { min: 1, integer: true }),
    delayMillis: Argument.millis(owner, "hedgingDelay", policy.hedgingDelay, { min: 0 }),
    withinMillis: sendWithin === undefined ? Infinity : Argument.millis(owner, "sendWithin", sendWithin, { min: 0 }),
    bucket:
      bucket !== undefined && BucketOrTag.isTag(bucket)
        ? bucket
        : Parts.bucket(owner, bucket, "a TokenBucket or a Context.Tag of one")
  }
}

/** The policy with the bucket of its tag. */
export const resolved = (policy: Checked<Bucket>): Effect.Effect<Checked, never, unknown> => {
  const { bucket } = policy
  return bucket !== undefined && BucketOrTag.isTag(bucket)
    ? Effect.map(bucket, (found) => ({ ...policy, bucket: found }))
    : Effect.succeed({ ...policy, bucket })
}
