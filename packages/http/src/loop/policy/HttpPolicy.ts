/**
 * The policy of a client: core's policy, with what is specific to HTTP.
 */
import type * as Headers from "@effect/platform/Headers"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schedule from "effect/Schedule"
import * as Struct from "effect/Struct"
import { Classifier, Hint, InvalidArgument, Policy as Core } from "@effect-retry/core"
import type { Judgeable, KnownBy } from "@effect-retry/core/Classifier"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type { AttemptTimeout, Deadline, Retry, TokenBucket } from "@effect-retry/core"
import { type NoField, otherNames } from "@effect-retry/core/unstable/OtherNames"
import type { ABackoff, Commented, Constructed, Mistake } from "@effect-retry/core/unstable/PolicyRecord"
import type { Adds, Needs } from "@effect-retry/core/unstable/PolicyTypes"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import * as Idempotency from "../../decide/Idempotency.ts"
import type { Attempt, Outcome } from "./Attempt.ts"
import type { BeforeRetry } from "./BeforeRetry.ts"
import * as Discard from "../client/Discard.ts"
import { isClient } from "../client/MadeClient.ts"

/** The fields of core's policy that the client fills in, or that have another type here. */
type Replaced = "attempt" | "backoff" | "classifier" | "maxAttempts" | "release" | "result"

/** What a classifier judges; `never` if the client is not known yet, as in a stored door. */
type JudgedOf<E> = [E] extends [never] ? never : Outcome<E>

interface Own<in E> {
  /** Headers to add to an attempt. They cannot replace the key of the operation. */
  readonly attemptHeaders?: ((attempt: Attempt<E>) => Headers.Input) | undefined
  /** Asked before the classifier, which decides if this has no opinion. */
  readonly opinion?: Classifier.Classifier<JudgedOf<E>> | undefined
  /**
   * Judges errors and responses. If it was not made by `HttpClassifier.make`, the standard tables are used only to tell
   * whether the server may have processed the request. @default HttpClassifier.standard
   */
  readonly classifier?: Classifier.Classifier<JudgedOf<E>> | undefined
  /** What makes a request repeatable. @default Idempotency.standard */
  readonly idempotency?: Idempotency.Idempotency | undefined
  /** The largest number of attempts in all, the first included: a whole number from 1, or `Infinity`. @default 3 */
  readonly maxAttempts?: number | undefined
  /** How much of a discarded response is read so that its connection can be reused. @default Discard.standard */
  readonly drain?: Discard.Drain | undefined
  /**
   * The template of the path, such as `/orders/{id}`, for log lines, spans and metrics, which otherwise show no path.
   * Set it with `HttpRetry.withOptions` for the requests of one route. Use few values: each one is a separate metric
   * series.
   */
  readonly route?: string | undefined
}

/**
 * The fields of a client's policy; fields left out are those of `HttpRetry.standard`. `E` is the client's error, for
 * lambdas without annotation.
 *
 * @category models
 */
export interface Fields<in E> extends Own<E>, Omit<Core.Fields<never, never>, Replaced> {
  /** Runs at the start of every attempt but the first, and may change its request; see the type. */
  readonly beforeRetry?: BeforeRetry<E> | undefined
  /** The delays between attempts: a `Backoff`, or any other schedule. @default the back-off of core's `Policy.standard` */
  readonly backoff?: Schedule.Schedule<unknown, Outcome<E>, unknown> | Mistake<ABackoff> | undefined
}

/** The fields of a policy that requires no services. */
export interface Plain<in E> extends Omit<Fields<E>, "backoff" | "beforeRetry" | "bucket" | "rateLimiter"> {
  readonly backoff?: Schedule.Schedule<unknown, Outcome<E>> | Mistake<ABackoff> | undefined
  readonly beforeRetry?: BeforeRetry<E, unknown, never> | undefined
  readonly bucket?: TokenBucket.TokenBucket | undefined
  readonly rateLimiter?: TokenBucket.TokenBucket | undefined
}

/**
 * The type for annotating a policy that judges the client's error `E`, may add the errors `E2`, and requires `R`.
 *
 * @category models
 */
export interface Policy<in E = unknown, out E2 = never, out R = never>
  extends Own<E>, Omit<Core.Policy<never, E2, R>, Replaced | "rateLimiter" | "~says"> {
  readonly beforeRetry?: BeforeRetry<E, E2, R> | undefined
  readonly backoff?: Schedule.Schedule<unknown, Outcome<E>, R> | undefined
  readonly rateLimiter?: Core.Policy<never, Retry.AttemptRefused, R>["rateLimiter"]
}

