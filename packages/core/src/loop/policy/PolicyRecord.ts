/**
 * The types of policies: the record, and what people annotate with.
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"
import type { Classifier, Moment } from "../../classify/Classifier.ts"
import type { Kind, Verdict } from "../../classify/Verdict.ts"
import type { AttemptTimeout } from "./AttemptTimeout.ts"
import type { Backoff } from "../../decide/Backoff.ts"
import type { Deadline, DeadlineExceeded } from "./Deadline.ts"
import type { Hint } from "../../decide/Hint.ts"
import type { BucketOrTag } from "../../fund/port/BucketOrTag.ts"
import type { TokenBucket } from "../../fund/port/Port.ts"
import type { Attempt } from "./CurrentAttempt.ts"
import type { RetryEvent } from "./RetryEvent.ts"
import type { AttemptRefused } from "./RetryStopped.ts"

/**
 * The fields of a policy, in the order in which the loop consults them. `E` and `A` are the error and the result of the
 * effect, for lambdas without annotation.
 *
 * @category models
 */
export interface Fields<in E, in A> {
  /** The name of the operation in events, metrics and nested operations. Not empty. Costs one FiberRef write per attempt. */
  readonly name?: string | undefined
  /** Observers, called with every event in this order; each returns an effect or nothing. See the module `Observe`. */
  readonly observe?:
    | ReadonlyArray<Listener | Unrun | Mistake<"an observer, such as Observe.logs()">>
    | Mistake<"[Observe.logs(), Observe.metrics]">
    | undefined
  /** What to do inside an attempt of a named operation that itself retries. @default "retry" */
  readonly whenNested?: "retry" | "standDown" | undefined
  /** Provides the attempt with its own number, time left and previous failure. */
  readonly attempt?: Context.Tag<any, Attempt> | undefined
  /** The name of a span around each attempt. */
  readonly attemptSpan?: string | undefined
  /** Asked before every attempt, the first included; told how each ended. */
  readonly rateLimiter?: TokenBucket | Context.Tag<any, TokenBucket> | Unrun | undefined
  /** Bounds each attempt, such as `AttemptTimeout.constant("2 seconds")`; fibers that it forks then end with it. */
  readonly attemptTimeout?: AttemptTimeout<unknown> | Mistake<`AttemptTimeout.constant("2 seconds")`> | undefined
  /** Judges an error: may another attempt succeed? See the module `Classifier`. */
  readonly classifier: (
    error: E,
    moment: Moment
    // No value is a `Mistake`; the compiler shows this message for a predicate.
  ) => Verdict | Mistake<"Classifier.fromPredicate turns a predicate into a classifier">
  /** Judges a success: retryable means "again", terminal means "give up", no opinion means success. */
  readonly result?: ((result: A, moment: Moment) => Verdict) | undefined
  /** The largest number of calls, the first included: a whole number from 1, or `Infinity`. */
  readonly maxAttempts: number
  /**
   * Separate limits for attempts that fail with certain kinds. Such attempts do not count towards `maxAttempts`, so
   * `{ Throttling: Infinity }` means that a throttle costs no attempt. Whole numbers from 1, or `Infinity`.
   */
  readonly attemptsByKind?: AttemptsByKind | undefined
  /** The delays between attempts: a `Backoff`, or any other schedule. */
  readonly backoff: Schedule.Schedule<unknown, E, unknown> | Mistake<ABackoff>
  /** How to follow a wait that the server asks for. @default Hint.standard */
  readonly hint?: Hint | undefined
  /** Bounds the whole operation, such as `Deadline.refuse("10 seconds")`. */
  readonly deadline?: Deadline<unknown> | Mistake<`Deadline.refuse("10 seconds")`> | undefined
  /** Releases what an attempt left open, from its error or judged result; see `Release`. */
  readonly release?: Release | undefined
  /** Asked before every retry; told how each attempt ended. */
  readonly bucket?: TokenBucket | Context.Tag<any, TokenBucket> | Unrun | undefined
}

/** An observer that may return nothing. */
type Listener = (event: RetryEvent) => Effect.Effect<void> | void

type AttemptsByKind = { readonly [K in Kind]?: number | undefined }

/**
 * Releases what an attempt left open, such as the body of a response: before the wait for the next attempt, or when the
 * operation is interrupted. The operation's final error or result is not released. Called once for each such attempt; only
 * the deadline interrupts it, so put a timeout on a release that may hang.
 *
 * If an attempt is refused after the release (by the rate limiter, or because the deadline has passed meanwhile), the
 * operation fails with the `AttemptRefused` or `DeadlineExceeded` that the policy's type adds.
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
export type Any = Fields<never, never>

/** A policy that requires no services, for `async` functions. */
export interface Plain<in E, in A> extends Fields<E, A> {
  readonly rateLimiter?: TokenBucket | undefined
  readonly backoff: Schedule.Schedule<unknown, E> | Mistake<ABackoff>
  readonly bucket?: TokenBucket | undefined
}

