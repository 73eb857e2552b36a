/**
 * One attempt: the effect with the service and the timeout that the policy asks for.
 */
import { Duration, Effect, Option } from "effect"
import * as AttemptTimeout from "../decide/AttemptTimeout.ts"
import type * as CurrentAttempt from "./CurrentAttempt.ts"
import type { Erased } from "./Operation.ts"
import * as Operation from "./Operation.ts"
import { CurrentOperation } from "./RetryEvent.ts"

/**
 * The effect of the attempt that is about to start. Its timeout is noted in the operation.
 *
 * @category running
 */
export const effect = (op: Operation.Operation): Erased => {
  const { attempt: tag, attemptTimeout: timeout, deadline } = op.policy
  const named = inSpan(op, withName(op))
  if (tag === undefined && timeout === undefined) return named
  const leftMillis = deadline === undefined ? Infinity : deadline.withinMillis - op.attemptStartedMillis
  const millis = timeout === undefined ? leftMillis : AttemptTimeout.millisFor(timeout, op.attempts, leftMillis)
  const self = tag === undefined ? named : Effect.provideService(named, tag, current(op, millis))
  if (timeout === undefined) return self
  const after = Duration.millis(millis)
  return Effect.timeoutFail(timeout.disconnected ? Effect.disconnect(self) : self, {
    duration: after,
    onTimeout: () => (op.timedOut = new AttemptTimeout.AttemptTimedOut({ attempt: op.attempts, after }))
  })
}

/** Makes the operation visible to those inside, if it can retry. */
const withName = ({ attempts, policy: { maxAttempts, name }, self }: Operation.Operation): Erased =>
  name === undefined || maxAttempts === 1
    ? self
    : Effect.provideService(self, CurrentOperation, { name, attempt: attempts })

const inSpan = ({ attempts, policy: { attemptSpan, name } }: Operation.Operation, self: Erased): Erased =>
  attemptSpan === undefined
    ? self
    : Effect.withSpan(self, attemptSpan, {
        captureStackTrace: false,
        attributes: { "retry.attempt": attempts, ...(name !== undefined && { "retry.operation": name }) }
      })

const current = (op: Operation.Operation, millis: number): CurrentAttempt.Attempt => {
  const startedMillis = op.attemptStartedMillis
  return {
    number: op.attempts,
    timeLeft: Effect.sync(() =>
      millis === Infinity
        ? Option.none()
        : Option.some(Duration.millis(Math.max(0, millis - (Operation.elapsedMillis(op) - startedMillis))))
    ),
    previous: Option.fromNullable(op.history.at(-1))
  }
}
