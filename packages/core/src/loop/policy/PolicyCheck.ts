/**
 * Checks a policy and works out what it needs, once per policy. Holds the one list of its fields, each with its check.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Argument from "../../accept/Argument.ts"
import * as Judging from "../../classify/Judging.ts"
import { readsMoment } from "../../classify/Moment.ts"
import { kinds } from "../../classify/Verdict.ts"
import * as Backoff from "../../decide/Backoff.ts"
import type { Tree } from "../../decide/BackoffTree.ts"
import * as Hint from "../../decide/Hint.ts"
import * as HintRule from "../../decide/HintRule.ts"
import * as TimeLeft from "../../decide/TimeLeft.ts"
import * as BucketOrTag from "../../fund/port/BucketOrTag.ts"
import { otherNames } from "./OtherNames.ts"
import type { Any, ErasedPolicy } from "./PolicyRecord.ts"
import { erase } from "./PolicyRecord.ts"
import type { Observer } from "./RetryEvent.ts"

/**
 * The functions of a policy, which may differ from one operation to the next. A client that replaces them, as in
 * `{ ...prepared, hooks }`, must keep which of them are present and how many parameters each declares.
 */
export interface Hooks extends Pick<
  ErasedPolicy,
  "attemptTimeout" | "bucket" | "classifier" | "rateLimiter" | "release" | "result"
> {
  readonly observers: NonNullable<ErasedPolicy["observe"]>
}

/** A checked policy, and what the loop needs to know about it. */
export interface Prepared {
  /** The function that first checked the policy, for messages about what its functions return. */
  readonly owner: string
  readonly policy: Omit<ErasedPolicy, keyof Hooks | "observe">
  readonly hooks: Hooks
  readonly hint: Hint.Hint
  /** The initial state of the back-off; `undefined` for a schedule that is no `Backoff`. */
  readonly tree: Tree | undefined
  /** Whether there may be more than one attempt. */
  readonly retries: boolean
  /** Whether the back-off needs a random number at every step. */
  readonly draws: boolean
  /** Whether following a hint needs a random number. */
  readonly hintDraws: boolean
  /** Whether anything in the policy depends on elapsed time. */
  readonly timed: boolean
  /** Whether the policy acts before the first failure. */
  readonly eager: boolean
  /** Whether the policy wraps nothing around an attempt. */
  readonly isBare: boolean
}

/** The allowed values of a field, in words and as a predicate. */
type Check = readonly [allowed: string, accepts: (value: any) => boolean]

const aName: Check = ["a string that is not empty", (value) => typeof value === "string" && value !== ""]

const aCount: Check = ["a whole number >= 1", (value) => value === Infinity || (Number.isInteger(value) && value >= 1)]

const aBucket: Check = ["a TokenBucket or a Context.Tag of one", BucketOrTag.is]

/** The effect that makes a bucket is easily mistaken for the bucket. */
const unrun = "yield* the effect that makes it first"

/** Accepts values that have a property which all values from a module's constructors have. */
const madeBy = (module: string, property: string, example: string): Check => [
  `made by ${module}, such as ${module}.${example}`,
  (value) => Predicate.hasProperty(value, property)
]

/** For clients that add to what observers see, before the policy is checked. */
export const isObservers = (given: unknown): given is ReadonlyArray<Observer> =>
  Array.isArray(given) && given.every(Predicate.isFunction)

/** Every field of a policy, in the order in which the loop consults it. */
const checks: { readonly [Field in keyof Required<Any>]: Check } = {
  name: aName,
  observe: ["an array of observers, such as [Observe.logs(), Observe.metrics]", isObservers],
  whenNested: ["one of retry, standDown", (value) => value === "retry" || value === "standDown"],
  attempt: ["a Context.Tag", Context.isTag],
  attemptSpan: aName,
  rateLimiter: aBucket,
  attemptTimeout: madeBy("AttemptTimeout", "machinery", 'constant("2 seconds")'),
  classifier: [
    "a function from error to verdict, such as () => Verdict.transient or Classifier.fromTags({ Busy: Verdict.throttling })",
    (value) => Predicate.isFunction(value) && Judging.uncalled(value) === ""
  ],
  result: ["a function from result to verdict", Predicate.isFunction],
  maxAttempts: aCount,
  attemptsByKind: ["a record of kinds", Predicate.isRecord],
  backoff: ['a Backoff, such as Backoff.exponential({ base: "1 second" }), or another Schedule', Schedule.isSchedule],
  hint: ["made by Hint, such as Hint.standard", HintRule.is],
  deadline: madeBy("Deadline", "machinery", 'refuse("10 seconds")'),
  release: ["a function from what failed to an effect", Predicate.isFunction],
  bucket: aBucket
}

/** The fields of a policy, in the order in which the loop consults them. */
export const fields = Object.keys(checks) as ReadonlyArray<keyof Any>

