/**
 * The types of an operation under a policy.
 *
 * What a policy adds is read from its fields, each as `field?: infer T` and distributed over `T`, so that an optional
 * field, a union of tags and a union of policies all keep what they add. The records `Adds`, `Needs` and `Judged` are
 * indexed inline in the signatures of the front doors: an alias would show in hovers instead of the errors.
 *
 * A `Backoff` reads and requires nothing. It is recognised before a schedule is taken apart, which would cost the compiler
 * more than all other fields together.
 */
import type * as Context from "effect/Context"
import type * as Schedule from "effect/Schedule"
import type { Judgeable, KnownBy } from "../../classify/Classifier.ts"
import type { Verdict } from "../../classify/Verdict.ts"
import type { Backoff } from "../../decide/Backoff.ts"
import type { AttemptTimeout } from "./AttemptTimeout.ts"
import type { DeadlineExceeded } from "./Deadline.ts"
import type { TokenBucket } from "../../fund/port/Port.ts"
import type { NoField } from "./OtherNames.ts"
import type { Any, Commented, Mistake, Release, Says } from "./PolicyRecord.ts"
import type { AttemptRefused, ResultRejected } from "./RetryStopped.ts"

/**
 * `Any` as the constraint of a door's policy. A wrong policy argument makes `P` fall back to its constraint; the door then
 * accepts every effect, so that the last line of the error is about the policy.
 */
export interface Bound extends Any {
  readonly [bound]?: never
}
declare const bound: unique symbol
type IsBound<P> = typeof bound extends keyof P ? true : false

/**
 * Resolves to `never`. While `P` is being inferred, both branches are read: in a pipe, the subject `Self` of a door
 * then gives its types to the lambdas of the policy, and is inferred as `Found`; outside a pipe, `Found` is its
 * default.
 */
export type Piped<P, Self, Found = never> = [P] extends [never] ? ([P] extends [never] ? Self : Found) : never

/** The errors that each field of a policy adds. */
export interface Adds<P> {
  readonly attemptTimeout: P extends { readonly attemptTimeout?: infer T } ? ErrorOf<T> : never
  readonly deadline: P extends { readonly deadline?: infer T } ? ErrorOf<T> : never
  readonly rateLimiter: "~says" extends keyof P
    ? Said<P>["adds"]
    : P extends { readonly rateLimiter?: infer T }
      ? RefusalOf<T>
      : never
  readonly release: "~says" extends keyof P
    ? never
    : P extends { readonly release?: infer T; readonly deadline?: infer D }
      ? LateOf<T, D>
      : never
}
/** What the annotation of a policy says instead of its fields. */
type Said<P> = P extends Says<infer E2, infer R> ? { readonly adds: E2; readonly needs: R } : never
type ErrorOf<T> =
  T extends AttemptTimeout<infer E2> ? E2 : T extends { readonly onExceeded: (...args: never) => infer E2 } ? E2 : never
type RefusalOf<T> =
  T extends Mistake<any> ? never : T extends TokenBucket | Context.Tag<any, any> ? AttemptRefused : never
/** The error of a deadline: one that cuts has its own. */
type LateOf<T, D> =
  T extends Mistake<any>
    ? never
    : T extends Release
      ? D extends { readonly _tag: "Refuse" | "Truncate" }
        ? DeadlineExceeded
        : never
      : never

/** The services that each field of a policy requires. */
export interface Needs<P> {
  readonly backoff: P extends { readonly backoff: Backoff }
    ? never
    : P extends { readonly backoff: Schedule.Schedule<any, any, infer R> }
      ? R
      : never
  readonly bucket: "~says" extends keyof P
    ? Said<P>["needs"]
    : P extends { readonly bucket?: infer T }
      ? IdOf<T>
      : never
  readonly rateLimiter: "~says" extends keyof P ? never : P extends { readonly rateLimiter?: infer T } ? IdOf<T> : never
}
type IdOf<T> = T extends Context.Tag<infer I, any> ? I : never

/** The service that a policy provides to attempts; for a union of policies, what every member provides. */
export type Provided<P> = [P] extends [{ readonly attempt: Context.Tag<infer I, any> }] ? I : never

type Judge<P> = P extends { readonly result?: infer F }
  ? F extends Mistake<any>
    ? never
    : F extends (result: infer A, ...rest: any) => Verdict
      ? (a: A) => void
      : never
  : never

/** The result that a policy judges. */
export type ResultIn<P> = IsBound<P> extends true ? unknown : [Judge<P>] extends [(a: infer A) => void] ? A : unknown

/** The error that stands for a judged result when a stopped operation needs an error. */
export interface Judged<P, A> {
  readonly result: [Judge<P>] extends [never] ? never : ResultRejected<A>
}

type Judges<P> = P extends { readonly classifier: (error: infer E, ...rest: any) => Verdict } ? (e: E) => void : never
type Reads<P> = P extends { readonly backoff: Backoff }
  ? never
  : P extends { readonly backoff: Schedule.Schedule<any, infer E, any> }
    ? (e: E) => void
    : never

/** The error that a policy judges. */
export type In<P> = [Judges<P> | Reads<P>] extends [(e: infer E) => void] ? E : unknown

/** The constraint on the errors that a policy by itself accepts. */
export type Takes<P, E> =
  IsBound<P> extends true
    ? unknown
    : [P] extends [{ readonly classifier: infer C }]
      ? In<P> & Judgeable<E, KnownBy<C>>
      : In<P>

// The cheap check comes first: it compares, while the others instantiate.
type Unknown<P> = P extends unknown
  ? keyof P extends keyof Bound | "~says"
    ? never
    : Exclude<keyof P, keyof Bound | "~says">
  : never
type NoExtra<P> = { readonly [K in Unknown<P>]: Mistake<`a policy has ${NoField<K>}`> }

type ReadsIn<P> = [Reads<P>] extends [(e: infer E) => void] ? E : unknown
type Handed<P> = Adds<P>[keyof Adds<P>] | ([Judge<P>] extends [never] ? never : ResultIn<P>)
/** Requires a schedule that reads its input to accept also the errors that the policy adds and the results that it judges. */
type Fits<P> = [P] extends [{ readonly backoff: Backoff }]
  ? unknown
  : [Handed<P>] extends [ReadsIn<P>]
    ? unknown
    : // Without `NoInfer`, inferring `P` would compare the given schedule with this one, part by part.
      { readonly backoff: NoInfer<Schedule.Schedule<unknown, Handed<P>>> }

/**
 * A policy without mistakes that the types can detect. An alias with one argument, so that a generic function can
 * forward `P`.
 *
 * @category models
 */
export type Checked<P> = P & Fits<P> & NoExtra<P> & Commented<Any>
