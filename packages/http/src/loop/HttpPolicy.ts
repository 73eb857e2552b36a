/**
 * The policy of a client: core's policy, with what is only known over HTTP.
 */
import type { Headers, HttpClientError, HttpClientResponse } from "@effect/platform"
import { Classifier, InvalidArgument, Policy as Core } from "@effect-retry/core"
import type { AttemptTimeout, Backoff, Deadline, Retry } from "@effect-retry/core"
import type { Schedule } from "effect"
import { Predicate } from "effect"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Idempotency from "../decide/Idempotency.ts"
import * as Discard from "./Discard.ts"

/**
 * What the loop judges: the error of an attempt, or its response.
 *
 * @category models
 */
export type Outcome<E> = E | HttpClientResponse.HttpClientResponse

/**
 * `E` is the client's error, `E2` an error the policy may add, `R` what its back-off requires.
 *
 * @category models
 */
export interface Policy<in E = unknown, out E2 = unknown, out R = unknown> extends Omit<
  Core.Policy<never, never, E2, R>,
  "attempt" | "backoff" | "classifier" | "release" | "result"
> {
  /** Headers to add to an attempt, by its number. None of them stands for the key of the operation. */
  readonly attemptHeaders?: ((attempt: number) => Headers.Input) | undefined
  /** Asked before the tables; no opinion leaves it to them. */
  readonly opinion?: Classifier.Classifier<Outcome<E>> | undefined
  /** The tables of what is retryable. */
  readonly classifier: HttpClassifier.HttpClassifier
  /** What makes a request repeatable. */
  readonly idempotency: Idempotency.Idempotency
  readonly backoff: Schedule.Schedule<unknown, Outcome<E>, R>
  /** How much of a response that is thrown away is read, so that its connection can be used again. @default Discard.standard */
  readonly drain?: Discard.Drain | undefined
}

/**
 * A policy that uses no services, and whose back-off is one of core's.
 *
 * @category models
 */
export interface Preset<out E2 = never> extends Policy<unknown, E2, never> {
  readonly backoff: Backoff.Backoff
}

/**
 * A policy of any types.
 *
 * @category models
 */
export type Any = Policy<never>

/**
 * A policy whose types are not looked at any more.
 *
 * @category models
 */
export type Erased = Policy<unknown>

/**
 * Forgets the types of a policy: for whoever has them checked in the signature of its own.
 *
 * @category conversions
 */
export const erase = (policy: Any): Erased => policy as unknown as Erased

/**
 * The client's error that a policy can judge.
 *
 * @category models
 */
export type In<P> = (P extends { readonly opinion: (outcome: infer O) => unknown } ? O : unknown) &
  (P extends { readonly backoff: Schedule.Schedule<any, infer O, any> } ? O : unknown)

/**
 * The client's error under a policy: what the policy itself fails an attempt with (a timeout, a deadline, a first send
 * refused) is the `cause` of a `RequestError`, unless the policy makes an error of its own of it.
 *
 * @category models
 */
export type Failure<P, E> = E | Added<P>

/** A conditional type: beside a plain `RequestError`, the compiler takes the rest of an annotated result for `E`. */
type Added<P> = P extends unknown
  ?
      | HttpClientError.RequestError
      | Exclude<Core.Added<P>, AttemptTimeout.AttemptTimedOut | Deadline.DeadlineExceeded | Retry.SendRefused>
  : never

export type { Env } from "@effect-retry/core/Policy"

/**
 * Throws where a field has a value that its type cannot exclude.
 *
 * @category guards
 */
export const check = <P extends Any>(owner: string, policy: P): P => {
  if (!Predicate.isRecord(policy)) return InvalidArgument.refuse(owner, "policy", "a record", policy)
  for (const [field, value] of Object.entries(policy)) {
    if (!isField(field)) InvalidArgument.refuse(owner, field, "absent: a client's policy has no such field", value)
  }
  const { attemptHeaders, classifier, drain, idempotency, opinion, ...core }: Any = policy
  checkFunction(owner, "opinion", opinion)
  checkFunction(owner, "attemptHeaders", attemptHeaders)
  if (drain !== undefined) Discard.check(owner, drain)
  HttpClassifier.check(owner, classifier)
  Idempotency.check(owner, idempotency)
  try {
    Core.make<Core.Any>({ ...core, classifier: Classifier.never })
  } catch (error) {
    if (!(error instanceof InvalidArgument.InvalidArgument)) throw error
    return InvalidArgument.refuse(owner, error.field, error.allowed, error.value)
  }
  return policy
}

const fields: { readonly [Field in keyof Any]-?: true } = {
  name: true,
  observe: true,
  whenNested: true,
  attemptSpan: true,
  attemptHeaders: true,
  sendRate: true,
  attemptTimeout: true,
  opinion: true,
  classifier: true,
  idempotency: true,
  maxAttempts: true,
  backoff: true,
  hint: true,
  deadline: true,
  bucket: true,
  drain: true
}

const isField = (field: string): boolean => Object.hasOwn(fields, field)

const checkFunction = (owner: string, field: string, value: unknown): void => {
  if (value !== undefined && !Predicate.isFunction(value)) InvalidArgument.refuse(owner, field, "a function", value)
}
