/**
 * What a policy needs, worked out once per policy: the one list of its fields, each with its check.
 */
import * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Argument from "../accept/Argument.ts"
import { readsMoment } from "../classify/Moment.ts"
import { kinds } from "../classify/Verdict.ts"
import * as Backoff from "../decide/Backoff.ts"
import type { Tree } from "../decide/BackoffTree.ts"
import * as Bounds from "../decide/Bounds.ts"
import * as Hint from "../decide/Hint.ts"
import * as HintRule from "../decide/HintRule.ts"
import * as TimeLeft from "../decide/TimeLeft.ts"
import type { Any, ErasedPolicy, Fields } from "./PolicyRecord.ts"
import { erase } from "./PolicyRecord.ts"
import type { Observer } from "./RetryEvent.ts"

/**
 * A checked policy, and what the loop needs to know of it.
 *
 * @category models
 */
export interface Prepared {
  readonly policy: ErasedPolicy
  readonly hint: Hint.Hint
  /** Where the back-off begins; `undefined` for a schedule that is no `Backoff`. */
  readonly tree: Tree | undefined
  /** Whether any attempt may be followed by another one. */
  readonly retries: boolean
  /** Whether the back-off takes a random number at every step. */
  readonly draws: boolean
  /** Whether following a hint takes one. */
  readonly hintDraws: boolean
  /** Whether anything in the policy depends on elapsed time. */
  readonly timed: boolean
  /** Whether anything has to happen before the first failure. */
  readonly eager: boolean
  /** Whether nothing is put around an attempt. */
  readonly isBare: boolean
  readonly observers: ReadonlyArray<Observer>
}

type Check = (owner: string, value: unknown) => void

const isFunction =
  (field: string, allowed: string): Check =>
  (owner, value) =>
    Predicate.isFunction(value) || Argument.refuse(owner, field, allowed, value)

const isName =
  (field: string): Check =>
  (owner, value) =>
    (typeof value === "string" && value !== "") || Argument.refuse(owner, field, "a string that is not empty", value)

const isTag =
  (field: string): Check =>
  (owner, value) =>
    Context.isTag(value as never) || Argument.refuse(owner, field, "a Context.Tag", value)

const isBucket =
  (field: string): Check =>
  (owner, value) =>
    Context.isTag(value as never) ||
    (Predicate.hasProperty(value, "acquire") && Predicate.hasProperty(value, "record")) ||
    Argument.refuse(owner, field, "a TokenBucket or a Context.Tag of one", value)

/** Whether a value can come from the constructors of a module, all of whose values have `property`. */
const isMadeBy =
  (field: string, module: string, property: string): Check =>
  (owner, value) =>
    Predicate.hasProperty(value, property) || Argument.refuse(owner, field, `made by ${module}`, value)

const isCount: (owner: string, field: string, value: unknown) => void = (owner, field, value) => {
  if (value !== Infinity) Argument.number(owner, field, value, Bounds.attempts)
}

const isAttemptsByKind: Check = (owner, value) => {
  if (!Predicate.isRecord(value)) return Argument.refuse(owner, "attemptsByKind", "a record of kinds", value)
  for (const [kind, limit] of Object.entries(value)) {
    Argument.oneOf(owner, "attemptsByKind", kind, kinds)
    if (limit !== undefined) isCount(owner, `attemptsByKind.${kind}`, limit)
  }
}

/** Every field of a policy, in the order in which the loop consults it. */
const checks: { readonly [Field in keyof Required<Any>]: Check } = {
  name: isName("name"),
  observe: (owner, value) =>
    (Array.isArray(value) && value.every(Predicate.isFunction)) ||
    Argument.refuse(owner, "observe", "an array of observers", value),
  whenNested: (owner, value) => Argument.oneOf(owner, "whenNested", value, ["retry", "standDown"]),
  attempt: isTag("attempt"),
  attemptSpan: isName("attemptSpan"),
  rateLimiter: isBucket("rateLimiter"),
  attemptTimeout: isMadeBy("attemptTimeout", "AttemptTimeout", "machinery"),
  classifier: isFunction("classifier", "a function from error to verdict"),
  result: isFunction("result", "a function from result to verdict"),
  maxAttempts: (owner, value) => isCount(owner, "maxAttempts", value),
  attemptsByKind: isAttemptsByKind,
  backoff: (owner, value) =>
    Schedule.isSchedule(value) || Argument.refuse(owner, "backoff", "a Backoff or another Schedule", value),
  hint: isMadeBy("hint", "Hint", "_tag"),
  deadline: isMadeBy("deadline", "Deadline", "machinery"),
  release: isFunction("release", "a function from what failed to an effect"),
  bucket: isBucket("bucket")
}

