/**
 * The front doors: an effect and a policy in, a retried effect out.
 *
 * `retry` keeps the error type and fails with the last error. `retryOrElse` and `orStopped` also tell why the operation
 * stopped, how many attempts there were, and the latest failures, each with its verdict, times and delay. The module
 * `Promises` has the door for callers with `async` functions.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Argument from "../accept/Argument.ts"
import type { Door, DoorOrElse } from "./Door.ts"
import * as Loop from "./run/Loop.ts"
import type { Erased, OnStopped } from "./run/Operation.ts"
import type { Prepared } from "./policy/PolicyCheck.ts"
import { prepare } from "./policy/PolicyCheck.ts"

export { type Attempt, CurrentAttempt } from "./policy/CurrentAttempt.ts"
export {
  AttemptRefused,
  FailedAttempt,
  format,
  ResultRejected,
  RetryStopped,
  type StopReason
} from "./policy/RetryStopped.ts"

/** What a door is called with, checked only here: the types are those of `Door`. */
type Given = ReadonlyArray<any>

/** A front door, called with an effect and a policy, or with the policy alone and then with the effect. */
const door = (owner: string, onStopped?: OnStopped) => {
  const usage = `${owner}(effect, policy)`
  return (...given: Given): any => {
    if (given.length > 1) return Loop.run(checked(owner, usage, given[0]), prepare(owner, given[1], usage), onStopped)
    return stored(owner, usage, prepare(owner, given[0], usage), onStopped)
  }
}

const stored =
  (owner: string, usage: string, prepared: Prepared, onStopped: OnStopped | undefined) =>
  (self: unknown): Erased =>
    Loop.run(checked(owner, usage, self), prepared, onStopped)

const checked = (owner: string, usage: string, self: unknown): Erased =>
  Effect.isEffect(self) ? (self as Erased) : Argument.refuseForeign(owner, "effect", `an effect, as in ${usage}`, self)

/**
 * Retries an effect as a policy says.
 *
 * Fails with the last error, cause and all; a judged result that is given up on is returned. Policies that can fail an
 * operation by themselves (attempt timeout, cut deadline, rate limiter, a release under a deadline) add their error to
 * the type.
 *
 * Dies with an `InvalidArgument` where the classifier answers no verdict, or throws: its cause is the last error.
 *
 * @category running
 */
export const retry: Door<"error"> = /*#__PURE__*/ door("Retry.retry")

/**
 * Retries an effect as a policy says, and goes on with a fallback that is told why the operation stopped.
 *
 * @category running
 */
export const retryOrElse: DoorOrElse = (...given: Given): any => {
  const owner = "Retry.retryOrElse"
  const usage = `${owner}(effect, policy, orElse)`
  const fallback = (orElse: unknown): OnStopped =>
    Predicate.isFunction(orElse)
      ? (orElse as OnStopped)
      : Argument.refuseForeign(owner, "orElse", `a function that answers an effect, as in ${usage}`, orElse)
  if (given.length < 3) return stored(owner, usage, prepare(owner, given[0], usage), fallback(given[1]))
  const [self, policy, orElse] = given
  return Loop.run(checked(owner, usage, self), prepare(owner, policy, usage), fallback(orElse))
}

/**
 * Retries an effect as a policy says, and fails with a `RetryStopped`: reason, last error, attempts and history.
 *
 * @category running
 */
export const orStopped: Door<"stopped"> = /*#__PURE__*/ door("Retry.orStopped", Effect.fail)
