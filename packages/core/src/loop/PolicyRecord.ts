/**
 * The type of a policy, and what the types of an operation become under it.
 */
import type { Effect } from "effect"
import { Context, Predicate, Schedule } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import type { Classifier } from "../classify/Classifier.ts"
import type { Verdict } from "../classify/Verdict.ts"
import type { AttemptTimeout } from "../decide/AttemptTimeout.ts"
import type { Backoff } from "../decide/Backoff.ts"
import type { Deadline } from "../decide/Deadline.ts"
import type { Hint } from "../decide/Hint.ts"
import type { ChargingBucket, RetryBucket } from "../fund/RetryBucket.ts"
import type { SendRate } from "../fund/SendRate.ts"
import type { Attempt } from "./CurrentAttempt.ts"
import type { Observer } from "./RetryEvent.ts"
import type { ResultRejected, SendRefused } from "./RetryStopped.ts"

/**
 * `E` is the error it judges, `A` the result it judges, `E2` an error it may add, `R` what its back-off requires.
 *
 * @category models
 */
export interface Policy<in E = unknown, in A = unknown, out E2 = unknown, out R = unknown> {
  /** What events, and operations nested inside, call this one. Not empty. Costs a service provided per attempt. */
  readonly name?: string | undefined
  /** Hear every event, in this order; see the module `Observe`. */
  readonly observe?: ReadonlyArray<Observer> | undefined
  /** What to do inside an attempt of a named operation that is retried itself. @default "retry" */
  readonly whenNested?: "retry" | "standDown" | undefined
  /** Provides the running attempt with its own number, time left and previous failure. */
  readonly attempt?: Context.Tag<any, Attempt> | undefined
  /** The name of a span around each attempt. */
  readonly attemptSpan?: string | undefined
  /** Asked before every attempt, told every result. */
  readonly sendRate?: Context.Tag<any, SendRate> | undefined
  readonly attemptTimeout?: AttemptTimeout<E2> | undefined
  readonly classifier: Classifier<E>
  /** Judges a success: retryable means "again", terminal means "no use", no opinion means success. */
  readonly result?: ((result: A) => Verdict) | undefined
  /** Most calls in all, the first included: a whole number from 1, or `Infinity`. */
  readonly maxAttempts: number
  readonly backoff: Schedule.Schedule<unknown, E, R>
  /** @default Hint.standard */
  readonly hint?: Hint | undefined
  readonly deadline?: Deadline<E2> | undefined
  /** Lets go of what an attempt left open, given its error or judged result; see `Release`. */
  readonly release?: Release | undefined
  /** Asked before every retry. */
  readonly bucket?: Context.Tag<any, RetryBucket> | Context.Tag<any, ChargingBucket> | undefined
}

/**
 * Lets go of what an attempt left open, such as the body of a response: before the wait for the next attempt, or when the
 * operation is interrupted before that. What the operation ends with is not released.
 *
 * Interrupted while it releases before a wait, it is called once more, and then cannot be interrupted.
 *
 * @category models
 */
export interface Release {
  (failed: unknown, because: "Retried" | "Interrupted"): Effect.Effect<void>
}

/**
 * A policy of any types.
 *
 * @category models
 */
export type Any = Policy<never, never>

/**
 * A policy whose types are not looked at any more: the front doors of `Retry` have checked them.
 *
 * @category models
 */
export type ErasedPolicy = Policy<unknown, unknown>

/**
 * Forgets the types of a policy: for whoever has them checked in the signature of its own.
 *
 * @category conversions
 */
export const erase = (policy: Any): ErasedPolicy => policy as unknown as ErasedPolicy

/**
 * A policy that does not say yet what is retryable.
 *
 * @category models
 */
export interface Preset<out E2 = never> extends Pick<
  Policy<never, never, E2, never>,
  "name" | "observe" | "whenNested" | "attemptSpan" | "attemptTimeout" | "maxAttempts" | "hint" | "deadline"
> {
  readonly backoff: Backoff
}

/**
 * A preset that says what is retryable: the type to annotate a policy with that judges no results and uses no services.
 *
 * @category models
 */
export interface Complete<in E, out E2 = never> extends Preset<E2> {
  readonly classifier: Classifier<E>
}

/**
 * The error that a policy judges.
 *
 * @category models
 */
export type In<P> = (P extends { readonly classifier: (error: infer E) => Verdict } ? E : never) & ScheduleIn<P>

/**
 * The result that a policy judges.
 *
 * @category models
 */
export type ResultIn<P> = P extends { readonly result: (result: infer A) => Verdict } ? A : unknown

/**
 * The errors that a policy adds.
 *
 * @category models
 */