/**
 * A policy with all required fields, one of core's back-offs and no services.
 *
 * @category models
 */
export interface Preset<out E2 = never> extends Own<unknown>, Core.Preset<E2> {
  readonly classifier: HttpClassifier.HttpClassifier
  readonly idempotency: Idempotency.Idempotency
  readonly maxAttempts: number
}

export type Any = Fields<never>

/**
 * The constraint on a door's policy. For `{}` the compiler infers the constraint itself, which then stands for a policy
 * without fields.
 */
export interface Bound<in E> extends Fields<E> {
  readonly [bound]?: never
}
declare const bound: unique symbol

type Given<P> = P extends unknown ? (typeof bound extends keyof P ? { readonly maxAttempts?: undefined } : P) : never

/** A policy without its types, completed with defaults. */
export interface Erased extends Omit<Fields<unknown>, "backoff" | keyof Constructed>, Constructed {
  readonly classifier: Classifier.Classifier
  readonly idempotency: Idempotency.Idempotency
  readonly maxAttempts: number
  readonly backoff: Schedule.Schedule<unknown, unknown, unknown>
  readonly hint: Hint.Hint
  readonly drain: Discard.Drain
}

/**
 * The default policy of a client: three attempts for requests that HTTP itself calls safe to repeat.
 *
 * - `classifier`: `HttpClassifier.standard`: 408, 421, 425, 429, 500, 502, 503, 504, 413 with a hint, and transport errors.
 * - `idempotency`: `Idempotency.standard`: GET, HEAD, OPTIONS, TRACE, PUT, DELETE and QUERY, and requests with an
 *   `Idempotency-Key` or a precondition; no key is created.
 * - `maxAttempts`, `backoff`: `Policy.standard` of core: 3 attempts, exponential from 100 milliseconds, capped at 20
 *   seconds, full jitter.
 * - `hint`: the server's hint is a floor of at most 1 minute, beyond which the operation stops; up to a tenth is added,
 *   so that clients with the same hint do not return together.
 * - `drain`: 128 KiB within 1 second.
 * - No timeout, no deadline, no bucket, no rate limiter, no added headers, no observers.
 *
 * @category constructors
 */
export const standard: Preset & Pick<Erased, "drain" | "hint"> = {
  classifier: HttpClassifier.standard,
  idempotency: Idempotency.standard,
  ...Core.standard,
  hint: /*#__PURE__*/ Hint.floor({ atMost: "1 minute", otherwise: "giveUp", jitterRatio: 0.1 }),
  drain: Discard.standard
}

type Unknown<P> = P extends unknown ? Exclude<keyof P, keyof Bound<never>> : never

/**
 * A policy without unknown fields.
 *
 * Its `maxAttempts` keeps it from being `{}`, to which everything is assignable.
 *
 * @category models
 */
export type Checked<P> = P &
  Commented<Any> & {
    readonly [K in Unknown<P> | "maxAttempts"]?: K extends "maxAttempts"
      ? unknown
      : Mistake<`a client's policy has ${NoField<K>}`>
  }

/** The client's error that a policy can judge. */
export type In<P> = Judges<Given<P>>

/** The constraint on a client's errors under a policy: with classifiers of tags, every tag must be one that the client can have. */
export type Takes<P, E> = In<P> & Judgeable<Outcome<E>, KnownBy<ClassifiersOf<Given<P>>>>

type ClassifiersOf<P> = P extends unknown
  ?
      | (P extends { readonly opinion: infer C } ? C : (...args: never) => unknown)
      | (P extends { readonly classifier: infer C } ? C : (...args: never) => unknown)
  : never

type Judges<P> = (P extends { readonly opinion: (outcome: infer O, ...rest: any) => unknown } ? O : unknown) &
  (P extends { readonly classifier: (outcome: infer O, ...rest: any) => unknown } ? O : unknown) &
  (P extends { readonly attemptHeaders: (attempt: Attempt<infer E>) => unknown } ? E : unknown) &
  (P extends { readonly beforeRetry: (request: any, attempt: Attempt<infer E>) => unknown } ? E : unknown) &
  ([Reads<P>] extends [(outcome: infer O) => void] ? O : unknown)