/** `F` without the fields in `Beyond` and without a cut, for what does not run the attempts; `Why` is shown for each of them. */
export type Without<F extends Any, Beyond extends keyof Any, Why> = Omit<F, Beyond | "deadline"> & {
  readonly [Field in Beyond]?: Mistake<Why> | undefined
} & {
  readonly deadline?: Deadline | Mistake<`Deadline.refuse("10 seconds")`> | undefined
}

/** The fields of `T` without their types, so that editors show the comments of fields. */
export type Commented<T> = { readonly [K in keyof T]?: unknown }

/** The last line of a type error: what is wrong. */
export interface Mistake<out Message> {
  readonly mistake: Message
}

/** What the compiler shows for a text or a number in place of a back-off. */
export type ABackoff = `Backoff.constant({ delay: "1 second" })`

/** No value is an `Unrun`; for the effect that makes a bucket or an observer, the compiler shows the name of the missing property. */
interface Unrun extends Effect.Effect<unknown, unknown, unknown> {
  readonly "yield* the effect that makes it": never
}

/**
 * A policy without a classifier and without services.
 *
 * @category models
 */
export interface Preset<out E2 = never> extends Pick<
  Any,
  "name" | "whenNested" | "attemptSpan" | "maxAttempts" | "attemptsByKind" | "hint"
> {
  readonly observe?: ReadonlyArray<Listener> | undefined
  readonly attemptTimeout?: AttemptTimeout<E2> | undefined
  readonly deadline?: Deadline<E2> | undefined
  readonly backoff: Backoff
}

/** The fields that add nothing to the types of an operation. */
type Untyped = "name" | "whenNested" | "attempt" | "attemptSpan" | "maxAttempts" | "attemptsByKind" | "hint"
type Tags<R> = R extends unknown ? Context.Tag<R, TokenBucket> : never

/**
 * The type for annotating a policy that judges errors `E` and results `A`, may add the errors `E2`, and requires `R`.
 *
 * An annotation that leaves out an error or a service is refused: a policy with a rate limiter names `AttemptRefused`
 * in `E2`, one with a tag names its service in `R`, one that judges results names them in `A`, and one that releases
 * under a deadline names `DeadlineExceeded` in `E2`.
 *
 * @category models
 */
export type Policy<E, E2 = never, R = never, A = never> = Pick<Any, Untyped> &
  Commented<Any> &
  Says<E2, R> & {
    readonly observe?: ReadonlyArray<Listener> | undefined
    readonly attemptTimeout?: AttemptTimeout<E2> | undefined
    readonly classifier: Classifier<E>
    readonly backoff: Schedule.Schedule<unknown, unknown, R>
    readonly deadline?: Deadline<E2> | undefined
    readonly bucket?: TokenBucket | Tags<R> | undefined
    readonly rateLimiter?: [AttemptRefused] extends [E2]
      ? TokenBucket | Tags<R> | undefined
      : (TokenBucket & Mistake<"a rate limiter adds AttemptRefused: name it in E2">) | undefined
    readonly release?: [DeadlineExceeded] extends [E2]
      ? Release | undefined
      : (Release & Mistake<"a release under a deadline adds DeadlineExceeded: name it in E2">) | undefined
    readonly result?: [A] extends [never]
      ? (((result: unknown) => Verdict) & Mistake<"name the judged result: Policy<E, E2, R, A>">) | undefined
      : ((result: A, moment: Moment) => Verdict) | undefined
  }

/**
 * Exists only in types: what an annotation says that a policy adds and requires, for generic functions, in which the
 * conditional fields are not resolved yet. TypeScript drops a class method from a spread, so for a changed policy this
 * is read from the fields again.
 */
export declare class Says<out E2, out R> {
  "~says"?(): { readonly adds: E2; readonly needs: R }
}

/**
 * A policy with a type that says which fields are absent: for `write ? policy1 : policy2` TypeScript otherwise keeps
 * only the fields that both have.
 *
 * @category models
 */
export type Made<P> = P & { readonly [K in Exclude<keyof Any, keyof P>]?: undefined }

/** The fields that constructors make, without the messages for what is written in their place. */
export interface Constructed {
  readonly observe?: ReadonlyArray<Listener> | undefined
  readonly rateLimiter?: BucketOrTag | undefined
  readonly attemptTimeout?: AttemptTimeout<unknown> | undefined
  readonly deadline?: Deadline<unknown> | undefined
  readonly bucket?: BucketOrTag | undefined
}

/** A policy without its types, which the front doors have checked. */
export interface ErasedPolicy
  extends Omit<Fields<unknown, unknown>, "classifier" | "backoff" | keyof Constructed>, Constructed {
  readonly classifier: Classifier
  readonly backoff: Schedule.Schedule<unknown, unknown, unknown>
}

/** Erases the types, which the caller has checked. */
export const erase = (policy: Any): ErasedPolicy => policy as unknown as ErasedPolicy