const required: ReadonlyArray<keyof Any> = ["classifier", "maxAttempts", "backoff"]

/** All policies get the same fields in the same order, so that V8 sees one shape and reads them fast. */
const absent = /*#__PURE__*/ Object.fromEntries(fields.map((field) => [field, undefined]))

/** The fields that wrap something around an attempt, as a cutting deadline also does. */
const aroundAttempts: ReadonlyArray<keyof Any> = ["name", "attempt", "attemptSpan", "attemptTimeout", "release"]

/** The fields that act before or during an attempt, or on a success. */
const eagerFields: ReadonlyArray<keyof Any> = [...aroundAttempts, "rateLimiter", "result", "deadline", "bucket"]

const known = new WeakMap<object, Prepared>()

/**
 * Checks a policy and works out what it needs; a policy is checked once.
 *
 * Throws an `InvalidArgument` that names a field with a bad value; if there is no policy at all, the error shows
 * `usage`, such as `(effect, policy)`.
 */
export const prepare = (owner: string, policy: Any, usage?: string): Prepared => {
  const found = known.get(policy)
  if (found !== undefined) return found
  const prepared = prepareUnknown(owner, policy, usage)
  known.set(policy, prepared)
  return prepared
}

/**
 * Checks a policy for a caller that does not run the attempts, and so can neither carry out the fields in `beyond` nor
 * cut an attempt at the deadline. The error shows `why`.
 */
export const prepareWithout = (
  owner: string,
  given: object,
  beyond: ReadonlyArray<keyof Any>,
  why: string,
  usage?: string
): Prepared => {
  const policy = given as Any
  const prepared = prepare(owner, policy, usage)
  for (const field of beyond) {
    if (policy[field] !== undefined) Argument.refuse(owner, field, `absent: ${why}`, policy[field])
  }
  const deadline = prepared.policy.deadline?._tag
  return deadline === "Cut" ? Argument.refuse(owner, "deadline", "one that does not cut", deadline) : prepared
}

const isFields = (given: unknown): given is { readonly [field: string]: unknown } =>
  Predicate.isRecord(given) && !Effect.isEffect(given) && !Predicate.isPromiseLike(given) && !Schedule.isSchedule(given)

const checkFields = (owner: string, given: Any, usage: string | undefined): void => {
  const check = (field: string, [allowed, accepts]: Check, value: unknown): void => {
    if (accepts(value)) return
    if (Effect.isEffect(value)) Argument.refuseForeign(owner, field, `${allowed}; ${unrun}`, value)
    Argument.refuse(owner, field, allowed, value)
  }
  if (!isFields(given)) {
    const what = Schedule.isSchedule(given) ? "a record, with the schedule as its backoff" : "a record"
    return Argument.refuseForeign(
      owner,
      "policy",
      usage === undefined ? what : `${what}, as in ${owner}${usage}`,
      given
    )
  }
  Argument.fields(owner, given, fields, "fields of a policy", { otherNames })
  for (const field of fields) {
    const value = (given as Any)[field]
    if (value !== undefined || required.includes(field)) check(field, checks[field], value)
  }
  for (const [kind, limit] of Object.entries((given as Any).attemptsByKind ?? {})) {
    Argument.oneOf(owner, "attemptsByKind", kind, kinds)
    if (limit !== undefined) check(`attemptsByKind.${kind}`, aCount, limit)
  }
}

const prepareUnknown = (owner: string, given: Any, usage: string | undefined): Prepared => {
  checkFields(owner, given, usage)
  // Read once, so that later changes by the caller have no effect.
  const { attemptTimeout, bucket, classifier, observe, rateLimiter, release, result, ...policy } = erase({
    ...absent,
    ...given
  })
  const observers = [...(observe ?? [])]
  const backoff = Backoff.isBackoff(policy.backoff) ? policy.backoff : undefined
  const hint = policy.hint ?? Hint.standard
  const judgesByTime = readsMoment(classifier) || (result !== undefined && readsMoment(result))
  const needsStart = observers.length > 0 || judgesByTime || backoff?.readsTime === true
  const boundsByTime = attemptTimeout !== undefined && TimeLeft.readsStart(attemptTimeout)
  const has = (field: keyof Any): boolean => given[field] !== undefined
  return {
    owner,
    policy,
    hooks: { attemptTimeout, bucket, classifier, observers, rateLimiter, release, result },
    hint,
    tree: backoff?.tree,
    retries: [policy.maxAttempts, ...Object.values(policy.attemptsByKind ?? {})].some((limit = 1) => limit > 1),
    draws: backoff?.draws === true,
    hintDraws: HintRule.draws(hint),
    timed: needsStart || boundsByTime || has("deadline") || has("attempt"),
    isBare: !aroundAttempts.some(has) && policy.deadline?._tag !== "Cut",
    eager: needsStart || eagerFields.some(has)
  }
}
