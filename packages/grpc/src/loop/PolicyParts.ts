/**
 * Checks of the fields shared by retry and hedging policies.
 */
import type { Observe, TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Predicate from "effect/Predicate"

export const observers = (
  owner: string,
  given: ReadonlyArray<Observe.Observer> | undefined
): ReadonlyArray<Observe.Observer> => {
  if (given === undefined) return []
  return Array.isArray(given) && given.every((observer) => Predicate.isFunction(observer))
    ? [...given]
    : Argument.refuse(owner, "observe", "an array of observers, such as [Observe.logs(), Observe.metrics]", given)
}

export const bucket = (
  owner: string,
  given: TokenBucket.TokenBucket | undefined,
  allowed = "a TokenBucket"
): TokenBucket.TokenBucket | undefined =>
  given === undefined || Predicate.hasProperty(given, "acquire")
    ? given
    : Argument.refuse(owner, "bucket", allowed, given)