type BackoffOf<P> = P extends { readonly backoff?: infer S } ? S : never
type ReadsOf<S> = S extends Schedule.Schedule<any, infer O, any> ? (outcome: O) => void : never
type Reads<P> = ReadsOf<BackoffOf<P>>
type NeedsOf<S> = S extends Schedule.Schedule<any, any, infer R> ? R : never

/**
 * The error that a policy adds to the client's. If the policy itself makes an attempt fail (timeout, deadline, refused first
 * attempt), its error is the `cause` of a `RequestError`, unless the policy turns it into its own error.
 *
 * Signatures say `E | Added<P>`: editors show such a union as its members, and an alias of it as the alias.
 */
export type Added<P> = AddedBy<Given<P>>

type HookOf<P> = P extends { readonly beforeRetry?: infer H } ? H : never
type ErrorOf<H> = H extends (...args: any) => Effect.Effect<any, infer E2, any> ? E2 : never
type ServiceOf<H> = H extends (...args: any) => Effect.Effect<any, any, infer R> ? R : never

/** A conditional type, because next to a plain `RequestError` the compiler would take the rest of an annotated result for `E`. */
type AddedBy<P> = P extends unknown
  ?
      | HttpClientError.RequestError
      | Exclude<
          Adds<P>[keyof Adds<P>],
          AttemptTimeout.AttemptTimedOut | Deadline.DeadlineExceeded | Retry.AttemptRefused
        >
      | ErrorOf<HookOf<P>>
  : never

/** What a client requires under a policy. */
export type Env<P, R> = R | Wanted<Given<P>>

type Wanted<P> = Needs<P>[keyof Needs<P>] | NeedsOf<BackoffOf<P>> | ServiceOf<HookOf<P>>

/** Checks a policy and returns it completed with defaults. The door's signature has checked its types. */
export const complete = (owner: string, given: Any): Erased => {
  Argument.fields(
    owner,
    asked(owner, given, "HttpRetry.standard"),
    Object.keys(fields),
    "fields of a client's policy",
    { otherNames }
  )
  return checked(owner, { ...standard, ...said(given) })
}

/** A policy that is a record; a client in its place is refused, too. */
export const asked = (owner: string, given: unknown, example: string): Any => {
  if (Predicate.isRecord(given) && !isClient(given)) return given
  const first = isClient(given) ? `; a client comes before it, as in ${owner}(client, ${example})` : ""
  return Argument.refuseForeign(owner, "policy", `a record of fields, such as ${example}${first}`, given)
}

/** The fields that a policy sets. */
export const said = (given: Any): Partial<Erased> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

const checked = (owner: string, policy: Erased): Erased => {
  const { attemptHeaders, beforeRetry, classifier, drain, idempotency, opinion, route } = policy
  if (route !== undefined && !(typeof route === "string" && route.startsWith("/"))) {
    Argument.refuse(owner, "route", "a string that begins with /", route)
  }
  checkFunction(owner, "opinion", opinion)
  checkFunction(owner, "attemptHeaders", attemptHeaders)
  checkFunction(owner, "beforeRetry", beforeRetry)
  Discard.check(owner, drain)
  if (!Predicate.isFunction(classifier)) {
    Argument.refuse(owner, "classifier", "a classifier, such as one of HttpClassifier.make", classifier)
  }
  Idempotency.check(owner, idempotency)
  try {
    Core.make({ ...coreOf(policy), classifier: Classifier.never })
  } catch (error) {
    if (!(error instanceof InvalidArgument.InvalidArgument)) throw error
    return Argument.refuse(owner, error.field, error.allowed, error.value)
  }
  return policy
}

export const coreOf = (policy: Erased): CoreFields =>
  Struct.omit(policy, "attemptHeaders", "beforeRetry", "classifier", "drain", "idempotency", "opinion", "route")

export type CoreFields = Omit<Erased, Exclude<keyof Own<unknown>, "maxAttempts"> | "beforeRetry">

const fields: { readonly [Field in keyof Any]-?: true } = {
  name: true,
  observe: true,
  whenNested: true,
  attemptSpan: true,
  beforeRetry: true,
  attemptHeaders: true,
  rateLimiter: true,
  attemptTimeout: true,
  opinion: true,
  classifier: true,
  idempotency: true,
  maxAttempts: true,
  attemptsByKind: true,
  backoff: true,
  hint: true,
  deadline: true,
  bucket: true,
  drain: true,
  route: true
}

const checkFunction = (owner: string, field: string, value: unknown): void => {
  if (value !== undefined && !Predicate.isFunction(value)) Argument.refuse(owner, field, "a function", value)
}