/**
 * The fields of a policy, in the order in which the loop consults them.
 *
 * @category models
 */
export const fields = Object.keys(checks) as ReadonlyArray<keyof Any>

const required: ReadonlyArray<keyof Any> = ["classifier", "maxAttempts", "backoff"]

/** All policies get the same fields in the same order: V8 then reads any of them as fast as if there were only one. */
const absent = /*#__PURE__*/ Object.fromEntries(fields.map((field) => [field, undefined]))

/** The fields that act before or during an attempt, or on a success. */
const eagerFields: ReadonlyArray<keyof Any> = [
  "name",
  "attempt",
  "attemptSpan",
  "rateLimiter",
  "attemptTimeout",
  "result",
  "deadline",
  "release",
  "bucket"
]

/** The fields that put something around an attempt, as a deadline that cuts does too. */
const aroundAttempts: ReadonlyArray<keyof Any> = ["name", "attempt", "attemptSpan", "attemptTimeout", "release"]

const known = new WeakMap<object, Prepared>()

/**
 * Checks a policy and works out what it needs; a policy is checked once.
 *
 * Throws an `InvalidArgument` that names the field where a value is one that the types cannot exclude.
 *
 * @category constructors
 */
export const prepare = (owner: string, policy: Any): Prepared => {
  const found = known.get(policy)
  if (found !== undefined) return found
  const prepared = prepareUnknown(owner, policy)
  known.set(policy, prepared)
  return prepared
}

/**
 * A policy with other functions in some of its fields, for one operation. It is not checked again: each function has to
 * declare as many parameters as the one it replaces.
 *
 * @category combinators
 */
export const withFunctions = <A>(prepared: Prepared, functions: Functions<A>): Prepared => {
  const policy: ErasedPolicy = { ...prepared.policy, ...(functions as Functions<unknown>) }
  return { ...prepared, policy, observers: functions.observe ?? prepared.observers }
}

type Functions<A> = Pick<
  Fields<unknown, A>,
  "attemptTimeout" | "bucket" | "classifier" | "observe" | "rateLimiter" | "release" | "result"
>

const checkFields = (owner: string, given: Any): void => {
  if (!Predicate.isRecord(given)) return Argument.refuse(owner, "policy", "a record", given)
  for (const field of Object.keys(given)) {
    if (!Object.hasOwn(checks, field)) {
      Argument.refuse(owner, field, `absent: the fields of a policy are ${fields.join(", ")}`, given[field])
    }
  }
  for (const field of fields) {
    const value = (given as Record<string, unknown>)[field]
    if (value !== undefined || required.includes(field)) checks[field](owner, value)
  }
}

const prepareUnknown = (owner: string, given: Any): Prepared => {
  checkFields(owner, given)
  // Read once: what the caller changes later is not seen.
  const policy = erase({ ...absent, ...given })
  const observers = [...(policy.observe ?? [])]
  const backoff = Backoff.isBackoff(policy.backoff) ? policy.backoff : undefined
  const hint = policy.hint ?? Hint.standard
  const judgesByTime = readsMoment(policy.classifier) || (policy.result !== undefined && readsMoment(policy.result))
  const needsStart = observers.length > 0 || judgesByTime || backoff?.readsTime === true
  const boundsByTime = policy.attemptTimeout !== undefined && TimeLeft.readsStart(policy.attemptTimeout)
  return {
    policy,
    hint,
    tree: backoff?.tree,
    retries: [policy.maxAttempts, ...Object.values(policy.attemptsByKind ?? {})].some((limit = 1) => limit > 1),
    draws: backoff?.draws === true,
    hintDraws: HintRule.draws(hint),
    timed: needsStart || boundsByTime || policy.deadline !== undefined || policy.attempt !== undefined,
    isBare: aroundAttempts.every((field) => policy[field] === undefined) && policy.deadline?._tag !== "Cut",
    eager: needsStart || eagerFields.some((field) => policy[field] !== undefined),
    observers
  }
}
