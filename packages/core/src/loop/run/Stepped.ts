/**
 * The loop for attempts that another library makes: it ends when an attempt may be made, and continues with the outcome.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as Interruption from "../../fund/fiber/Interruption.ts"
import type * as Line from "../../fund/fiber/Line.ts"
import type { Prepared } from "../policy/PolicyCheck.ts"
import * as Elapsed from "./Elapsed.ts"
import * as Grants from "./Grants.ts"
import * as Loop from "./Loop.ts"
import type { Erased } from "./Operation.ts"
import * as Operation from "./Operation.ts"
import * as Stop from "./Stop.ts"

/**
 * Permission to make an attempt.
 *
 * @category models
 */
export interface Attempt {
  /** From 1. */
  readonly number: number
  /** The wait that led to it; zero for the first attempt. */
  readonly delay: Duration.Duration
  /** Time until the deadline; `None` without one. */
  readonly timeLeft: Effect.Effect<Option.Option<Duration.Duration>>
}

/** An operation whose attempts another library makes. Used by one caller at a time. */
export interface Stepped {
  readonly op: Operation.Operation
  /** The permitted attempt, until its outcome is reported. */
  running: Attempt | undefined
}

/** The next attempt; `undefined` if the operation has succeeded. */
export type Step = Effect.Effect<Attempt | undefined, unknown, unknown>

/** The result with which the loop ends instead of running an attempt. */
const permitted: Erased = /*#__PURE__*/ Effect.succeed(/*#__PURE__*/ Symbol("permitted"))

/** Makes an operation, whose time begins now. */
export const make = (prepared: Prepared, fiber: Line.View, runtimeFlags: Interruption.Flags): Stepped => ({
  op: Operation.make(permitted, prepared, undefined, fiber, { runtimeFlags }, true),
  running: undefined
})

/** Wraps the loop of a step. */
type Around = (self: Erased) => Erased

/** Asks for the first attempt. The returned effect has already ended if there was no service to call. */
export const begin = (own: Stepped, around: Around = identity): Step =>
  step(own, hearsAbandoned(own) || own.op.rateLimiter !== undefined, () => Loop.begin(own.op), around)

/** Reports that the running attempt has failed. Call it in the fiber that runs the step. */
export const failed = (own: Stepped, cause: Cause.Cause<unknown>, around: Around = identity): Step => {
  leaveOpen(own, Cause.failureOption(cause))
  return step(own, holds(own), () => Loop.attemptFailed(ended(own), cause), around)
}

/** Reports that the running attempt has succeeded. Call it in the fiber that runs the step. */
export const succeeded = (own: Stepped, value: unknown, around: Around = identity): Step => {
  const isJudged = own.op.prepared.hooks.result !== undefined
  leaveOpen(own, Option.some(value))
  const isGuarded = isJudged ? holds(own) : hearsAbandoned(own)
  return step(own, isGuarded, () => Loop.attemptSucceeded(ended(own), value), around)
}

/**
 * Ends an operation without an outcome: refunds what is held, releases what is open, and tells buckets that the attempt is
 * abandoned. A step under way no longer gets an attempt.
 */
export const abandon = (own: Stepped): Effect.Effect<void> => {
  const { op, running } = own
  own.running = undefined
  op.over = true
  return Effect.uninterruptible(running === undefined ? Grants.callOff(op) : Stop.cleanUp(op))
}

/** Whether a bucket, a rate limiter or a release must be told if the operation is abandoned during an attempt. */
export const hearsAbandoned = ({ op }: Stepped): boolean => Loop.needsGuard(op) || Grants.hearsAbandoned(op)

/** Whether a step after an attempt may hold a grant, or something to release. */
const holds = ({ op }: Stepped): boolean =>
  op.bucket !== undefined || op.rateLimiter !== undefined || op.prepared.hooks.release !== undefined

/** Notes what the attempt may have left open. */
const leaveOpen = ({ op }: Stepped, open: Option.Option<unknown>): void => {
  if (op.prepared.hooks.release !== undefined && Option.isSome(open)) op.open = open
}

/** Notes that the attempt has ended. Until the loop has been told, an interruption leaves it running, to be abandoned. */
const ended = (own: Stepped): Operation.Operation => {
  own.running = undefined
  return own.op
}

const step = (own: Stepped, isGuarded: boolean, run: () => Erased, around: Around): Step => {
  const { op } = own
  op.guarded = false
  if (!isGuarded) return andThen(around === identity ? run() : around(Effect.suspend(run)), () => handOver(own))
  // The grants are spent in the last step of an uninterruptible region, so that no interruption comes between.
  return Effect.uninterruptible(
    andThen(around(Stop.guarded(op, run)), () => interruptedMeanwhile(own) ?? handOver(own))
  )
}

const andThen = (looped: Erased, permit: () => Step): Step => {
  const self = looped as Effect.Effect<unknown, unknown>
  const next = (value: unknown): Step => (isPermitted(value) ? permit() : nothing)
  return AtOnce.hasEnded(self) && Exit.isSuccess(self) ? next(self.value) : Effect.flatMap(self, next)
}

const nothing: Step = Exit.succeed(undefined)

const isPermitted = (value: unknown): boolean => value === (permitted as Exit.Success<unknown, never>).value

/** A pending interruption, because of which the caller will not get the step's result. */
const interruptedMeanwhile = ({ op }: Stepped): Effect.Effect<never> | undefined =>
  Interruption.isPending(AtOnce.currentFiber(), op.runtimeFlags) ? calledOff(op) : undefined

const calledOff = (op: Operation.Operation): Effect.Effect<never> => Effect.zipRight(Stop.cleanUp(op), Effect.interrupt)

/** Spends the grants held for the attempt, and permits it. */
const handOver = (own: Stepped): Step => {
  const { op } = own
  if (op.over) return calledOff(op)
  Grants.spend(op)
  return Exit.succeed((own.running = attemptOf(op)))
}

const attemptOf = (op: Operation.Operation): Attempt => {
  const { deadline } = op.prepared.policy
  return {
    number: op.attempts,
    delay: op.delayMillis === undefined ? Duration.zero : Duration.millis(op.delayMillis),
    timeLeft:
      deadline === undefined
        ? Effect.succeedNone
        : Effect.sync(() => Option.some(Duration.millis(Math.max(0, deadline.withinMillis - Elapsed.millis(op)))))
  }
}
