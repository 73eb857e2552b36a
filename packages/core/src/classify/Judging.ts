/**
 * Calls the functions of a policy that return verdicts, and checks what they return: in JavaScript a predicate may be
 * given in place of a classifier.
 *
 * The error for an invalid answer never hides the error that was judged.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Argument from "../accept/Argument.ts"
import { InvalidArgument } from "../accept/InvalidArgument.ts"
import * as Property from "../accept/Property.ts"
import type { Moment } from "./Moment.ts"
import type { Verdict } from "./Verdict.ts"
import { kinds, type Retryable, retryable, terminal } from "./Verdict.ts"

/** A function given by the caller, which should be a classifier. */
type Judge = (judged: unknown, moment: Moment) => Verdict

/** Why a failure is not retried. */
export const whyNot = (self: Exclude<Verdict, Retryable>): string =>
  self._tag === "Terminal" ? self.why : "no classifier has an opinion"

/** Whether a value is a verdict with all of its fields. */
export const isVerdict = (u: unknown): u is Verdict => {
  if (!Predicate.isObject(u)) return false
  const { _tag, hint, kind, why } = u as { readonly [field: string]: unknown }
  if (_tag === "Retryable") return isKind(kind) && isHint(hint)
  if (_tag === "Terminal") return typeof why === "string" && isOptionOf(kind, isKind) && isHint(hint)
  return _tag === "NoOpinion"
}

/** What to write for a function that makes verdicts, where a verdict is expected; empty for any other value. */
export const uncalled = (u: unknown): string => {
  if (u === retryable) return `; call it, as in Verdict.retryable("Throttling")`
  return u === terminal ? `; call it, as in Verdict.terminal("not found")` : ""
}

const isKind = (u: unknown): boolean => kinds.some((kind) => kind === u)
const isHint = (u: unknown): boolean => isOptionOf(u, (hint) => Option.isSome(Argument.decode(hint)))
const isOptionOf = (u: unknown, isValue: (value: unknown) => boolean): boolean =>
  Option.isOption(u) && (Option.isNone(u) || isValue(u.value))

/**
 * The verdict on an error. Throws an `InvalidArgument` with the error as its cause if the function returns no verdict or
 * throws.
 */
export const ofError = (owner: string, field: string, judge: Judge, error: unknown, moment: Moment): Verdict => {
  let answer: unknown
  try {
    answer = judge(error, moment)
    if (isVerdict(answer)) return answer
  } catch (thrown) {
    // Thrown by a classifier inside this one.
    if (Property.isError(thrown) && thrown instanceof InvalidArgument && thrown.cause !== undefined) throw thrown
    return Argument.refuseForeign(owner, field, "a function that throws nothing", thrown, error)
  }
  return Argument.refuseForeign(owner, field, answersVerdicts, answer, error)
}

/**
 * The verdict on a result. Throws an `InvalidArgument` if the function returns no verdict, and rethrows what the function
 * throws.
 */
export const ofResult = (owner: string, field: string, judge: Judge, result: unknown, moment: Moment): Verdict => {
  const answer: unknown = judge(result, moment)
  return isVerdict(answer) ? answer : Argument.refuseForeign(owner, field, answersVerdicts, answer)
}

const answersVerdicts =
  "a function that returns a verdict made by Verdict (Classifier.fromPredicate turns a predicate into one)"
