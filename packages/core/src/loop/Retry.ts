/**
 * The front doors: an effect and a policy in, a retried effect out.
 *
 * `retry` keeps the error type and fails with the last error. `retryOrElse` and `orStopped` also tell why the operation
 * stopped, how many attempts there were, and the latest failures, each with its verdict, times and delay. The module
 * `Promises` has the door for callers with `async` functions.
 */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import type { Door, DoorOrElse } from "./Door.ts"
import * as Loop from "./Loop.ts"
import type { Erased, OnStopped } from "./Operation.ts"
import { prepare } from "./PolicyCheck.ts"
import type { Any } from "./PolicyRecord.ts"

export { type Attempt, CurrentAttempt } from "./CurrentAttempt.ts"
export { AttemptRefused, FailedAttempt, format, ResultRejected, RetryStopped, type StopReason } from "./RetryStopped.ts"

/**
 * Retries an effect as a policy says.
 *
 * Fails with the last error, cause and all; a judged result that is given up on is returned. Policies that can fail an
 * operation by themselves (attempt timeout, cut deadline, rate limiter, a release under a deadline) add their error to
 * the type.
 *
 * @category running
 */
export const retry: Door<"error"> = /*#__PURE__*/ dual(2, (self: Erased, policy: Any): Erased =>
  Loop.run(self, prepare("Retry.retry", policy))
)

/**
 * Retries an effect as a policy says, and goes on with a fallback that is told why the operation stopped.
 *
 * @category running
 */
export const retryOrElse: DoorOrElse = /*#__PURE__*/ dual(3, (self: Erased, policy: Any, orElse: OnStopped): Erased =>
  Loop.run(self, prepare("Retry.retryOrElse", policy), orElse)
)

/**
 * Retries an effect as a policy says, and fails with a `RetryStopped`: reason, last error, attempts and history.
 *
 * @category running
 */
export const orStopped: Door<"stopped"> = /*#__PURE__*/ dual(2, (self: Erased, policy: Any): Erased =>
  Loop.run(self, prepare("Retry.orStopped", policy), Effect.fail)
)