export type Added<P> =
  | (P extends { readonly attemptTimeout?: infer T } ? AddedBy<T> : never)
  | (P extends { readonly deadline?: infer T } ? AddedBy<T> : never)
  | (P extends { readonly sendRate: Context.Tag<any, any> } ? SendRefused : never)
  | (P extends { readonly bucket: Context.Tag<any, infer B> }
      ? B extends ChargingBucket
        ? SendRefused
        : never
      : never)

type AddedBy<T> =
  T extends AttemptTimeout<infer E2>
    ? Known<E2>
    : T extends { readonly onExceeded: (...args: never) => infer E2 }
      ? Known<E2>
      : never

type Known<E> = unknown extends E ? never : E

/**
 * What a stopped operation can carry as its error.
 *
 * @category models
 */
export type Failure<P, E, A> =
  | E
  | Added<P>
  | (P extends { readonly result: (result: never) => Verdict } ? ResultRejected<A> : never)

/**
 * What an operation requires under a policy: what it required before and the policy's services, less what the policy
 * provides.
 *
 * @category models
 */
export type Env<P, R> =
  | ([Provided<P>] extends [never] ? R : Exclude<R, Provided<P>>)
  | (P extends { readonly backoff: Schedule.Schedule<any, any, infer R2> } ? R2 : never)
  | (P extends { readonly bucket: Context.Tag<infer I, any> } ? I : never)
  | (P extends { readonly sendRate: Context.Tag<infer I, any> } ? I : never)

type Provided<P> = P extends { readonly attempt: Context.Tag<infer I, any> } ? I : never

type ScheduleIn<P> = P extends { readonly backoff: Schedule.Schedule<any, infer In, any> } ? In : unknown

/**
 * Asks of a schedule that reads its input to know also the errors that the policy adds and the results it judges.
 *
 * @category models
 */
export type Fits<P> = [Added<P> | JudgedResult<P>] extends [ScheduleIn<P>]
  ? unknown
  : { readonly backoff: Schedule.Schedule<unknown, Added<P> | JudgedResult<P>> }

type JudgedResult<P> = P extends { readonly result: (result: infer A) => Verdict } ? A : never

/**
 * Throws where a field has a value that its type cannot exclude.
 *
 * @category guards
 */
export const check = <P extends Any>(owner: string, policy: P): P => {
  if (!Predicate.isRecord(policy)) return Argument.refuse(owner, "policy", "a record", policy)
  if (!Predicate.isFunction(policy.classifier)) {
    return Argument.refuse(owner, "classifier", "a function from error to verdict", policy.classifier)
  }
  if (!Schedule.isSchedule(policy.backoff)) {
    return Argument.refuse(owner, "backoff", "a Backoff or another Schedule", policy.backoff)
  }
  if (policy.maxAttempts !== Infinity) {
    Argument.number(owner, "maxAttempts", policy.maxAttempts, { min: 1, integer: true })
  }
  const { attemptSpan, name, observe, whenNested } = policy
  if (name !== undefined) checkName(owner, "name", name)
  if (attemptSpan !== undefined) checkName(owner, "attemptSpan", attemptSpan)
  if (whenNested !== undefined) Argument.oneOf(owner, "whenNested", whenNested, ["retry", "standDown"])
  if (observe !== undefined && !(Array.isArray(observe) && observe.every(Predicate.isFunction))) {
    return Argument.refuse(owner, "observe", "an array of observers", observe)
  }
  if (policy.result !== undefined && !Predicate.isFunction(policy.result)) {
    return Argument.refuse(owner, "result", "a function from result to verdict", policy.result)
  }
  if (policy.release !== undefined && !Predicate.isFunction(policy.release)) {
    return Argument.refuse(owner, "release", "a function from what failed to an effect", policy.release)
  }
  const { attempt, attemptTimeout, bucket, deadline, hint, sendRate } = policy
  if (attemptTimeout !== undefined) checkMade(owner, "attemptTimeout", "AttemptTimeout", attemptTimeout, "onTimeout")
  if (deadline !== undefined) checkMade(owner, "deadline", "Deadline", deadline, "withinMillis")
  if (hint !== undefined) checkMade(owner, "hint", "Hint", hint, "_tag")
  if (attempt !== undefined) checkTag(owner, "attempt", attempt)
  if (sendRate !== undefined) checkTag(owner, "sendRate", sendRate)
  if (bucket !== undefined) checkTag(owner, "bucket", bucket)
  return policy
}

/** Whether a value can come from the constructors of a module, all of whose values have `property`. */
const checkMade = (owner: string, field: string, module: string, value: unknown, property: string): void => {
  if (!Predicate.hasProperty(value, property)) Argument.refuse(owner, field, `made by ${module}`, value)
}

const checkTag = (owner: string, field: string, value: unknown): void => {
  if (!Context.isTag(value)) Argument.refuse(owner, field, "a Context.Tag", value)
}

const checkName = (owner: string, field: string, name: unknown): void => {
  if (typeof name !== "string" || name === "") Argument.refuse(owner, field, "a string that is not empty", name)
}
