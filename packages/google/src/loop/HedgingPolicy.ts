/**
 * What a hedged operation is made from: checked once, at the call.
 */
import type { Classifier, Observe, TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/Argument"
import { Predicate } from "effect"
import type { Duration } from "effect"

/**
 * How an operation is hedged; `E` is the error it judges.
 *
 * @category models
 */
export interface Policy<in E = unknown> {
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
  /** Asked before every attempt but the first, and told how attempts ended. It is not waited for. @default none */
  readonly bucket?: TokenBucket.TokenBucket | undefined
}

/**
 * A policy that was checked, in milliseconds.
 *
 * @category models
 */
export interface Checked {
  readonly name: string
  readonly observe: ReadonlyArray<Observe.Observer>
  readonly classifier: Classifier.Classifier<unknown>
  readonly maxAttempts: number
  readonly delayMillis: number
  readonly withinMillis: number
  readonly bucket: TokenBucket.TokenBucket | undefined
}

/**
 * @category constructors
 */
export const check = <E>(policy: Policy<E>): Checked => {
  const owner = "Hedging.run"
  const { bucket, classifier, maxAttempts, name = "", sendWithin } = policy
  const observe: ReadonlyArray<Observe.Observer> = policy.observe ?? []
  if (!Predicate.isFunction(classifier)) {
    Argument.refuse(owner, "classifier", "a function from error to verdict", classifier)
  }
  if (!Array.isArray(observe) || !observe.every((observer) => Predicate.isFunction(observer))) {
    Argument.refuse(owner, "observe", "an array of observers", observe)
  }
  if (bucket !== undefined && !Predicate.hasProperty(bucket, "acquire")) {
    Argument.refuse(owner, "bucket", "a TokenBucket", bucket)
  }
  return {
    name,
    observe: [...observe],
    classifier: classifier as Classifier.Classifier<unknown>,
    maxAttempts: Argument.number(owner, "maxAttempts", maxAttempts, { min: 1, integer: true }),
    delayMillis: Argument.millis(owner, "hedgingDelay", policy.hedgingDelay, { min: 0 }),
    withinMillis: sendWithin === undefined ? Infinity : Argument.millis(owner, "sendWithin", sendWithin, { min: 0 }),
    bucket
  }
}
