/**
 * One attempt: the effect with the services, the span and the bounds of time that the policy asks for.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TimeLeft from "../decide/TimeLeft.ts"
import * as ActiveOperation from "./ActiveOperation.ts"
import type * as CurrentAttempt from "./CurrentAttempt.ts"
import * as Elapsed from "./Elapsed.ts"
import * as Grants from "./Grants.ts"
import type { AttemptTimeout } from "./AttemptTimeout.ts"
import type { Deadline } from "./Deadline.ts"
import * as Decision from "./Decision.ts"
import type { Erased, Expired } from "./Operation.ts"
import * as Operation from "./Operation.ts"
import * as Services from "./Services.ts"
import * as Stop from "./Stop.ts"

/**
 * The effect of the attempt that is about to start. A timeout, or a deadline that cuts, is noted in the operation when it
 * has interrupted the attempt.
 *
 * @category running
 */
export const effect = (op: Operation.Operation): Erased =>
  op.prepared.isBare ? spending(op) : withName(op, withServices(op))

const withServices = (op: Operation.Operation): Erased => {
  const { attempt: tag, attemptTimeout: timeout, deadline } = op.prepared.policy
  const named = inSpan(op, spending(op))
  if (tag === undefined && timeout === undefined && deadline?._tag !== "Cut") return noted(op, named)
  const startMillis = op.attemptStartedMillis
  const leftMillis = deadline === undefined ? Infinity : deadline.withinMillis - startMillis
  const timeoutMillis =
    timeout === undefined ? leftMillis : TimeLeft.millisFor(timeout, Operation.counted(op), startMillis, leftMillis)
  const self = noted(op, tag === undefined ? named : Effect.provideService(named, tag, current(op, timeoutMillis)))
  if (deadline?._tag === "Cut" && timeoutMillis === leftMillis) {
    return bounded(op, self, leftMillis, deadline, () => cut(op, deadline))
  }
  if (timeout === undefined) return self
  return bounded(op, self, timeoutMillis, timeout, () => timedOut(op.attempts, timeout, timeoutMillis))
}

const cut = (op: Operation.Operation, deadline: Deadline<unknown>): Expired => ({
  failed: () => ({ error: Stop.exceeded(op, deadline), verdict: deadline.machinery.verdict }),
  reason: Decision.passed(deadline)
})

const timedOut = (attempt: number, timeout: AttemptTimeout<unknown>, millis: number): Expired => ({
  failed: () => ({
    verdict: timeout.verdict,
    error: timeout.onTimeout(timeout.machinery.timedOut({ attempt, after: Duration.millis(millis) }))
  }),
  reason: undefined
})

const bounded = (
  op: Operation.Operation,
  self: Erased,
  millis: number,
  { machinery }: AttemptTimeout<unknown> | Deadline<unknown>,
  expired: () => Expired
): Erased =>
  machinery.within(self, {
    millis,
    onTimeout: () => {
      op.expired = expired()
      return Effect.fail(op.expired)
    },
    disconnected: op.prepared.policy.attemptTimeout?.disconnected === true
  })

/** The attempt itself; what is held for it is spent in the very step that hands over to it. */
const spending = (op: Operation.Operation): Erased => {
  if (op.retryGrant === undefined && op.sendGrant === undefined) return op.self
  const number = op.attempts
  return Effect.suspend(() => (op.attempts === number ? handOver(op) : op.self))
}

/**
 * Spends what is held for the attempt. To be called in the very step that hands over to it.
 *
 * @category running
 */
export const handOver = (op: Operation.Operation): Erased => {
  Grants.spend(op)
  return op.self
}

/** Makes an operation that can retry visible to operations inside its attempt, for as long as the attempt runs. */
const withName = (op: Operation.Operation, self: Erased): Erased => {
  const { attempts, fiber, prepared, runtimeFlags } = op
  const { name } = prepared.policy
  if (name === undefined || !prepared.retries) return self
  op.active = ActiveOperation.make({ name, attempt: attempts }, fiber, runtimeFlags)
  return ActiveOperation.inside(self, op.active)
}

const inSpan = ({ attempts, prepared: { policy } }: Operation.Operation, self: Erased): Erased =>
  policy.attemptSpan === undefined
    ? self
    : Effect.withSpan(self, policy.attemptSpan, {
        captureStackTrace: false,
        attributes: {
          "retry.attempt": attempts,
          ...(policy.name !== undefined && { "retry.operation": policy.name })
        }
      })

/**
 * Notes what the attempt leaves open, in the step in which it ends: no interruption can come between.
 *
 * Where the operation has gone on without the attempt, what the attempt leaves open is released at once.
 */
const noted = (op: Operation.Operation, self: Erased): Erased => {
  const { release } = op.prepared.policy
  if (release === undefined) return self
  const number = op.attempts
  const isLeft = () => op.over || op.attempts !== number || op.expired !== undefined
  const note = (failed: unknown): Effect.Effect<void> => {
    if (isLeft()) return Services.tellLate("release", () => release(failed, "Interrupted"))
    op.open = { failed }
    return Effect.void
  }
  return Effect.uninterruptibleMask((restore) =>
    Effect.matchCauseEffect(restore(self), {
      onFailure: (cause) => {
        const error = Cause.failureOption(cause)
        return Option.isNone(error)
          ? Effect.failCause(cause)
          : Effect.zipRight(note(error.value), Effect.failCause(cause))
      },
      onSuccess: (value) => Effect.as(note(value), value)
    })
  )
}

const current = (op: Operation.Operation, millis: number): CurrentAttempt.Attempt => {
  const startedMillis = op.attemptStartedMillis
  return {
    number: op.attempts,
    timeLeft: Effect.sync(() =>
      millis === Infinity
        ? Option.none()
        : Option.some(Duration.millis(Math.max(0, millis - (Elapsed.millis(op) - startedMillis))))
    ),
    previous: Option.fromNullable(op.history.at(-1))
  }
}
