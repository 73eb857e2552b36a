/**
 * One attempt: the effect with the services, the span and the time limits that the policy asks for.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as TimeLeft from "../../decide/TimeLeft.ts"
import * as ActiveOperation from "../../fund/fiber/ActiveOperation.ts"
import * as Child from "../../fund/fiber/Child.ts"
import type * as CurrentAttempt from "../policy/CurrentAttempt.ts"
import * as Elapsed from "./Elapsed.ts"
import type { Bounded } from "../policy/Expired.ts"
import * as Grants from "./Grants.ts"
import type { Erased } from "./Operation.ts"
import type * as Operation from "./Operation.ts"
import { counted } from "./Progress.ts"
import * as Services from "./Services.ts"

/**
 * The effect of the attempt that is about to start. If a timeout or a cutting deadline interrupts it, that is noted in the
 * operation.
 */
export const effect = (op: Operation.Operation): Erased => (op.prepared.isBare ? spending(op) : withServices(op))

const withServices = (op: Operation.Operation): Erased => {
  const { attempt: tag, deadline } = op.prepared.policy
  const { attemptTimeout: timeout } = op.prepared.hooks
  const inner = inSpan(op, spending(op))
  const note = noteOf(op)
  const startMillis = op.attemptStartedMillis
  const leftMillis = deadline === undefined ? Infinity : deadline.withinMillis - startMillis
  const timeoutMillis =
    timeout === undefined ? leftMillis : TimeLeft.millisFor(timeout, counted(op), startMillis, leftMillis)
  const given = tag && current(op, timeoutMillis)
  const active = activeOf(op)
  if (deadline?._tag === "Cut" || timeout !== undefined) {
    const service = tag && Child.service(tag, given!)
    const handed = active === undefined ? service : ActiveOperation.handed(active, service)
    const deadlineMillis = timeoutMillis === leftMillis ? deadline?.withinMillis : undefined
    const bounded = { self: inner, note, handed, millis: timeoutMillis, deadlineMillis }
    return deadline?._tag === "Cut" && timeoutMillis === leftMillis
      ? deadline.machinery.cut(deadline, op, bounded, timeout?.disconnected === true)
      : timeout!.machinery.bound(timeout!, op, bounded)
  }
  const self = noted(tag === undefined ? inner : Effect.provideService(inner, tag, given!), note)
  return active === undefined ? self : ActiveOperation.inside(self, active, op.fiber)
}

const noted = (self: Erased, note: Bounded["note"]): Erased => (note === undefined ? self : Effect.onExit(self, note))

/** The attempt itself; the grants held for it are spent in the step that starts it. */
const spending = (op: Operation.Operation): Erased => {
  if (op.bucket?.held === undefined && op.rateLimiter?.held === undefined) return op.self
  const number = op.attempts
  return Effect.suspend(() => (op.attempts === number ? handOver(op) : op.self))
}

/** Spends the grants held for the attempt. Call it in the step that starts the attempt. */
export const handOver = (op: Operation.Operation): Erased => {
  Grants.spend(op)
  return op.self
}

/** An operation that can retry is visible to operations inside its attempt, for as long as the attempt runs. */
const activeOf = (op: Operation.Operation): ActiveOperation.ActiveAttempt | undefined => {
  const { attempts, fiber, prepared, runtimeFlags } = op
  const { name } = prepared.policy
  if (name === undefined || !prepared.retries) return undefined
  return (op.active = ActiveOperation.make({ name, attempt: attempts }, fiber, runtimeFlags))
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
 * Notes what the attempt leaves open, in the step in which it ends, so that no interruption can come between.
 *
 * If the operation has continued without the attempt, what the attempt leaves open is released at once.
 */
const noteOf = (op: Operation.Operation): Bounded["note"] => {
  const { release } = op.prepared.hooks
  if (release === undefined) return undefined
  const number = op.attempts
  return (exit) => {
    const failed = Exit.isSuccess(exit) ? Option.some(exit.value) : Cause.failureOption(exit.cause)
    if (Option.isNone(failed)) return Effect.void
    if (op.over || op.attempts !== number || op.expired !== undefined) {
      // No deadline applies any more.
      const released = Services.called(() => release(failed.value, "Interrupted"))
      return Services.logging("release", released, undefined)
    }
    op.open = failed
    return Effect.void
  }
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
